// The shapes of results, from operands and attributes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One short rule per op, in the order of the op families. A size is ShapedType::kDynamic while the batch is open.

#include "mp/IR/Faults.h"
#include "mp/IR/MP.h"
#include "mp/IR/Tiles.h"

#include "IR/ProductTypes.h"
#include "IR/RowTypes.h"
#include "IR/Sizes.h"

#include "mlir/Dialect/Traits.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mp;

using Shape = SmallVector<int64_t>;
using Types = SmallVectorImpl<Type>;
using MaybeLocation = std::optional<Location>;

bool mp::detail::areCompatible(TypeRange inferred, TypeRange stated) {
  auto fits = [](auto types) {
    auto inferred = dyn_cast<RankedTensorType>(std::get<0>(types)),
         stated = dyn_cast<RankedTensorType>(std::get<1>(types));
    return inferred && stated && inferred.getElementType() == stated.getElementType() &&
           mayState(stated.getShape(), inferred.getShape());
  };
  return inferred.size() == stated.size() && llvm::all_of(llvm::zip(inferred, stated), fits);
}

/// The constraint that says what an op's results are, 0 where it is no numbered one.
static unsigned constraintOfResults(StringRef op) {
  return llvm::StringSwitch<unsigned>(op.split('.').second)
      .Cases({"cast", "logical_and", "logical_or", "rmsprop", "sgd", "unscale"}, 1)
      .Cases({"add", "sub", "mul", "div", "max", "min", "atan2", "pow", "prelu", "compare", "select"}, 2)
      .Cases({"remainder", "floor_divide", "bitwise_and", "bitwise_or", "bitwise_xor", "shift_left", "shift_right"}, 2)
      .Cases({"argmax", "argmin", "broadcast", "iota", "random_uniform", "top_k_grad"}, 2)
      .Cases({"softmax_cross_entropy", "softmax_cross_entropy_rows", "softmax_cross_entropy_grad_rows"}, 2)
      .Cases({"cross_entropy", "nll_loss", "mse_loss", "huber_loss", "kl_div", "layer_norm_statistics"}, 2)
      .Cases({"nonfinite_blocks", "sum_squares_blocks", "sum_row_blocks", "row_block_moments", "nonfinite_tiles"}, 2)
      .Cases({"clip_by_global_norm", "clip_by_norm", "clip_by_value"}, 2)
      .Cases({"reduce_sum", "reduce_mean", "reduce_max", "reduce_min", "reduce_prod", "l2_norm"}, 3)
      .Cases({"matmul_parts", "conv_filter_grad_parts", "resize", "resize_grad"}, 3)
      .Cases({"max_pool", "avg_pool", "max_pool_with_indices", "max_pool_grad", "avg_pool_grad", "max_unpool"}, 6)
      .Case("matmul", 6)
      .Cases({"conv", "depthwise_conv"}, 8)
      .Case("depthwise_conv_row_sums", 11)
      .Default(0);
}

LogicalResult mp::OpTrait::verifyResultTypesFollow(Operation *op) {
  SmallVector<Type> types;
  if (failed(cast<InferTypeOpInterface>(op).inferReturnTypes(op->getContext(), op->getLoc(), op->getOperands(),
                                                             op->getRawDictionaryAttrs(), op->getPropertiesStorage(),
                                                             op->getRegions(), types)))
    return failure();
  if (!detail::areCompatible(types, op->getResultTypes()))
    return violates(op, constraintOfResults(op->getName().getStringRef()))
           << "has results of types " << op->getResultTypes() << ", expected " << types;
  return success();
}

LogicalResult mp::detail::inferShapeOfFirstOperand(Operation *op, Shape &shape) {
  shape = llvm::to_vector(shapeOf(op->getOperand(0)));
  return success();
}

