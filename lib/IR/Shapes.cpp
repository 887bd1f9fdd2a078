// The shapes of results, from operands and attributes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One short rule per op, in the order of the op families. A size is ShapedType::kDynamic while the batch is open.

#include "mp/IR/MP.h"
#include "mp/IR/Tiles.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mp;

using Shape = SmallVector<int64_t>;
using Shapes = SmallVectorImpl<Shape>;

static ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }
static Shape copyShape(Value value) { return llvm::to_vector(shapeOf(value)); }
static bool isOpen(int64_t size) { return ShapedType::isDynamic(size); }

/// Whether two sizes can be the same: equal, or one is not known yet.
static bool agree(int64_t a, int64_t b) { return a == b || isOpen(a) || isOpen(b); }

static std::string describe(ArrayRef<int64_t> shape) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << '[';
  llvm::interleave(shape, os, [&](int64_t size) { isOpen(size) ? os << '?' : os << size; }, "x");
  os << ']';
  return text;
}

LogicalResult mp::detail::inferShapesFromFirstOperand(Operation *op, Shapes &shapes) {
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    shapes.push_back(copyShape(op->getOperand(0)));
  return success();
}

LogicalResult mp::detail::verifyShapes(Operation *op) {
  for (Value operand : op->getOperands())
    if (!isa<RankedTensorType>(operand.getType()))
      return success(); // the operand's own constraint reports it
  SmallVector<Shape> shapes;
  if (failed(cast<ShapeOpInterface>(op).inferShapes(shapes)))
    return failure();
  for (auto [result, shape] : llvm::zip_equal(op->getResults(), shapes)) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type)
      return success();
    bool fits = type.getRank() == static_cast<int64_t>(shape.size()) &&
                llvm::all_of(llvm::zip(type.getShape(), shape),
                             [](auto sizes) { return agree(std::get<0>(sizes), std::get<1>(sizes)); });
    if (!fits)
      return op->emitOpError("result #") << result.getResultNumber() << " has shape " << describe(type.getShape())
                                         << ", operands and attributes give " << describe(shape);
  }
  return success();
}

/// NumPy's broadcast of the operands' shapes, aligned at the last dimension. An open size meets 1 or itself.
static LogicalResult broadcastOperands(Operation *op, Shapes &shapes) {
  Shape result;
  for (Value operand : op->getOperands()) {
    ArrayRef<int64_t> shape = shapeOf(operand);
    if (shape.size() > result.size())
      result.insert(result.begin(), shape.size() - result.size(), 1);
    for (size_t i = 0; i < shape.size(); ++i) {
      int64_t &known = result[result.size() - shape.size() + i];
      int64_t size = shape[i];
      if (size == known || size == 1)
        continue;
      if (known == 1 || isOpen(known)) {
        known = size;
        continue;
      }
      if (!isOpen(size))
        return op->emitOpError("operand shapes do not broadcast: size ")
               << size << " meets " << known << " in " << describe(shape);
    }
  }
  shapes.push_back(std::move(result));
  return success();
}

// Contraction

/// [..., m, k] x [..., k, n], either stored transposed -> [..., m, n].
template <typename Op> static LogicalResult inferProduct(Op op, Shape &result) {
  ArrayRef<int64_t> lhs = shapeOf(op.getLhs()), rhs = shapeOf(op.getRhs());
  if (lhs.size() < 2 || rhs.size() < 2)
    return op.emitOpError("operands have at least rank 2, found ranks ") << lhs.size() << " and " << rhs.size();
  if (rhs.size() != 2 && rhs.size() != lhs.size())
    return op.emitOpError("rhs has rank ") << rhs.size() << ", expected 2 or the rank of lhs, " << lhs.size();
  int64_t m = lhs[lhs.size() - 2], lhsK = lhs.back(), rhsK = rhs[rhs.size() - 2], n = rhs.back();
  if (op.getTransposeLhs())
    std::swap(m, lhsK);
  if (op.getTransposeRhs())
    std::swap(rhsK, n);
  if (!agree(lhsK, rhsK))
    return op.emitOpError("contraction sizes differ: lhs has ") << lhsK << ", rhs has " << rhsK;
  result = llvm::to_vector(lhs.drop_back(2));
  if (rhs.size() > 2)
    for (size_t i = 0; i < result.size(); ++i) {
      if (!agree(result[i], rhs[i]))
        return op.emitOpError("batch sizes differ: lhs has ") << result[i] << ", rhs has " << rhs[i];
      if (isOpen(result[i]))
        result[i] = rhs[i];
    }
  result.append({m, n});
  return success();
}

