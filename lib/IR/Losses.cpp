// Losses that are means of a term of each element.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/IR/Faults.h"

#include "IR/DerivativeParts.h"
#include "IR/RowTypes.h"
#include "IR/Sizes.h"

#include <cmath>

using namespace mlir;
using namespace mp;
using namespace mp::derivatives;

// What a term is, and how it changes with the prediction and the target: of d, their difference, f' and -f'

Value MSELossOp::buildTerm(LocBuilder &b, Value x, Value t) {
  Value distance = sub(b, x, t);
  return mul(b, distance, distance);
}
Value MSELossOp::buildSlope(LocBuilder &b, Value x, Value t) { return mul(b, sub(b, x, t), scalar(b, x, 2.0)); }
Value MSELossOp::buildTargetSlope(LocBuilder &b, Value x, Value t) { return buildSlope(b, t, x); }

Value L1LossOp::buildTerm(LocBuilder &b, Value x, Value t) { return AbsOp::create(b, sub(b, x, t)); }
Value L1LossOp::buildSlope(LocBuilder &b, Value x, Value t) {
  Value zero = scalar(b, x, 0.0);
  Value below = select(b, compare(b, ComparePredicate::lt, x, t), scalar(b, x, -1.0), zero);
  return select(b, compare(b, ComparePredicate::gt, x, t), scalar(b, x, 1.0), below);
}
Value L1LossOp::buildTargetSlope(LocBuilder &b, Value x, Value t) { return buildSlope(b, t, x); }

Value HuberLossOp::buildTerm(LocBuilder &b, Value x, Value t) {
  const double delta = getDelta().convertToDouble();
  Value distance = AbsOp::create(b, sub(b, x, t)), bound = scalar(b, x, delta);
  Value square = mul(b, mul(b, distance, distance), scalar(b, x, 0.5));
  Value line = mul(b, sub(b, distance, scalar(b, x, delta / 2)), bound);
  return select(b, compare(b, ComparePredicate::le, distance, bound), square, line);
}
Value HuberLossOp::buildSlope(LocBuilder &b, Value x, Value t) {
  const double delta = getDelta().convertToDouble();
  return ClampOp::create(b, sub(b, x, t), APFloat(-delta), APFloat(delta));
}
Value HuberLossOp::buildTargetSlope(LocBuilder &b, Value x, Value t) { return buildSlope(b, t, x); }

Value SigmoidCrossEntropyOp::buildTerm(LocBuilder &b, Value x, Value t) {
  Value distance = AbsOp::create(b, x), zero = scalar(b, x, 0.0);
  // Of a positive logit what the target lacks of 1 costs it, of a negative one the target. Where either is nothing it
  // costs nothing, however far off the other is: their product would be NaN at infinity. A NaN is no least of two.
  Value wrong = select(b, compare(b, ComparePredicate::gt, x, zero), sub(b, scalar(b, x, 1.0), t), t);
  Value least = MinOp::create(b, distance, AbsOp::create(b, wrong));
  Value cost = select(b, compare(b, ComparePredicate::eq, least, zero), zero, mul(b, distance, wrong));
  return add(b, cost, SoftplusOp::create(b, negate(b, distance)));
}
Value SigmoidCrossEntropyOp::buildSlope(LocBuilder &b, Value x, Value t) { return sub(b, SigmoidOp::create(b, x), t); }
Value SigmoidCrossEntropyOp::buildTargetSlope(LocBuilder &b, Value x, Value) { return negate(b, x); }

static Value clip(LocBuilder &b, Value p) {
  return ClampOp::create(b, p, APFloat(kLeastProbability), APFloat(1 - kLeastProbability));
}
Value BinaryCrossEntropyOp::buildTerm(LocBuilder &b, Value p, Value t) {
  p = clip(b, p);
  Value one = scalar(b, p, 1.0);
  Value hit = mul(b, t, LogOp::create(b, p)), miss = mul(b, sub(b, one, t), LogOp::create(b, sub(b, one, p)));
  return negate(b, add(b, hit, miss));
}
Value BinaryCrossEntropyOp::buildSlope(LocBuilder &b, Value p, Value t) {
  Value clipped = clip(b, p), one = scalar(b, p, 1.0);
  Value slope = div(b, sub(b, clipped, t), mul(b, clipped, sub(b, one, clipped)));
  return select(b, compare(b, ComparePredicate::eq, p, clipped), slope, scalar(b, p, 0.0));
}
Value BinaryCrossEntropyOp::buildTargetSlope(LocBuilder &b, Value p, Value) {
  p = clip(b, p);
  return sub(b, LogOp::create(b, sub(b, scalar(b, p, 1.0), p)), LogOp::create(b, p));
}

// What follows for each of them

/// How many elements a row has.
static double elementsOfRow(RankedTensorType type) {
  double count = 1;
  for (int64_t size : type.getShape().drop_front())
    count *= static_cast<double>(size);
  return count;
}