LogicalResult mp::detail::verifyShape(Operation *op) {
  auto isTensor = [](Type type) { return isa<RankedTensorType>(type); };
  if (!llvm::all_of(op->getOperandTypes(), isTensor) || !llvm::all_of(op->getResultTypes(), isTensor))
    return success(); // the constraint of operand or result reports it
  Shape shape;
  if (failed(cast<ShapeOpInterface>(op).inferShape(shape)))
    return failure();
  ArrayRef<int64_t> stated = shapeOf(op->getResult(0));
  if (!mayState(stated, shape))
    return violates(op, constraintOfResults(op->getName().getStringRef()))
           << "result has shape " << describe(stated) << ", operands and attributes give " << describe(shape);
  return success();
}

// Contraction

/// [..., m, k] x [..., k, n], either stored transposed -> [..., m, n]; `ofBatch` is the constraint of the rest.
template <typename Op> static LogicalResult inferProduct(Op op, unsigned ofBatch, Shape &result) {
  ArrayRef<int64_t> lhs = shapeOf(op.getLhs()), rhs = shapeOf(op.getRhs());
  if (lhs.size() < 2 || rhs.size() < 2)
    return violates(op, 2) << "operands have at least rank 2, found ranks " << lhs.size() << " and " << rhs.size();
  if (rhs.size() != 2 && rhs.size() != lhs.size())
    return violates(op, ofBatch) << "rhs has rank " << rhs.size() << ", expected 2 or the rank of lhs, " << lhs.size();
  int64_t m = lhs[lhs.size() - 2], lhsK = lhs.back(), rhsK = rhs[rhs.size() - 2], n = rhs.back();
  if (op.getTransposeLhs())
    std::swap(m, lhsK);
  if (op.getTransposeRhs())
    std::swap(rhsK, n);
  if (!agree(lhsK, rhsK))
    return violates(op, 2) << "contraction sizes differ: lhs has " << lhsK << ", rhs has " << rhsK;
  result = llvm::to_vector(lhs.drop_back(2));
  if (rhs.size() > 2)
    for (size_t i = 0; i < result.size(); ++i) {
      if (!agree(result[i], rhs[i]))
        return violates(op, ofBatch) << "batch sizes differ: lhs has " << result[i] << ", rhs has " << rhs[i];
      if (isOpen(result[i]))
        result[i] = rhs[i];
    }
  result.append({m, n});
  return success();
}

LogicalResult MatmulOp::inferShape(Shape &result) {
  return failure(failed(inferProduct(*this, 3, result)) || failed(verifyBias(*this, 4, getBias(), result.back())));
}

LogicalResult MatmulPartsOp::inferShape(Shape &result) {
  if (failed(inferProduct(*this, 2, result)))
    return failure();
  const int64_t k = getContractionSize(), depth = getDepth();
  const bool isKnown = depth > 0 && k >= 0;
  result.insert(result.begin(), isKnown ? countParts(k, depth) : ShapedType::kDynamic);
  return success();
}

// Elementwise

/// NumPy's broadcast of the operands' shapes, aligned at the last dimension.
template <typename Op>
static LogicalResult inferBroadcast(MaybeLocation location, ValueRange operands, Type element, Types &types) {
  Shape known;
  for (Value operand : operands) {
    Shape result;
    if (!mlir::OpTrait::util::getBroadcastedShape(known, shapeOf(operand), result))
      return violates<Op>(location, constraintOfResults(Op::getOperationName()),
                          "operand shapes do not broadcast: ", describe(known), " and ", describe(shapeOf(operand)));
    known = std::move(result);
  }
  types.push_back(RankedTensorType::get(known, element));
  return success();
}

template <typename Op>
static LogicalResult inferBinary(MaybeLocation location, typename Op::Adaptor operands, Types &types) {
  return inferBroadcast<Op>(location, operands.getOperands(), elementOf(operands.getLhs()), types);
}

