// The shapes of what is chosen by where it is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IR/Sizes.h"
#include "mp/IR/Faults.h"
#include "mp/IR/MP.h"

#include <limits>

using namespace mlir;
using namespace mp;

using Shape = SmallVector<int64_t>;
using Types = SmallVectorImpl<Type>;
using MaybeLocation = std::optional<Location>;

/// No dimension is that long.
static constexpr int64_t kTooMany = int64_t(1) << 48;

LogicalResult SliceOp::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor op, Types &types) {
  Shape shape(shapeOf(op.getInput()));
  ArrayRef<int64_t> starts = op.getStarts(), limits = op.getLimits(), strides = op.getStrides();
  for (ArrayRef<int64_t> numbers : {starts, limits, strides})
    if (numbers.size() != shape.size())
      return violates<SliceOp>(location, 1, "has ", numbers.size(), " ranges, expected one for each of the operand's ",
                               shape.size(), " dimensions");
  for (auto [dimension, size] : llvm::enumerate(shape)) {
    const int64_t start = starts[dimension], stride = strides[dimension];
    if (start < 0 || stride < 1)
      return violates<SliceOp>(location, 1, "dimension ", dimension, " starts at ", start, " in steps of ", stride,
                               ", expected at least 0 and at least 1");
    const bool isWhole = start == 0 && limits[dimension] == kEnd && stride == 1;
    if (isOpen(size)) {
      if (!isWhole)
        return violates<SliceOp>(location, 3, "takes a part of dimension ", dimension,
                                 ", which is open; expected all of it, `:`");
      continue;
    }
    const int64_t limit = limits[dimension] == kEnd ? size : limits[dimension];
    if (limit < start || limit > size)
      return violates<SliceOp>(location, 2, "takes ", start, " to ", limit, " of dimension ", dimension,
                               ", expected a range inside its ", size, " elements");
    size = llvm::divideCeil(static_cast<uint64_t>(limit - start), static_cast<uint64_t>(stride));
  }
  types.push_back(RankedTensorType::get(shape, elementOf(op.getInput())));
  return success();
}

LogicalResult PadOp::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor op, Types &types) {
  Shape shape(shapeOf(op.getInput()));
  ArrayRef<int64_t> low = op.getLow(), high = op.getHigh(), interior = op.getInterior();
  for (ArrayRef<int64_t> numbers : {low, high, interior})
    if (numbers.size() != shape.size() && (numbers.data() != interior.data() || !interior.empty()))
      return violates<PadOp>(location, 1, "has padding for ", numbers.size(), " dimensions, expected for each of the ",
                             shape.size(), " of the operand");
  for (auto [dimension, size] : llvm::enumerate(shape)) {
    const int64_t between = interior.empty() ? 0 : interior[dimension];
    for (int64_t number : {low[dimension], high[dimension], between})
      if (number < 0 || number >= kTooMany)
        return violates<PadOp>(location, 2, "pads dimension ", dimension, " with ", number,
                               " elements, expected at least 0 and less than 2^48");
    if (isOpen(size)) {
      if (low[dimension] != 0 || high[dimension] != 0 || between != 0)
        return violates<PadOp>(location, 3, "pads dimension ", dimension, ", which is open");
      continue;
    }
    int64_t gaps = 0;
    if (llvm::MulOverflow(std::max<int64_t>(size - 1, 0), between, gaps) || gaps >= kTooMany)
      return violates<PadOp>(location, 2, "makes a dimension of 2^48 elements or more of dimension ", dimension);
    size += low[dimension] + high[dimension] + gaps;
  }
  types.push_back(RankedTensorType::get(shape, elementOf(op.getInput())));
  return success();
}