LogicalResult MatmulOp::inferShapes(Shapes &shapes) {
  Shape result;
  if (failed(inferProduct(*this, result)))
    return failure();
  if (Value bias = getBias()) {
    ArrayRef<int64_t> shape = shapeOf(bias);
    if (shape.size() != 1 || !agree(shape[0], result.back()))
      return emitOpError("bias has shape ") << describe(shape) << ", expected [" << result.back() << "]";
  }
  shapes.push_back(std::move(result));
  return success();
}

LogicalResult MatmulPartsOp::inferShapes(Shapes &shapes) {
  Shape result;
  if (failed(inferProduct(*this, result)))
    return failure();
  const int64_t k = getContractionSize(), depth = getDepth();
  const bool isKnown = depth > 0 && !isOpen(k);
  result.insert(result.begin(), isKnown ? countParts(k, depth) : ShapedType::kDynamic);
  shapes.push_back(std::move(result));
  return success();
}

// Elementwise

LogicalResult AddOp::inferShapes(Shapes &shapes) { return broadcastOperands(*this, shapes); }
LogicalResult SubOp::inferShapes(Shapes &shapes) { return broadcastOperands(*this, shapes); }
LogicalResult MulOp::inferShapes(Shapes &shapes) { return broadcastOperands(*this, shapes); }
LogicalResult DivOp::inferShapes(Shapes &shapes) { return broadcastOperands(*this, shapes); }
LogicalResult MaxOp::inferShapes(Shapes &shapes) { return broadcastOperands(*this, shapes); }
LogicalResult CompareOp::inferShapes(Shapes &shapes) { return broadcastOperands(*this, shapes); }
LogicalResult SelectOp::inferShapes(Shapes &shapes) { return broadcastOperands(*this, shapes); }

// Reduction

template <typename ReduceOp> static LogicalResult reduceShape(ReduceOp op, Shapes &shapes) {
  ArrayRef<int64_t> input = shapeOf(op.getInput());
  llvm::SmallBitVector reduced(input.size());
  int64_t previous = -1;
  for (int64_t dimension : op.getDimensions()) {
    if (dimension <= previous || dimension >= static_cast<int64_t>(input.size()))
      return op.emitOpError("dimensions are distinct, ascending and less than the operand's rank ")
             << input.size() << ", found " << dimension;
    previous = dimension;
    reduced.set(dimension);
  }
  Shape result;
  for (auto [i, size] : llvm::enumerate(input)) {
    if (!reduced.test(i))
      result.push_back(size);
    else if (op.getKeepDims())
      result.push_back(1);
  }
  shapes.push_back(std::move(result));
  return success();
}

LogicalResult ReduceSumOp::inferShapes(Shapes &shapes) { return reduceShape(*this, shapes); }
LogicalResult ReduceMeanOp::inferShapes(Shapes &shapes) { return reduceShape(*this, shapes); }
LogicalResult ReduceMaxOp::inferShapes(Shapes &shapes) { return reduceShape(*this, shapes); }

LogicalResult ArgmaxOp::inferShapes(Shapes &shapes) {
  Shape shape = copyShape(getInput());
  int64_t dimension = getDimension();
  if (dimension < 0 || dimension >= static_cast<int64_t>(shape.size()))
    return emitOpError("dimension ") << dimension << " is outside the operand's rank " << shape.size();
  shape.erase(shape.begin() + dimension);
  shapes.push_back(std::move(shape));
  return success();
}

