// Attention: the types of results, the constraints, and what follows a precision.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/IR/AttentionParts.h"
#include "mp/IR/Faults.h"

#include "IR/DerivativeParts.h"
#include "IR/RowTypes.h"
#include "IR/Sizes.h"

#include <cmath>

using namespace mlir;
using namespace mp;
using namespace mp::derivatives;

using Types = SmallVectorImpl<Type>;

// The types of results

/// [B, H, T, d], [B, G, S, d], [B, G, S, e] with no open size but B.
static bool areHeads(ArrayRef<int64_t> query, ArrayRef<int64_t> key, ArrayRef<int64_t> value) {
  for (ArrayRef<int64_t> shape : {query, key, value})
    if (shape.size() != 4 || llvm::any_of(shape.drop_front(), isOpen))
      return false;
  const int64_t groups = key[1];
  return agree(query[0], key[0]) && agree(key[0], value[0]) && agree(query[0], value[0]) && groups >= 1 &&
         query[1] % groups == 0 && value[1] == groups && key[2] == value[2] && query[3] == key[3] && query[3] >= 1 &&
         value[3] >= 1;
}

/// The shapes of queries and values fit: [B, H, T, e] is what attention makes of them.
template <typename Op>
static FailureOr<SmallVector<int64_t>> inferHeads(std::optional<Location> location, typename Op::Adaptor op) {
  ArrayRef<int64_t> query = shapeOf(op.getQuery()), key = shapeOf(op.getKey()), value = shapeOf(op.getValue());
  if (!areHeads(query, key, value))
    return violates<Op>(location, 2, "query is ", describe(query), ", key ", describe(key), ", value ", describe(value),
                        ", expected [B, H, T, d], [B, G, S, d] and [B, G, S, e], where G divides H, d and e are at "
                        "least 1, and no size is open but B");
  return SmallVector<int64_t>{isOpen(query[0]) ? key[0] : query[0], query[1], query[2], value[3]};
}

LogicalResult AttentionOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor op, Types &types) {
  FailureOr<SmallVector<int64_t>> shape = inferHeads<AttentionOp>(location, op);
  if (failed(shape))
    return failure();
  types.push_back(RankedTensorType::get(*shape, elementOf(op.getQuery())));
  types.push_back(RankedTensorType::get(ArrayRef(*shape).drop_back(), getWideElement(op.getQuery())));
  return success();
}

LogicalResult AttentionGradOp::inferReturnTypes(MLIRContext *, std::optional<Location> location, Adaptor op,
                                                Types &types) {
  if (failed(inferHeads<AttentionGradOp>(location, op)))
    return failure();
  types.append({op.getQuery().getType(), op.getKey().getType(), op.getValue().getType()});
  return success();
}

// The constraints

static LogicalResult verifyMask(Operation *op, Value mask, ArrayRef<int64_t> scores, Type wide) {
  if (!mask)
    return success();
  ArrayRef<int64_t> shape = shapeOf(mask);
  Type element = elementOf(mask);
  bool fits = shape.size() <= scores.size() && element.getIntOrFloatBitWidth() <= wide.getIntOrFloatBitWidth();
  for (size_t i = 0; fits && i < shape.size(); ++i) {
    const size_t dimension = scores.size() - shape.size() + i;
    const bool isOfBatch = dimension == 0;
    fits = shape[i] == 1 || shape[i] == scores[dimension] || (isOfBatch && agree(shape[i], scores[dimension]));
  }
  if (fits)
    return success();
  return violates(op, 3) << "mask is " << mask.getType() << ", expected i1 or a float no wider than " << wide
                         << " that broadcasts to " << describe(scores);
}

template <typename Op> static LogicalResult verifyAttention(Op op) {
  ArrayRef<int64_t> query = shapeOf(op.getQuery());
  const int64_t keys = shapeOf(op.getKey())[2];
  if (failed(verifyMask(op, op.getMask(), {query[0], query[1], query[2], keys}, getWideElement(op.getQuery()))))
    return failure();
  if (op.getCausal() && query[2] != keys)
    return violates(op, 4) << "is causal with " << query[2] << " queries and " << keys
                           << " keys, expected as many; a mask "
                           << "says which keys a query has";
  const double rate = op.getRate().convertToDouble();
  const auto stream = static_cast<int64_t>(op.getStream());
  if (!(rate >= 0 && rate < 1))
    return violates(op, 5) << "rate is " << rate << ", expected at least 0 and less than 1";
  if (stream < 0)
    return violates(op, 5) << "stream is " << stream << ", expected at least 0";
  if (bool(op.getRng()) != (rate > 0))
    return violates(op, 5) << "has rate " << rate << " and " << (op.getRng() ? "an" : "no") << " rng, expected "
                           << (rate > 0 ? "one" : "none");
  if (op.getScale() && !op.getScale()->isFinite())
    return violates(op, 6) << "scale is " << op.getScale()->convertToDouble() << ", expected a finite number";
  return success();
}