LogicalResult ConcatOp::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor op, Types &types) {
  if (op.getInputs().empty())
    return violates<ConcatOp>(location, 1, "has no operand, expected at least one");
  Shape shape(shapeOf(op.getInputs().front()));
  const auto dimension = static_cast<int64_t>(op.getDimension());
  if (dimension < 0 || dimension >= static_cast<int64_t>(shape.size()))
    return violates<ConcatOp>(location, 2, "dimension ", dimension, " is outside the operands' rank ", shape.size());
  int64_t total = 0;
  for (Value input : op.getInputs()) {
    ArrayRef<int64_t> own = shapeOf(input);
    if (own.size() != shape.size())
      return violates<ConcatOp>(location, 2, "operands have ranks ", shape.size(), " and ", own.size(),
                                ", expected one rank");
    if (isOpen(own[dimension]))
      return violates<ConcatOp>(location, 3, "has an operand that is open along dimension ", dimension, ": ",
                                describe(own));
    if (llvm::AddOverflow(total, own[dimension], total))
      return violates<ConcatOp>(location, 3, "makes 2^63 elements or more of dimension ", dimension);
    for (auto [i, size] : llvm::enumerate(shape)) {
      if (static_cast<int64_t>(i) == dimension)
        continue;
      if (!agree(size, own[i]))
        return violates<ConcatOp>(location, 3, "operands differ outside dimension ", dimension, ": ", describe(shape),
                                  " and ", describe(own));
      if (isOpen(size))
        size = own[i];
    }
  }
  shape[dimension] = total;
  types.push_back(RankedTensorType::get(shape, elementOf(op.getInputs().front())));
  return success();
}

LogicalResult FlipOp::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor op, Types &types) {
  ArrayRef<int64_t> shape = shapeOf(op.getInput());
  int64_t previous = -1;
  for (int64_t dimension : op.getDimensions()) {
    if (dimension <= previous || dimension >= static_cast<int64_t>(shape.size()))
      return violates<FlipOp>(location, 1, "found dimension ", dimension,
                              ", expected distinct, ascending ones less than the operand's rank ", shape.size());
    if (isOpen(shape[dimension]))
      return violates<FlipOp>(location, 2, "turns around dimension ", dimension, ", which is open");
    previous = dimension;
  }
  types.push_back(op.getInput().getType());
  return success();
}

LogicalResult SplitOp::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor op, Types &types) {
  Shape shape(shapeOf(op.getInput()));
  const auto dimension = static_cast<int64_t>(op.getDimension());
  if (dimension < 0 || dimension >= static_cast<int64_t>(shape.size()))
    return violates<SplitOp>(location, 1, "dimension ", dimension, " is outside the operand's rank ", shape.size());
  if (isOpen(shape[dimension]))
    return violates<SplitOp>(location, 1, "parts dimension ", dimension, ", which is open");
  const int64_t size = shape[dimension];
  int64_t left = size;
  for (int64_t own : op.getSizes()) {
    if (own < 0 || own > left)
      return violates<SplitOp>(location, 2, "takes ", own, " of the ", left, " elements that are left of dimension ",
                               dimension, " with ", size);
    left -= own;
    shape[dimension] = own;
    types.push_back(RankedTensorType::get(shape, elementOf(op.getInput())));
  }
  if (types.empty() || left != 0)
    return violates<SplitOp>(location, 2, "has ", types.size(), " parts of ", size - left,
                             " elements together, dimension ", dimension, " has ", size);
  return success();
}

LogicalResult TileOp::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor op, Types &types) {
  Shape shape(shapeOf(op.getInput()));
  if (op.getRepeats().size() != shape.size())
    return violates<TileOp>(location, 1, "has ", op.getRepeats().size(),
                            " repeats, expected one for each of the operand's ", shape.size(), " dimensions");
  for (auto [dimension, size] : llvm::enumerate(shape)) {
    const int64_t count = op.getRepeats()[dimension];
    if (count < 1)
      return violates<TileOp>(location, 1, "repeats dimension ", dimension, " ", count,
                              " times, expected at least once");
    if (count == 1)
      continue;
    if (isOpen(size))
      return violates<TileOp>(location, 2, "repeats dimension ", dimension, ", which is open");
    if (llvm::MulOverflow(size, count, size) || size >= kTooMany)
      return violates<TileOp>(location, 3, "makes a dimension of 2^48 elements or more of dimension ", dimension);
  }
  types.push_back(RankedTensorType::get(shape, elementOf(op.getInput())));
  return success();
}

