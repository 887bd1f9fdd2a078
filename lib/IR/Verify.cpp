// The numbered constraints of ops that types and shapes do not express.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/IR/Faults.h"
#include "mp/IR/MP.h"

#include "IR/ProductTypes.h"
#include "IR/RowTypes.h"
#include "IR/Sizes.h"

#include "mlir/IR/TypeUtilities.h"

#include <cmath>

using namespace mlir;
using namespace mp;

// Contraction

LogicalResult MatmulOp::verify() {
  Type element = elementOf(getLhs()), acc = getAcc();
  if (failed(verifyProductTypes(*this, acc, "lhs", "rhs", 5)))
    return failure();
  if (getBias() && elementOf(getBias()) != element && elementOf(getBias()) != acc)
    return violates(*this, 4) << "bias has type " << elementOf(getBias()) << ", expected the operands' " << element
                              << " or the accumulator's " << acc;
  return success();
}

// Convolution

LogicalResult ConvOp::verify() {
  if (failed(verifyProductTypes(*this, getAcc(), "image", "filter")))
    return failure();
  Type element = elementOf(getImage());
  if (getBias() && elementOf(getBias()) != element && elementOf(getBias()) != getAcc())
    return violates(*this, 7) << "bias has type " << elementOf(getBias()) << ", expected the image's " << element
                              << " or the accumulator's " << getAcc();
  return success();
}

LogicalResult ConvTransposeOp::verify() { return verifyProductTypes(*this, getAcc(), "input", "filter"); }

LogicalResult ConvFilterGradOp::verify() { return verifyProductTypes(*this, getAcc(), "image", "gradient"); }

/// `wide` is what sums of `element` are kept in: `name` has it.
static LogicalResult verifySumType(Operation *op, Type element, Type wide, StringRef name) {
  const bool fits = element.isF64() ? wide.isF64() : wide.isF32();
  if (!fits)
    return violates(op, 10) << name << " has type " << wide << ", expected " << (element.isF64() ? "f64" : "f32")
                            << " beside images of " << element;
  return success();
}

/// Operand `name`, or the result, has elements of `image` or of the sums.
static LogicalResult verifyEither(Operation *op, StringRef name, Type found, Type image, Type sums) {
  if (found != image && found != sums)
    return violates(op, 10) << name << " has type " << found << ", expected " << image << " or " << sums;
  return success();
}

LogicalResult DepthwiseConvOp::verify() {
  Type element = elementOf(getImage()), wide = elementOf(getTaps());
  return failure(failed(verifySumType(*this, element, wide, "taps")) ||
                 failed(verifyEither(*this, "result", elementOf(getResult()), element, wide)) ||
                 (getBias() && failed(verifyEither(*this, "bias", elementOf(getBias()), element, wide))));
}

LogicalResult DepthwiseConvTransposeOp::verify() {
  Type element = elementOf(getInput()), wide = elementOf(getTaps());
  return failure(failed(verifySumType(*this, element, wide, "taps")) ||
                 failed(verifyEither(*this, "result", elementOf(getResult()), element, wide)));
}

LogicalResult DepthwiseConvRowSumsOp::verify() {
  Type element = elementOf(getImage());
  if (elementOf(getGradient()) != element)
    return about(violates(*this, 10) << "operands differ in type: image has " << element << ", gradient has "
                                     << elementOf(getGradient()),
                 elementTypesDiffer(0, "image", 1, "gradient"));
  return verifySumType(*this, element, elementOf(getResult()), "result");
}

// Elementwise

/// Of an op that takes numbers as the others of its class.
template <typename Op> static LogicalResult verifyFloats(Op op) {
  if (!isa<FloatType>(elementOf(op.getLhs())))
    return violates(op, 3) << "operands are " << elementOf(op.getLhs()) << ", expected floats";
  return success();
}

LogicalResult DivOp::verify() { return verifyFloats(*this); }
LogicalResult PowOp::verify() { return verifyFloats(*this); }
LogicalResult Atan2Op::verify() { return verifyFloats(*this); }
LogicalResult PReluOp::verify() { return verifyFloats(*this); }

LogicalResult CompareOp::verify() {
  if (elementOf(getLhs()) != elementOf(getRhs()))
    return about(violates(*this, 1) << "operands differ in type: lhs has " << elementOf(getLhs()) << ", rhs has "
                                    << elementOf(getRhs()),
                 elementTypesDiffer(0, "lhs", 1, "rhs"));
  return success();
}

LogicalResult SelectOp::verify() {
  Type element = elementOf(getResult());
  for (Value value : {getTrueValue(), getFalseValue()})
    if (elementOf(value) != element)
      return violates(*this, 1) << "value has type " << elementOf(value) << ", result has " << element;
  return success();
}

