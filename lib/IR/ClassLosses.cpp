// Losses of rows of classes, as the ops that they are made of.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/IR/Faults.h"

#include "IR/DerivativeParts.h"
#include "IR/RowTypes.h"
#include "IR/Sizes.h"

#include <limits>

using namespace mlir;
using namespace mp;
using namespace mp::derivatives;

using Values = SmallVector<Value>;

static Value sumLast(LocBuilder &b, Value rows) {
  return ReduceSumOp::create(b, rows, ArrayRef<int64_t>{typeOf(rows).getRank() - 1});
}

/// Over all dimensions, to rank 0.
template <typename ReduceOp> static Value reduceAll(LocBuilder &b, Value rows) {
  auto all = llvm::to_vector(llvm::seq<int64_t>(0, typeOf(rows).getRank()));
  return all.empty() ? rows : Value(ReduceOp::create(b, rows, all));
}

static Value meanOfRows(LocBuilder &b, Value rows, Value weights) {
  if (!weights)
    return reduceAll<ReduceMeanOp>(b, rows);
  return div(b, reduceAll<ReduceSumOp>(b, mul(b, rows, weights)), reduceAll<ReduceSumOp>(b, weights));
}

static Value integer(LocBuilder &b, int64_t value) {
  auto type = RankedTensorType::get({}, b.getI64Type());
  return ConstantOp::create(b, type, DenseElementsAttr::get(type, b.getI64IntegerAttr(value)));
}

// What rows are compared with

namespace {
/// Labels, and what is to be made of them.
struct Target {
  Value labels, weights;
  double smoothing = 0;
  std::optional<uint64_t> ignored;
};
} // namespace

template <typename LossOp> static Target targetOf(LossOp op) {
  return {op.getLabels(), op.getWeights(), op.getLabelSmoothing().convertToDouble(), op.getIgnoreLabel()};
}

static bool areProbabilities(Value labels) { return isFloat(labels); }

/// Of each row the element of its label, or NaN where that is none of the classes.
static Value pick(LocBuilder &b, Value rows, Value labels) {
  RankedTensorType type = typeOf(rows);
  const int64_t last = type.getRank() - 1;
  Value column = reshapeTo(b, labels, keptShape(type, {last}));
  Value isLabel =
      compare(b, ComparePredicate::eq, IotaOp::create(b, type.clone(b.getI64Type()), Value(), last), column);
  Value picked = sumLast(b, select(b, isLabel, rows, scalar(b, rows, 0.0)));
  Value isClass = LogicalAndOp::create(b, compare(b, ComparePredicate::ge, labels, integer(b, 0)),
                                       compare(b, ComparePredicate::lt, labels, integer(b, type.getShape().back())));
  return select(b, isClass, picked, scalar(b, rows, std::numeric_limits<double>::quiet_NaN()));
}

/// The mean of -target * logs.
static Value buildCrossEntropy(LocBuilder &b, Value logs, const Target &target) {
  const bool isSoft = areProbabilities(target.labels);
  Value labels = castTo(b, target.labels, isSoft ? elementOf(logs) : Type(b.getI64Type())), hit;
  Value rest = scalar(b, logs, 1 - target.smoothing),
        ofEach = scalar(b, logs, target.smoothing / static_cast<double>(typeOf(logs).getShape().back()));
  if (isSoft) {
    // Smoothed before they meet the logarithms: of a probability of 0 something is left, and 0 times infinity is NaN.
    Value smoothed = target.smoothing == 0 ? labels : add(b, mul(b, labels, rest), ofEach);
    hit = sumLast(b, mul(b, smoothed, logs));
  } else {
    hit = pick(b, logs, labels);
    if (target.smoothing != 0)
      hit = add(b, mul(b, hit, rest), mul(b, sumLast(b, logs), ofEach));
  }
  Value rows = negate(b, hit), weights = target.weights;
  if (target.ignored) {
    Value counts = compare(b, ComparePredicate::ne, labels, integer(b, static_cast<int64_t>(*target.ignored)));
    Value zero = scalar(b, logs, 0.0);
    rows = select(b, counts, rows, zero); // a label that is no class made it NaN
    weights = select(b, counts, weights ? weights : BroadcastOp::create(b, typeOf(rows), scalar(b, logs, 1.0), Value()),
                     zero);
  }
  return meanOfRows(b, rows, weights);
}

// The losses

static Value wideOf(LocBuilder &b, Value rows) { return castTo(b, rows, getWideElement(rows)); }

// Of integers it is one op over rows, and so is its gradient.
Values SoftmaxCrossEntropyOp::expand(LocBuilder &b) {
  if (!areProbabilities(getLabels()))
    return {};
  return {buildCrossEntropy(b, LogSoftmaxOp::create(b, wideOf(b, getLogits())), targetOf(*this))};
}

Values CrossEntropyOp::expand(LocBuilder &b) {
  Value clipped =
      ClampOp::create(b, wideOf(b, getProbabilities()), APFloat(kLeastProbability), APFloat(1 - kLeastProbability));
  return {buildCrossEntropy(b, LogOp::create(b, clipped), targetOf(*this))};
}

Values NLLLossOp::expand(LocBuilder &b) {
  return {buildCrossEntropy(b, wideOf(b, getLogs()), {getLabels(), getWeights(), 0, getIgnoreLabel()})};
}