/// The shape of `input` with that of `indices` in the place of `dimension`, or an error.
template <typename Op>
static FailureOr<Shape> shapeOfSlices(MaybeLocation location, Value input, Value indices, int64_t dimension) {
  ArrayRef<int64_t> own = shapeOf(input);
  if (dimension < 0 || dimension >= static_cast<int64_t>(own.size()))
    return violates<Op>(location, 1, "dimension ", dimension, " is outside the operand's rank ", own.size());
  Shape shape(own.take_front(dimension));
  llvm::append_range(shape, shapeOf(indices));
  llvm::append_range(shape, own.drop_front(dimension + 1));
  return shape;
}

LogicalResult GatherOp::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor op, Types &types) {
  FailureOr<Shape> shape = shapeOfSlices<GatherOp>(location, op.getInput(), op.getIndices(), op.getDimension());
  if (succeeded(shape))
    types.push_back(RankedTensorType::get(*shape, elementOf(op.getInput())));
  return LogicalResult(shape);
}

LogicalResult ScatterAddOp::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor op, Types &types) {
  FailureOr<Shape> shape = shapeOfSlices<ScatterAddOp>(location, op.getInput(), op.getIndices(), op.getDimension());
  if (failed(shape))
    return failure();
  if (elementOf(op.getInput()) != elementOf(op.getUpdates()))
    return violates<ScatterAddOp>(location, 2, "adds updates of ", elementOf(op.getUpdates()), " to ",
                                  elementOf(op.getInput()), ", expected one type");
  if (!agree(shapeOf(op.getUpdates()), *shape))
    return violates<ScatterAddOp>(location, 2, "updates have shape ", describe(shapeOf(op.getUpdates())),
                                  ", but gathering gives ", describe(*shape));
  types.push_back(op.getInput().getType());
  return success();
}

int64_t ScatterAddOp::getOperationsPerElement() {
  auto indices = cast<ShapedType>(getIndices().getType());
  return 2 + (indices.hasStaticShape() ? 2 * indices.getNumElements() : 0);
}

/// Indices of elements of `input` along `dimension`, or an error.
template <typename Op>
static LogicalResult checkPlaces(MaybeLocation location, Value input, Value indices, int64_t dimension) {
  ArrayRef<int64_t> own = shapeOf(input), of = shapeOf(indices);
  if (dimension < 0 || dimension >= static_cast<int64_t>(own.size()))
    return violates<Op>(location, 1, "dimension ", dimension, " is outside the operand's rank ", own.size());
  bool areAlike = of.size() == own.size();
  for (size_t i = 0; areAlike && i < own.size(); ++i)
    areAlike = static_cast<int64_t>(i) == dimension || of[i] == own[i];
  if (!areAlike)
    return violates<Op>(location, 2, "indices have shape ", describe(of), ", expected the rank of the operand, ",
                        describe(own), ", and outside dimension ", dimension, " its sizes");
  return success();
}

LogicalResult GatherElementsOp::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor op, Types &types) {
  types.push_back(RankedTensorType::get(shapeOf(op.getIndices()), elementOf(op.getInput())));
  return checkPlaces<GatherElementsOp>(location, op.getInput(), op.getIndices(), op.getDimension());
}

/// `updates` of elements of `input` at these places, or an error; `does` says what they do there.
template <typename Op>
static LogicalResult inferScattered(MaybeLocation location, typename Op::Adaptor op, StringRef does, Types &types) {
  types.push_back(op.getInput().getType());
  if (failed(checkPlaces<Op>(location, op.getInput(), op.getIndices(), op.getDimension())))
    return failure();
  if (elementOf(op.getInput()) != elementOf(op.getUpdates()))
    return violates<Op>(location, 3, does, " updates of ", elementOf(op.getUpdates()), " to ", elementOf(op.getInput()),
                        ", expected one type");
  if (!agree(shapeOf(op.getUpdates()), shapeOf(op.getIndices())))
    return violates<Op>(location, 3, "updates have shape ", describe(shapeOf(op.getUpdates())),
                        ", expected that of the indices, ", describe(shapeOf(op.getIndices())));
  return success();
}