LogicalResult ClampOp::verify() {
  const APFloat low = getMin(), high = getMax();
  if (low.isNaN() || high.isNaN() || low > high)
    return violates(*this, 1) << "min is " << low.convertToDouble() << " and max " << high.convertToDouble()
                              << ", expected numbers, the second no smaller";
  return success();
}

static LogicalResult verifyFinite(Operation *op, const APFloat &value, StringRef name) {
  if (!value.isFinite())
    return violates(op, 1) << name << " is " << value.convertToDouble() << ", expected a finite number";
  return success();
}

LogicalResult LeakyReluOp::verify() { return verifyFinite(*this, getNegativeSlope(), "negative_slope"); }
LogicalResult EluOp::verify() { return verifyFinite(*this, getAlpha(), "alpha"); }
LogicalResult ReverseGradientOp::verify() { return verifyFinite(*this, getScale(), "scale"); }

static LogicalResult verifyRate(Operation *op, double rate) {
  if (!(rate >= 0 && rate < 1))
    return violates(op, 1) << "rate is " << rate << ", expected at least 0 and less than 1";
  return success();
}

static LogicalResult verifyStream(Operation *op, unsigned constraint, int64_t stream) {
  if (stream < 0)
    return violates(op, constraint) << "stream is " << stream << ", expected at least 0";
  return success();
}

LogicalResult DropoutOp::verify() {
  if (failed(verifyRate(*this, getRate().convertToDouble())) ||
      failed(verifyStream(*this, 2, static_cast<int64_t>(getStream()))))
    return failure();
  const auto rank = static_cast<int64_t>(shapeOf(getInput()).size());
  int64_t least = 0;
  for (int64_t dimension : getShared()) {
    if (dimension < least || dimension >= rank)
      return violates(*this, 3) << "shared is [" << getShared() << "], expected dimensions from 0 to " << rank - 1
                                << " in ascending order";
    least = dimension + 1;
  }
  return success();
}

void DropoutOp::dropRandomness() {
  replaceAllUsesWith(getInput());
  erase();
}

LogicalResult DropoutMaskOp::verify() {
  if (shapeOf(getMask()).size() != 1)
    return violates(*this, 2) << "mask has " << shapeOf(getMask()).size() << " dimensions, expected 1";
  return failure(failed(verifyRate(*this, getRate().convertToDouble())) ||
                 failed(verifyStream(*this, 1, static_cast<int64_t>(getStream()))));
}

LogicalResult MaskedDropoutOp::verify() {
  if (failed(verifyRate(*this, getRate().convertToDouble())))
    return failure();
  RankedTensorType mask = typeOf(getMask()), input = typeOf(getInput());
  if (!mask.hasStaticShape() || !input.hasStaticShape())
    return success();
  const int64_t words = countWords(input.getNumElements());
  if (mask.getNumElements() < words)
    return violates(*this, 2) << "mask has " << mask.getNumElements() << " words, expected at least " << words;
  return success();
}

// Reduction

template <typename Op> static LogicalResult verifyPlace(Op op) {
  int64_t dimension = op.getDimension();
  ArrayRef<int64_t> shape = shapeOf(op.getInput());
  if (dimension >= 0 && dimension < static_cast<int64_t>(shape.size()) && shape[dimension] == 0)
    return violates(op, 1) << "dimension " << dimension << " has no element";
  if (!elementOf(op.getResult()).isSignlessInteger())
    return violates(op, 2) << "result has type " << elementOf(op.getResult()) << ", expected i32 or i64";
  return success();
}

LogicalResult ArgmaxOp::verify() { return verifyPlace(*this); }
LogicalResult ArgminOp::verify() { return verifyPlace(*this); }

LogicalResult CumsumOp::verify() {
  const auto dimension = static_cast<int64_t>(getDimension());
  const auto rank = static_cast<int64_t>(shapeOf(getInput()).size());
  if (dimension < 0 || dimension >= rank)
    return violates(*this, 1) << "dimension " << dimension << " is outside the operand's rank " << rank;
  return success();
}

int64_t CumsumOp::getOperationsPerElement() {
  // An addition and its mask for each doubling.
  const int64_t size = shapeOf(getInput())[getDimension()];
  return isOpen(size) || size < 2 ? 2 : 2 * llvm::Log2_64_Ceil(size);
}

LogicalResult SoftmaxOp::verify() {
  if (shapeOf(getInput()).empty())
    return violates(*this, 1) << "operand has at least rank 1, found rank 0";
  return success();
}