Values KLDivOp::expand(LocBuilder &b) {
  Value logs = wideOf(b, getLogs()), target = wideOf(b, getTarget()), zero = scalar(b, logs, 0.0);
  Value counts = compare(b, ComparePredicate::gt, target, zero);
  Value own = LogOp::create(b, select(b, counts, target, scalar(b, logs, 1.0)));
  Value terms = select(b, counts, mul(b, target, sub(b, own, logs)), zero);
  return {meanOfRows(b, sumLast(b, terms), getWeights())};
}

// What they take

static int64_t countClasses(Value rows, Value labels) { return areProbabilities(labels) ? 0 : shapeOf(rows).back(); }
int64_t SoftmaxCrossEntropyOp::getClassCount() { return countClasses(getLogits(), getLabels()); }
int64_t CrossEntropyOp::getClassCount() { return countClasses(getProbabilities(), getLabels()); }
int64_t NLLLossOp::getClassCount() { return countClasses(getLogs(), getLabels()); }

/// Labels, weights and the result have types of their own.
static bool followsAsRows(OpOperand &operand) {
  return operand.getOperandNumber() == 0 && mp::detail::isAutocastTensor(operand.get().getType());
}
bool SoftmaxCrossEntropyOp::operandFollows(OpOperand &operand) { return followsAsRows(operand); }
bool SoftmaxCrossEntropyOp::resultFollows(OpResult) { return false; }
bool CrossEntropyOp::operandFollows(OpOperand &operand) { return followsAsRows(operand); }
bool NLLLossOp::operandFollows(OpOperand &operand) { return followsAsRows(operand); }
bool KLDivOp::operandFollows(OpOperand &operand) { return mp::detail::followsInLoss(operand); }

StringRef CrossEntropyOp::getSaferOp() { return SoftmaxCrossEntropyOp::getOperationName(); }

RankedTensorType mp::detail::getWeightsTypeOfClasses(Operation *op) {
  Value rows = op->getOperand(0);
  return RankedTensorType::get(shapeOf(rows).drop_back(), getWideElement(rows));
}
RankedTensorType SoftmaxCrossEntropyOp::getRowWeightsType() { return mp::detail::getWeightsTypeOfClasses(*this); }

/// What labels mean.
static LogicalResult verifyTarget(Operation *op, const Target &target) {
  if (!(target.smoothing >= 0 && target.smoothing < 1))
    return violates(op, 4) << "label_smoothing is " << target.smoothing << ", expected at least 0 and less than 1";
  if (!target.ignored)
    return success();
  const auto label = static_cast<int64_t>(*target.ignored);
  Type element = elementOf(target.labels);
  if (areProbabilities(target.labels))
    return violates(op, 5) << "ignore_label is " << label << ", but labels of type " << element << " are probabilities";
  auto type = cast<IntegerType>(element);
  const unsigned width = type.getWidth();
  if (type.isUnsigned() ? !llvm::isUIntN(width, label) : !llvm::isIntN(width, label))
    return violates(op, 5) << "ignore_label is " << label << ", which labels of type " << type << " cannot be";
  return success();
}

static LogicalResult verifyClasses(Operation *op, Value rows, StringRef name, const Target &target) {
  const bool isSoft = areProbabilities(target.labels);
  if (failed(verifyRows(op, rows, name, {{isSoft ? Value() : target.labels, "labels"}, {target.weights, "weights"}})) ||
      failed(verifyTarget(op, target)))
    return failure();
  if (isSoft && !agree(shapeOf(target.labels), shapeOf(rows)))
    return violates(op, 1) << "labels are " << target.labels.getType()
                           << ", probabilities of classes, expected the shape of the " << name << ", which are "
                           << rows.getType();
  return verifyLossType(op, rows, target.weights, "weights");
}

LogicalResult SoftmaxCrossEntropyOp::verify() { return verifyClasses(*this, getLogits(), "logits", targetOf(*this)); }
LogicalResult SoftmaxCrossEntropyGradOp::verify() {
  if (failed(verifyClasses(*this, getLogits(), "logits", targetOf(*this))))
    return failure();
  Type expected = getWideElement(getLogits());
  if (elementOf(getGradient()) != expected || !shapeOf(getGradient()).empty())
    return violates(*this, 6) << "gradient has type " << getGradient().getType() << ", expected tensor<" << expected
                              << ">";
  return success();
}
LogicalResult CrossEntropyOp::verify() {
  return verifyClasses(*this, getProbabilities(), "probabilities", targetOf(*this));
}
LogicalResult NLLLossOp::verify() {
  return verifyClasses(*this, getLogs(), "logs", {getLabels(), getWeights(), 0, getIgnoreLabel()});
}
LogicalResult KLDivOp::verify() {
  if (failed(verifyRows(*this, getLogs(), "logs", {{getWeights(), "weights", 2}})))
    return failure();
  if (elementOf(getTarget()) != elementOf(getLogs()))
    return violates(*this, 1) << "target is " << getTarget().getType() << ", expected elements of "
                              << elementOf(getLogs()) << " as the logs have: mp.cast one of them";
  if (!agree(shapeOf(getTarget()), shapeOf(getLogs())))
    return violates(*this, 1) << "target is " << getTarget().getType() << ", expected the shape of the logs, "
                              << getLogs().getType() << ": shapes of losses do not broadcast";
  return verifyLossType(*this, getLogs(), getWeights(), "weights");
}