/// A column of one number for each row of `images`.
static Value asColumn(LocBuilder &b, Value rows, Value like) {
  SmallVector<int64_t> shape(typeOf(like).getRank(), 1);
  shape.front() = typeOf(rows).getDimSize(0);
  return reshapeTo(b, rows, shape);
}

/// The sum of the terms of each row.
static Value sumRows(LocBuilder &b, ElementLossOpInterface op) {
  Type wide = getWideElement(op.getPrediction());
  RankedTensorType type = typeOf(op.getPrediction());
  const bool isList = type.getRank() == 1;
  auto operand = [&](Value value) {
    // Rows of all their elements, so that one reduction makes the sum of each.
    if (!isList)
      value = reshapeTo(b, value, {type.getDimSize(0), static_cast<int64_t>(elementsOfRow(type))});
    return castTo(b, value, wide);
  };
  Value terms = op.buildTerm(b, operand(op.getPrediction()), operand(op.getTarget()));
  return isList ? terms : ReduceSumOp::create(b, terms, ArrayRef<int64_t>{1});
}

/// What the sum of all rows is divided by.
static Value buildCount(LocBuilder &b, ElementLossOpInterface op) {
  RankedTensorType type = typeOf(op.getPrediction());
  Value ofResult = op->getResult(0);
  if (Value weights = op.getWeights())
    return mul(b, ReduceSumOp::create(b, weights, ArrayRef<int64_t>{0}), scalar(b, ofResult, elementsOfRow(type)));
  return scalar(b, ofResult, elementsOfRow(type) * static_cast<double>(type.getDimSize(0)));
}

Value mp::detail::buildElementLoss(LocBuilder &b, ElementLossOpInterface op) {
  Value rows = sumRows(b, op);
  if (Value weights = op.getWeights())
    rows = mul(b, rows, weights);
  return div(b, ReduceSumOp::create(b, rows, ArrayRef<int64_t>{0}), buildCount(b, op));
}

/// Each element's slope times its part of the mean.
LogicalResult mp::detail::differentiateElementLoss(ElementLossOpInterface op, OpBuilder &builder,
                                                   ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(op.getLoc(), builder);
  Value prediction = op.getPrediction(), target = op.getTarget(), weights = op.getWeights();
  Type wide = getWideElement(prediction), element = typeOf(prediction).getElementType();
  Value x = castTo(b, prediction, wide), t = castTo(b, target, wide);
  Value gradient = results[0], part = div(b, gradient, buildCount(b, op));
  Value ofRow = weights ? asColumn(b, mul(b, weights, part), prediction) : part;
  operands[0] = castTo(b, mul(b, op.buildSlope(b, x, t), ofRow), element);
  operands[1] = castTo(b, mul(b, op.buildTargetSlope(b, x, t), ofRow), element);
  if (!weights)
    return success();
  // A weight moves the mean by what its row is above it.
  Value mean = div(b, sumRows(b, op), scalar(b, gradient, elementsOfRow(typeOf(prediction))));
  Value all = ReduceSumOp::create(b, weights, ArrayRef<int64_t>{0});
  operands[2] = mul(b, div(b, sub(b, mean, op->getResult(0)), all), gradient);
  return success();
}

LogicalResult mp::detail::verifyElementLoss(ElementLossOpInterface op) {
  RankedTensorType prediction = typeOf(op.getPrediction()), target = typeOf(op.getTarget());
  if (prediction.getRank() == 0)
    return violates(op, 1) << "prediction is " << prediction << ", expected at least rank 1: a first dimension of rows";
  if (prediction.getElementType() != target.getElementType() || !agree(prediction.getShape(), target.getShape()))
    return violates(op, 1) << "target is " << target << ", expected the type of the prediction, " << prediction
                           << ": shapes of losses do not broadcast";
  if (Value weights = op.getWeights()) {
    RankedTensorType expected = detail::getRowWeightsTypeOfLoss(op), found = typeOf(weights);
    if (found.getElementType() != expected.getElementType() || !agree(found.getShape(), expected.getShape()))
      return violates(op, 2) << "weights are " << found << ", expected " << expected << ", one for each row";
  }
  return op.verifyTerm();
}

StringRef BinaryCrossEntropyOp::getSaferOp() { return SigmoidCrossEntropyOp::getOperationName(); }

LogicalResult HuberLossOp::verifyTerm() {
  const double delta = getDelta().convertToDouble();
  if (!(delta > 0) || std::isinf(delta))
    return violates(*this, 3) << "delta is " << delta << ", expected a finite number greater than 0";
  return success();
}

RankedTensorType mp::detail::getRowWeightsTypeOfLoss(ElementLossOpInterface op) {
  RankedTensorType type = typeOf(op.getPrediction());
  return RankedTensorType::get(type.getShape().take_front(), getWideElement(op.getPrediction()));
}

RankedTensorType mp::detail::getLossType(Value prediction) {
  return RankedTensorType::get({}, getWideElement(prediction));
}

bool mp::detail::followsInLoss(OpOperand &operand) {
  return operand.getOperandNumber() < 2 && isAutocastTensor(operand.get().getType());
}