Type mp::getWideElement(Value rows) {
  Type element = elementOf(rows);
  return element.isF64() ? element : Float32Type::get(rows.getContext());
}

LogicalResult mp::verifyRows(Operation *op, Value rows, StringRef name, ArrayRef<RowOperand> operands) {
  ArrayRef<int64_t> shape = shapeOf(rows);
  if (shape.empty() || shape.back() == 0)
    return violates(op, 1) << name << " are " << rows.getType() << ", expected a last dimension of classes";
  for (const RowOperand &operand : operands) {
    if (operand.value && failed(verifyCompatibleShape(shapeOf(operand.value), shape.drop_back())))
      return violates(op, operand.constraint)
             << operand.name << " are " << operand.value.getType() << ", expected one for each row of the " << name
             << ", which are " << rows.getType();
  }
  return success();
}

LogicalResult mp::verifyLossType(Operation *op, Value rows, Value value, StringRef name) {
  if (Type expected = getWideElement(rows); value && elementOf(value) != expected)
    return violates(op, 2) << name << " have type " << elementOf(value) << ", expected " << expected;
  return success();
}

LogicalResult LogSoftmaxOp::verify() {
  if (shapeOf(getInput()).empty())
    return violates(*this, 1) << "operand has at least rank 1, found rank 0";
  return success();
}

// layer_norm, layer_norm_statistics, layer_norm_grad

static LogicalResult verifyNormalized(Operation *op, Value input) {
  if (ArrayRef<int64_t> shape = shapeOf(input); shape.empty() || shape.back() == 0)
    return violates(op, 1) << "operand is " << input.getType() << ", expected a last dimension of elements";
  return success();
}

static LogicalResult verifyOfNorm(Operation *op, Value input, Value value, ArrayRef<int64_t> shape, StringRef name) {
  Type expected = RankedTensorType::get(shape, getWideElement(input));
  if (elementOf(value) != getWideElement(input) || failed(verifyCompatibleShape(shapeOf(value), shape)))
    return violates(op, 2) << name << " has type " << value.getType() << ", expected " << expected;
  return success();
}

static LogicalResult verifyEpsilon(Operation *op, const APFloat &epsilon) {
  if (!epsilon.isFinite() || epsilon.isNegative())
    return violates(op, 3) << "epsilon is " << epsilon.convertToDouble() << ", expected a finite number, at least 0";
  return success();
}

LogicalResult LayerNormOp::verify() {
  if (failed(verifyNormalized(*this, getInput())) || failed(verifyEpsilon(*this, getEpsilon())))
    return failure();
  return verifyOfNorm(*this, getInput(), getScale(), shapeOf(getInput()).take_back(), "scale");
}

LogicalResult RMSNormOp::verify() {
  if (failed(verifyNormalized(*this, getInput())) || failed(verifyEpsilon(*this, getEpsilon())))
    return failure();
  return verifyOfNorm(*this, getInput(), getScale(), shapeOf(getInput()).take_back(), "scale");
}

LogicalResult L2NormalizeOp::verify() {
  if (failed(verifyNormalized(*this, getInput())))
    return failure();
  return verifyLeastLength(*this, getInput(), getEpsilon());
}

LogicalResult mp::verifyLeastLength(Operation *op, Value rows, const APFloat &epsilon) {
  const double value = epsilon.convertToDouble();
  const bool isPositive = getWideElement(rows).isF64() ? value > 0 : static_cast<float>(value) > 0;
  if (!isPositive || !std::isfinite(value))
    return violates(op, 2) << "epsilon is " << value << ", expected a finite number greater than 0 in "
                           << getWideElement(rows);
  return success();
}

LogicalResult LayerNormStatisticsOp::verify() {
  return success(succeeded(verifyNormalized(*this, getInput())) && succeeded(verifyEpsilon(*this, getEpsilon())));
}

LogicalResult LayerNormGradOp::verify() {
  if (failed(verifyNormalized(*this, getInput())))
    return failure();
  SmallVector<int64_t> column(shapeOf(getInput()));
  column.back() = 1;
  if (failed(verifyOfNorm(*this, getInput(), getMean(), column, "mean")))
    return failure();
  return verifyOfNorm(*this, getInput(), getScale(), shapeOf(getInput()).take_back(), "scale");
}

// Data

LogicalResult ConstantOp::verify() {
  if (!cast<ShapedType>(getResult().getType()).hasStaticShape())
    return violates(*this, 1) << "has an open size; a constant is static";
  return success();
}