/// Labels and weights have one value per row of `logits`.
static LogicalResult checkRows(Operation *op, Value logits, Value labels, Value weights) {
  ArrayRef<int64_t> shape = shapeOf(logits);
  if (shape.empty() || shape.back() == 0)
    return op->emitOpError("logits have shape ") << describe(shape) << ", expected a last dimension of classes";
  auto check = [&](Value rows, StringRef name) -> LogicalResult {
    if (!rows)
      return success();
    ArrayRef<int64_t> found = shapeOf(rows), expected = shape.drop_back();
    if (found.size() != expected.size() || !llvm::all_of(llvm::zip(found, expected), [](auto sizes) {
          return agree(std::get<0>(sizes), std::get<1>(sizes));
        }))
      return op->emitOpError() << name << " have shape " << describe(found)
                               << ", expected one per row: " << describe(expected);
    return success();
  };
  return failure(failed(check(labels, "labels")) || failed(check(weights, "weights")));
}

LogicalResult SoftmaxCrossEntropyOp::inferShapes(Shapes &shapes) {
  shapes.emplace_back();
  return checkRows(*this, getLogits(), getLabels(), getWeights());
}

// Data

LogicalResult IotaOp::inferShapes(Shapes &shapes) {
  shapes.push_back(copyShape(getLike() ? getLike() : getResult()));
  return success();
}

LogicalResult ReshapeOp::inferShapes(Shapes &shapes) {
  Shape result = copyShape(getResult());
  int64_t known = 1, open = -1, total = 1;
  for (auto [i, size] : llvm::enumerate(result)) {
    if (!isOpen(size)) {
      known *= size;
      continue;
    }
    if (open >= 0)
      return emitOpError("has two open sizes in its result, expected at most one");
    open = i;
  }
  for (int64_t size : shapeOf(getInput())) {
    if (isOpen(size)) {
      shapes.push_back(std::move(result)); // known once the operand is
      return success();
    }
    total *= size;
  }
  if (open >= 0 && known != 0 && total % known == 0)
    result[open] = total / known;
  else if (open >= 0 || known != total)
    return emitOpError("operand has ") << total << " elements, result " << describe(result)
                                       << " cannot hold exactly as many";
  shapes.push_back(std::move(result));
  return success();
}

LogicalResult TransposeOp::inferShapes(Shapes &shapes) {
  ArrayRef<int64_t> input = shapeOf(getInput()), permutation = getPermutation();
  llvm::SmallBitVector seen(input.size());
  bool valid = permutation.size() == input.size();
  for (int64_t dimension : permutation) {
    valid = valid && dimension >= 0 && dimension < static_cast<int64_t>(input.size()) && !seen.test(dimension);
    if (!valid)
      break;
    seen.set(dimension);
  }
  if (!valid)
    return emitOpError("permutation is no permutation of the operand's ") << input.size() << " dimensions";
  shapes.push_back(llvm::map_to_vector(permutation, [&](int64_t dimension) { return input[dimension]; }));
  return success();
}

LogicalResult BroadcastOp::inferShapes(Shapes &shapes) {
  ArrayRef<int64_t> input = shapeOf(getInput());
  Shape result = copyShape(getLike() ? getLike() : getResult());
  bool fits = input.size() <= result.size();
  for (size_t i = 0; fits && i < input.size(); ++i) {
    int64_t target = result[result.size() - input.size() + i];
    fits = input[i] == 1 || agree(input[i], target);
  }
  if (!fits)
    return emitOpError("operand of shape ") << describe(input) << " does not broadcast to " << describe(result);
  shapes.push_back(std::move(result));
  return success();
}

// Training

LogicalResult UnscaleOp::inferShapes(Shapes &shapes) {
  for (Value gradient : getGradients())
    shapes.push_back(copyShape(gradient));
  shapes.emplace_back();
  return success();
}

LogicalResult ClipByGlobalNormOp::inferShapes(Shapes &shapes) {
  for (Value gradient : getGradients())
    shapes.push_back(copyShape(gradient));
  shapes.emplace_back();
  return success();
}

/// An optimizer's results have the parameter's shape.
static LogicalResult parameterShapes(Operation *op, Shapes &shapes) {
  return mp::detail::inferShapesFromFirstOperand(op, shapes);
}
LogicalResult SGDOp::inferShapes(Shapes &shapes) { return parameterShapes(*this, shapes); }
LogicalResult AdamOp::inferShapes(Shapes &shapes) { return parameterShapes(*this, shapes); }
LogicalResult AdamWOp::inferShapes(Shapes &shapes) { return parameterShapes(*this, shapes); }