LogicalResult AddOp::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor operands, Types &types) {
  return inferBinary<AddOp>(location, operands, types);
}
LogicalResult SubOp::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor operands, Types &types) {
  return inferBinary<SubOp>(location, operands, types);
}
LogicalResult MulOp::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor operands, Types &types) {
  return inferBinary<MulOp>(location, operands, types);
}
LogicalResult DivOp::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor operands, Types &types) {
  return inferBinary<DivOp>(location, operands, types);
}
LogicalResult MaxOp::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor operands, Types &types) {
  return inferBinary<MaxOp>(location, operands, types);
}
LogicalResult MinOp::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor operands, Types &types) {
  return inferBinary<MinOp>(location, operands, types);
}
LogicalResult PowOp::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor operands, Types &types) {
  return inferBinary<PowOp>(location, operands, types);
}
LogicalResult Atan2Op::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor operands, Types &types) {
  return inferBinary<Atan2Op>(location, operands, types);
}
LogicalResult PReluOp::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor operands, Types &types) {
  return inferBinary<PReluOp>(location, operands, types);
}
LogicalResult RemainderOp::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor operands, Types &types) {
  return inferBinary<RemainderOp>(location, operands, types);
}
LogicalResult FloorDivideOp::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor operands, Types &types) {
  return inferBinary<FloorDivideOp>(location, operands, types);
}
LogicalResult BitwiseAndOp::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor operands, Types &types) {
  return inferBinary<BitwiseAndOp>(location, operands, types);
}
LogicalResult BitwiseOrOp::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor operands, Types &types) {
  return inferBinary<BitwiseOrOp>(location, operands, types);
}
LogicalResult BitwiseXorOp::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor operands, Types &types) {
  return inferBinary<BitwiseXorOp>(location, operands, types);
}
LogicalResult ShiftLeftOp::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor operands, Types &types) {
  return inferBinary<ShiftLeftOp>(location, operands, types);
}
LogicalResult ShiftRightOp::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor operands, Types &types) {
  return inferBinary<ShiftRightOp>(location, operands, types);
}
LogicalResult CompareOp::inferReturnTypes(MLIRContext *context, MaybeLocation location, Adaptor operands,
                                          Types &types) {
  return inferBroadcast<CompareOp>(location, operands.getOperands(), IntegerType::get(context, 1), types);
}
LogicalResult IsFiniteOp::inferReturnTypes(MLIRContext *context, MaybeLocation location, Adaptor operands,
                                           Types &types) {
  return inferBroadcast<IsFiniteOp>(location, operands.getOperands(), IntegerType::get(context, 1), types);
}
LogicalResult LogicalAndOp::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor operands, Types &types) {
  return inferBinary<LogicalAndOp>(location, operands, types);
}
LogicalResult LogicalOrOp::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor operands, Types &types) {
  return inferBinary<LogicalOrOp>(location, operands, types);
}
LogicalResult SelectOp::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor operands, Types &types) {
  return inferBroadcast<SelectOp>(location, operands.getOperands(), elementOf(operands.getTrueValue()), types);
}

// Reduction

template <typename ReduceOp>
static LogicalResult inferReduction(MaybeLocation location, typename ReduceOp::Adaptor op, Types &types) {
  ArrayRef<int64_t> input = shapeOf(op.getInput());
  llvm::SmallBitVector reduced(input.size());
  int64_t previous = -1;
  for (int64_t dimension : op.getDimensions()) {
    if (dimension <= previous || dimension >= static_cast<int64_t>(input.size()))
      return violates<ReduceOp>(location, 2, "found dimension ", dimension,
                                ", expected distinct, ascending ones less than the operand's rank ", input.size());
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
  types.push_back(RankedTensorType::get(result, elementOf(op.getInput())));
  return success();
}

LogicalResult ReduceSumOp::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor op, Types &types) {
  return inferReduction<ReduceSumOp>(location, op, types);
}
LogicalResult ReduceMeanOp::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor op, Types &types) {
  return inferReduction<ReduceMeanOp>(location, op, types);
}
LogicalResult L2NormOp::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor op, Types &types) {
  return inferReduction<L2NormOp>(location, op, types);
}
LogicalResult ReduceMaxOp::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor op, Types &types) {
  return inferReduction<ReduceMaxOp>(location, op, types);
}
LogicalResult ReduceMinOp::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor op, Types &types) {
  return inferReduction<ReduceMinOp>(location, op, types);
}
LogicalResult ReduceProdOp::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor op, Types &types) {
  return inferReduction<ReduceProdOp>(location, op, types);
}