LogicalResult IotaOp::verify() {
  int64_t dimension = getDimension(), rank = shapeOf(getResult()).size();
  if (dimension < 0 || dimension >= rank)
    return violates(*this, 1) << "dimension " << dimension << " is outside the result's rank " << rank;
  if (!getLike() && !cast<ShapedType>(getResult().getType()).hasStaticShape())
    return violates(*this, 2) << "result has an open size; name the tensor it is like";
  return success();
}

LogicalResult RandomUniformOp::verify() {
  if (failed(verifyStream(*this, 1, static_cast<int64_t>(getStream()))))
    return failure();
  if (!getLike() && !cast<ShapedType>(getResult().getType()).hasStaticShape())
    return violates(*this, 2) << "result has an open size; name the tensor it is like";
  return success();
}

LogicalResult BroadcastOp::verify() {
  if (elementOf(getInput()) != elementOf(getResult()))
    return violates(*this, 3) << "result has type " << elementOf(getResult()) << ", operand has "
                              << elementOf(getInput());
  if (getLike())
    return success();
  ArrayRef<int64_t> input = shapeOf(getInput()), result = shapeOf(getResult());
  for (size_t i = 0; i < result.size(); ++i) {
    bool own = result.size() - i <= input.size() && ShapedType::isDynamic(input[i + input.size() - result.size()]);
    if (ShapedType::isDynamic(result[i]) && !own)
      return violates(*this, 2) << "result has an open size that the operand lacks; name the tensor it is like";
  }
  return success();
}

// Regions

void AutocastOp::getSuccessorRegions(RegionBranchPoint point, SmallVectorImpl<RegionSuccessor> &successors) {
  successors.push_back(point.isParent() ? RegionSuccessor(&getBody()) : RegionSuccessor(getOperation(), getResults()));
}

void AutocastOp::getRegionInvocationBounds(ArrayRef<Attribute>, SmallVectorImpl<InvocationBounds> &bounds) {
  bounds.emplace_back(1, 1);
}

LogicalResult AutocastOp::verify() {
  if (std::optional<Type> type = getType(); type && !isa<Float16Type, BFloat16Type, Float32Type>(*type))
    return violates(*this, 1) << "type is " << *type << ", expected f16, bf16 or f32";
  auto yield = cast<YieldOp>(getBody().front().getTerminator());
  if (TypeRange(yield.getValues()) != TypeRange(getResults()))
    return violates(*this, 2) << "yields other types than its results have";
  return success();
}

// Training

LogicalResult GradientSeedOp::verify() {
  Type element = elementOf(getResult());
  if (!shapeOf(getResult()).empty() || !(element.isF32() || element.isF64()))
    return violates(*this, 1) << "result has type " << getResult().getType() << ", expected tensor<f32> or tensor<f64>";
  return success();
}

static LogicalResult verifyNames(Operation *op, unsigned constraint, size_t gradients, ArrayAttr names) {
  if (names.size() != gradients)
    return violates(op, constraint) << "has " << gradients << " gradients and " << names.size()
                                    << " names, expected one for each";
  return success();
}

LogicalResult UnscaleOp::verify() { return verifyNames(*this, 2, getGradients().size(), getNames()); }
LogicalResult CheckFiniteOp::verify() { return verifyNames(*this, 1, getGradients().size(), getNames()); }

LogicalResult UpdateLossScaleOp::verify() {
  double growth = getGrowthFactor().convertToFloat(), backoff = getBackoffFactor().convertToFloat();
  if (!(growth >= 1))
    return violates(*this, 1) << "growth_factor is " << growth << ", expected at least 1";
  if (!(backoff > 0 && backoff <= 1))
    return violates(*this, 1) << "backoff_factor is " << backoff << ", expected greater than 0 and at most 1";
  if (static_cast<int32_t>(getGrowthInterval()) < 1)
    return violates(*this, 1) << "growth_interval is " << static_cast<int32_t>(getGrowthInterval())
                              << ", expected at least 1";
  if (static_cast<int32_t>(getHysteresis()) < 1)
    return violates(*this, 1) << "hysteresis is " << static_cast<int32_t>(getHysteresis()) << ", expected at least 1";
  double floor = getFloor().convertToFloat(), ceiling = getCeiling().convertToFloat();
  if (!(floor >= 0 && floor <= ceiling))
    return violates(*this, 2) << "floor and ceiling are " << floor << " and " << ceiling
                              << ", expected 0 <= floor <= ceiling";
  return success();
}

LogicalResult AdvanceOp::verify() {
  ArrayRef<int64_t> shape = shapeOf(getInput());
  if (shape.size() > 1 || (shape.size() == 1 && shape[0] == 0))
    return violates(*this, 1) << "operand is " << getInput().getType() << ", expected rank 0, or rank 1 and an element";
  return success();
}