LogicalResult AttentionOp::verify() { return verifyAttention(*this); }

LogicalResult AttentionGradOp::verify() {
  if (failed(verifyAttention(*this)))
    return failure();
  SmallVector<int64_t> shape(shapeOf(getQuery()));
  shape.back() = shapeOf(getValue()).back();
  const auto gradient = RankedTensorType::get(shape, elementOf(getQuery()));
  const auto lse = RankedTensorType::get(ArrayRef(shape).drop_back(), getWideElement(getQuery()));
  if (getGradient().getType() != gradient || getLse().getType() != lse)
    return violates(*this, 7) << "gradient is " << getGradient().getType() << " and lse " << getLse().getType()
                              << ", expected " << gradient << " and " << lse;
  return success();
}

// Facts

template <typename Op> static AttentionSizes sizesOf(Op op) {
  ArrayRef<int64_t> query = shapeOf(op.getQuery()), value = shapeOf(op.getValue());
  return {query[0], query[1], value[1], query[2], value[2], query[3], value[3]};
}
AttentionSizes AttentionOp::getSizes() { return sizesOf(*this); }
AttentionSizes AttentionGradOp::getSizes() { return sizesOf(*this); }

template <typename Op> static double factorOf(Op op) {
  return op.getScale() ? op.getScale()->convertToDouble()
                       : 1 / std::sqrt(static_cast<double>(shapeOf(op.getQuery()).back()));
}
double AttentionOp::getFactor() { return factorOf(*this); }
double AttentionGradOp::getFactor() { return factorOf(*this); }

/// Of all scores of a query, spread over `columns` elements: an exponential, and products with so many numbers.
static int64_t operationsOfScores(int64_t keys, int64_t factors, int64_t columns) {
  constexpr int64_t kExponential = 32;
  return keys * (2 * factors + kExponential) / columns;
}
int64_t AttentionOp::getOperationsPerElement() {
  const AttentionSizes of = getSizes();
  return operationsOfScores(of.keys, of.depth + of.columns, of.columns);
}
int64_t AttentionGradOp::getOperationsPerElement() {
  const AttentionSizes of = getSizes();
  return operationsOfScores(of.keys, 3 * of.depth + 2 * of.columns, of.depth);
}

template <typename Op> static void dropRandomnessOf(Op op) {
  op.getRngMutable().clear();
  op.setRate(APFloat(0.0));
  op.setStream(0);
}
void AttentionOp::dropRandomness() { dropRandomnessOf(*this); }
void AttentionGradOp::dropRandomness() { dropRandomnessOf(*this); }

// What follows a precision: neither masks, which are added to scores, nor what scores are made of

bool AttentionOp::operandFollows(OpOperand &operand) {
  return operand.getOperandNumber() < 3 && detail::isAutocastTensor(operand.get().getType());
}
bool AttentionOp::resultFollows(OpResult result) {
  return result == getResult() && detail::isAutocastTensor(result.getType());
}
bool AttentionGradOp::operandFollows(OpOperand &operand) {
  const bool isData = operand.getOperandNumber() < 3 || operand.getOperandNumber() == 4;
  return isData && detail::isAutocastTensor(operand.get().getType());
}

// The derivative

LogicalResult AttentionOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  Type wide = elementOf(getLse());
  Value gradient = results[0], delta;
  if (gradient) {
    Value product = mul(b, castTo(b, gradient, wide), castTo(b, getResult(), wide));
    delta = ReduceSumOp::create(b, product, ArrayRef<int64_t>{3});
  } else {
    auto zeros = [&](Value like) -> Value {
      RankedTensorType type = typeOf(like);
      return ConstantOp::create(b, type, DenseElementsAttr::get(type, b.getFloatAttr(type.getElementType(), 0)));
    };
    gradient = zeros(getResult());
    delta = zeros(getLse());
  }
  // d lse / d s is p, as is the factor of -delta.
  if (results[1])
    delta = sub(b, delta, results[1]);
  auto ofOperands = AttentionGradOp::create(b, getQuery(), getKey(), getValue(), getLse(), gradient, delta, getMask(),
                                            getRng(), getCausalAttr(), getScaleAttr(), getRateAttr(), getStreamAttr());
  llvm::copy(ofOperands.getResults(), operands.begin());
  if (!getMask() || !isFloat(getMask()))
    return success();
  // What is learned of a mask, as where it says how far apart tokens are, takes all scores.
  Value ofScores = AttentionParts(b, *this).gradients(getLse(), gradient, delta).scores;
  operands[3] = castTo(b, sumTo(b, ofScores, typeOf(getMask()).clone(wide)), elementOf(getMask()));
  return success();
}