template <typename Op> static LogicalResult inferWithout(Op op, Shape &shape) {
  shape = llvm::to_vector(shapeOf(op.getInput()));
  int64_t dimension = op.getDimension();
  if (dimension < 0 || dimension >= static_cast<int64_t>(shape.size()))
    return violates(op, 1) << "dimension " << dimension << " is outside the operand's rank " << shape.size();
  shape.erase(shape.begin() + dimension);
  return success();
}

LogicalResult ArgmaxOp::inferShape(Shape &shape) { return inferWithout(*this, shape); }
LogicalResult ArgminOp::inferShape(Shape &shape) { return inferWithout(*this, shape); }

LogicalResult SoftmaxCrossEntropyOp::inferReturnTypes(MLIRContext *, MaybeLocation, Adaptor op, Types &types) {
  types.push_back(RankedTensorType::get({}, getWideElement(op.getLogits())));
  return success();
}

LogicalResult SoftmaxCrossEntropyRowsOp::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor op,
                                                          Types &types) {
  ArrayRef<int64_t> logits = shapeOf(op.getLogits());
  if (logits.empty())
    return violates<SoftmaxCrossEntropyRowsOp>(location, 1, "logits have rank 0, expected at least 1");
  types.push_back(RankedTensorType::get(logits.drop_back(), getWideElement(op.getLogits())));
  return success();
}

LogicalResult SoftmaxCrossEntropyGradRowsOp::inferReturnTypes(MLIRContext *, MaybeLocation, Adaptor op, Types &types) {
  types.push_back(op.getLogits().getType());
  return success();
}

LogicalResult LayerNormStatisticsOp::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor op, Types &types) {
  Shape column(shapeOf(op.getInput()));
  if (column.empty())
    return violates<LayerNormStatisticsOp>(location, 1, "operand has rank 0, expected at least 1");
  column.back() = 1;
  types.append(2, RankedTensorType::get(column, getWideElement(op.getInput())));
  return success();
}

// Data

LogicalResult IotaOp::inferShape(Shape &shape) {
  shape = llvm::to_vector(shapeOf(getLike() ? getLike() : getResult()));
  return success();
}

LogicalResult RandomUniformOp::inferShape(Shape &shape) {
  shape = llvm::to_vector(shapeOf(getLike() ? getLike() : getResult()));
  return success();
}

LogicalResult ReshapeOp::inferShape(Shape &result) {
  result = llvm::to_vector(shapeOf(getResult()));
  if (failed(mp::OpTrait::verifyCountableValues(*this)))
    return failure();
  int64_t known = 1, open = -1, total = 1;
  for (auto [i, size] : llvm::enumerate(result)) {
    if (!isOpen(size)) {
      known *= size;
      continue;
    }
    if (open >= 0)
      return violates(*this, 2) << "has two open sizes in its result, expected at most one";
    open = i;
  }
  for (int64_t size : shapeOf(getInput())) {
    if (isOpen(size))
      return success(); // known once the operand is
    total *= size;
  }
  if (open >= 0 && known != 0 && total % known == 0)
    result[open] = total / known;
  else if (open >= 0 && known == 0 && total == 0 && open < typeOf(getInput()).getRank())
    result[open] = shapeOf(getInput())[open]; // any would do; a batch stays one
  else if (open >= 0 || known != total)
    return violates(*this, open >= 0 ? 2 : 1)
           << "operand has " << total << " elements, result " << describe(result) << " cannot hold exactly as many";
  return success();
}

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *, MaybeLocation location, Adaptor op, Types &types) {
  ArrayRef<int64_t> input = shapeOf(op.getInput()), permutation = op.getPermutation();
  llvm::SmallBitVector seen(input.size());
  bool valid = permutation.size() == input.size();
  for (int64_t dimension : permutation) {
    valid = valid && dimension >= 0 && dimension < static_cast<int64_t>(input.size()) && !seen.test(dimension);
    if (!valid)
      break;
    seen.set(dimension);
  }
  if (!valid)
    return violates<TransposeOp>(location, 1, "permutation is not one of the operand's ", input.size(), " dimensions");
  Shape shape = llvm::map_to_vector(permutation, [&](int64_t dimension) { return input[dimension]; });
  types.push_back(RankedTensorType::get(shape, elementOf(op.getInput())));
  return success();
}