LogicalResult ScatterAddElementsOp::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor op, Types &types) {
  return inferScattered<ScatterAddElementsOp>(location, op, "adds", types);
}
LogicalResult ScatterElementsOp::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor op, Types &types) {
  return inferScattered<ScatterElementsOp>(location, op, "writes", types);
}

/// Of an op that looks at so many indices for each element.
static int64_t countComparisons(Value indices, int64_t dimension) {
  const int64_t count = shapeOf(indices)[dimension];
  return 2 + (isOpen(count) ? 0 : 2 * count);
}
int64_t ScatterAddElementsOp::getOperationsPerElement() { return countComparisons(getIndices(), getDimension()); }
int64_t ScatterElementsOp::getOperationsPerElement() { return countComparisons(getIndices(), getDimension()); }

LogicalResult TopKOp::inferReturnTypes(MLIRContext *context, MaybeLocation location, Adaptor op, Types &types) {
  Shape shape(shapeOf(op.getInput()));
  if (shape.empty())
    return violates<TopKOp>(location, 1, "operand has rank 0, expected at least 1");
  if (isOpen(shape.back()) || shape.back() > std::numeric_limits<int32_t>::max())
    return violates<TopKOp>(location, 1, "operand has shape ", describe(shape),
                            ", expected a last dimension of less than 2^31 elements that is not open");
  const auto k = static_cast<int64_t>(op.getK());
  if (k < 1 || k > shape.back())
    return violates<TopKOp>(location, 2, "k is ", k, ", expected at least 1 and at most the ", shape.back(),
                            " elements of the last dimension");
  shape.back() = k;
  types.push_back(RankedTensorType::get(shape, elementOf(op.getInput())));
  types.push_back(RankedTensorType::get(shape, IntegerType::get(context, 32)));
  return success();
}

// Half of k walks on average, each with four operations at an element.
int64_t TopKOp::getOperationsPerElement() {
  return 2 * shapeOf(getInput()).back() * (static_cast<int64_t>(getK()) + 1);
}

LogicalResult TopKGradOp::verify() {
  ArrayRef<int64_t> indices = shapeOf(getIndices()), gradient = shapeOf(getGradient());
  if (gradient.empty() || !agree(indices, gradient))
    return violates(*this, 1) << "indices have shape " << describe(indices) << " and gradient " << describe(gradient)
                              << ", expected one shape of at least rank 1";
  if (elementOf(getResult()) != elementOf(getGradient()))
    return violates(*this, 2) << "result has type " << elementOf(getResult()) << ", gradient has "
                              << elementOf(getGradient());
  return success();
}

LogicalResult TopKGradOp::inferShape(Shape &shape) {
  ArrayRef<int64_t> result = shapeOf(getResult());
  shape = llvm::to_vector(shapeOf(getGradient()));
  if (shape.empty() || result.empty() || isOpen(result.back()))
    return violates(*this, shape.empty() ? 1 : 2)
           << "result has shape " << describe(result) << ", expected that of the gradient, " << describe(shape)
           << ", but for a last dimension that is not open";
  shape.back() = result.back();
  return success();
}

int64_t TopKGradOp::getOperationsPerElement() { return 2 * std::max<int64_t>(shapeOf(getIndices()).back(), 1); }

LogicalResult OneHotOp::inferShape(Shape &shape) {
  ArrayRef<int64_t> result = shapeOf(getResult());
  shape = llvm::to_vector(shapeOf(getLabels()));
  if (result.size() != shape.size() + 1 || isOpen(result.back()))
    return violates(*this, 1) << "result has shape " << describe(result) << ", expected that of the labels, "
                              << describe(shape) << ", and a number of classes";
  shape.push_back(result.back());
  return success();
}