LogicalResult BroadcastOp::inferShape(Shape &result) {
  ArrayRef<int64_t> input = shapeOf(getInput());
  result = llvm::to_vector(shapeOf(getLike() ? getLike() : getResult()));
  bool fits = input.size() <= result.size();
  for (size_t i = 0; fits && i < input.size(); ++i) {
    int64_t &target = result[result.size() - input.size() + i];
    if (!getLike() && ShapedType::isDynamic(target)) // it is the operand's own (C2)
      target = input[i];
    fits = input[i] == 1 || agree(input[i], target);
  }
  if (!fits)
    return violates(*this, 1) << "operand of shape " << describe(input) << " does not broadcast to "
                              << describe(result);
  return success();
}

// Training

LogicalResult UnscaleOp::inferReturnTypes(MLIRContext *context, MaybeLocation, Adaptor op, Types &types) {
  llvm::append_range(types, op.getGradients().getTypes());
  types.push_back(RankedTensorType::get({}, IntegerType::get(context, 32)));
  return success();
}

// Blocks and tiles

/// One element per `block` elements of `input`; no size where that is not known or `block` is none.
static RankedTensorType blocksOf(Value input, int64_t block, Type element) {
  auto type = cast<RankedTensorType>(input.getType());
  const bool isKnown = type.hasStaticShape() && block > 0;
  return RankedTensorType::get({isKnown ? countBlocks(type.getNumElements(), block) : ShapedType::kDynamic}, element);
}

LogicalResult NonfiniteBlocksOp::inferReturnTypes(MLIRContext *context, MaybeLocation, Adaptor op, Types &types) {
  types.push_back(blocksOf(op.getInput(), op.getBlock(), IntegerType::get(context, 32)));
  return success();
}

LogicalResult SumSquaresBlocksOp::inferReturnTypes(MLIRContext *context, MaybeLocation, Adaptor op, Types &types) {
  types.push_back(blocksOf(op.getInput(), op.getBlock(), Float32Type::get(context)));
  return success();
}

LogicalResult SumRowBlocksOp::inferReturnTypes(MLIRContext *context, MaybeLocation, Adaptor op, Types &types) {
  ArrayRef<int64_t> input = shapeOf(op.getInput());
  const int64_t block = op.getBlock();
  const bool isKnown = input.size() == 2 && block > 0 && !isOpen(input[0]);
  types.push_back(RankedTensorType::get({isKnown ? countBlocks(input[0], block) : ShapedType::kDynamic,
                                         input.empty() ? ShapedType::kDynamic : input.back()},
                                        Float32Type::get(context)));
  return success();
}

LogicalResult RowBlockMomentsOp::inferReturnTypes(MLIRContext *context, MaybeLocation, Adaptor op, Types &types) {
  auto input = cast<RankedTensorType>(op.getInput().getType());
  const int64_t block = op.getBlock(), columns = input.getRank() == 0 ? ShapedType::kDynamic : input.getShape().back();
  int64_t blocks = ShapedType::kDynamic;
  if (input.hasStaticShape() && input.getRank() > 0 && block > 0)
    blocks = countBlocks(ShapedType::getNumElements(input.getShape().drop_back()), block);
  types.append(4, RankedTensorType::get({blocks, columns}, Float32Type::get(context)));
  return success();
}

LogicalResult NonfiniteTilesOp::inferReturnTypes(MLIRContext *context, MaybeLocation, Adaptor op, Types &types) {
  auto input = cast<RankedTensorType>(op.getInput().getType());
  const int64_t rows = op.getRows(), columns = op.getColumns();
  int64_t tiles = ShapedType::kDynamic;
  if (input.hasStaticShape() && input.getRank() >= 2 && rows > 0 && columns > 0)
    tiles = countTiles(input.getShape(), rows, columns);
  types.push_back(RankedTensorType::get({tiles}, IntegerType::get(context, 32)));
  return success();
}
