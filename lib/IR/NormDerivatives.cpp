// The derivatives of norms.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IR/DerivativeParts.h"
#include "IR/RowTypes.h"

using namespace mlir;
using namespace mp;
using namespace mp::derivatives;

// Of rows

// The statistics are computed again, by the kernel that the gradient of the input needs; it stores them for the sums.
LogicalResult LayerNormOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  auto statistics = LayerNormStatisticsOp::create(b, getInput(), getEpsilonAttr());
  Value mean = statistics.getMean(), invStdDev = statistics.getInvStdDev();
  operands[0] = LayerNormGradOp::create(b, getInput(), getScale(), mean, invStdDev, results[0]);
  Type wide = typeOf(mean).getElementType();
  Value normalized = mul(b, sub(b, castTo(b, getInput(), wide), mean), invStdDev);
  Value gradient = castTo(b, results[0], wide);
  operands[1] = sumTo(b, mul(b, gradient, normalized), typeOf(getScale()));
  operands[2] = sumTo(b, gradient, typeOf(getOffset()));
  return success();
}

// inv (d - n mean(d n)) with d = g scale, n = x inv.
LogicalResult RMSNormOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  Type wide = typeOf(getScale()).getElementType();
  Value x = castTo(b, getInput(), wide), gradient = castTo(b, results[0], wide);
  const SmallVector<int64_t> last{typeOf(x).getRank() - 1};
  auto mean = [&](Value value) -> Value { return ReduceMeanOp::create(b, value, last, /*keep_dims=*/true); };
  Value square = add(b, mean(mul(b, x, x)), scalar(b, x, getEpsilon().convertToDouble()));
  Value inverse = div(b, scalar(b, x, 1.0), SqrtOp::create(b, square));
  Value unit = mul(b, x, inverse), scaled = mul(b, gradient, getScale());
  Value along = mul(b, unit, mean(mul(b, scaled, unit)));
  operands[0] = castTo(b, mul(b, sub(b, scaled, along), inverse), typeOf(getInput()).getElementType());
  operands[1] = sumTo(b, mul(b, gradient, unit), typeOf(getScale()));
  return success();
}

// (g - y sum(g y)) / length, or g / epsilon where that is more.
LogicalResult L2NormalizeOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  Type wide = getWideElement(getInput());
  Value x = castTo(b, getInput(), wide), gradient = castTo(b, results[0], wide);
  const SmallVector<int64_t> last{typeOf(x).getRank() - 1};
  auto sum = [&](Value value) -> Value { return ReduceSumOp::create(b, value, last, /*keep_dims=*/true); };
  Value length = SqrtOp::create(b, sum(mul(b, x, x))), epsilon = scalar(b, x, getEpsilon().convertToDouble());
  Value divisor = MaxOp::create(b, length, epsilon), unit = div(b, x, divisor);
  Value along = mul(b, unit, sum(mul(b, gradient, unit)));
  Value isLong = compare(b, ComparePredicate::ge, length, epsilon);
  Value across = sub(b, gradient, select(b, isLong, along, scalar(b, x, 0)));
  operands[0] = castTo(b, div(b, across, divisor), typeOf(getInput()).getElementType());
  return success();
}

// Of groups of channels

LogicalResult GroupNormOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  auto gradient = GroupNormGradOp::create(b, getInput(), getScale(), results[0], getGroupsAttr(), getEpsilonAttr());
  llvm::copy(gradient.getResults(), operands.begin());
  return success();
}

// Of channels

/// One weight for each row of `images`, so that it broadcasts over pixels and channels.
static Value spreadRows(LocBuilder &b, Value weights, Value images) {
  SmallVector<int64_t> shape(typeOf(images).getRank(), 1);
  shape.front() = typeOf(images).getDimSize(0);
  return reshapeTo(b, weights, shape);
}

// Of the first result mp.batch_norm_grad. Where gradients reach the statistics themselves: d mean / d x is w / count,
// d variance / d x is w * 2 (x - mean) / count; the mean moves the variance by nothing.
LogicalResult BatchNormOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  Type wide = typeOf(getScale()).getElementType();
  Value zero = scalar(b, getMean(), 0.0), ofMean = results[1] ? results[1] : zero;
  Value ofVariance = results[2] ? results[2] : zero;
  Value ofResult = results[0];
  if (!ofResult)
    ofResult = mul(b, getInput(), scalar(b, getInput(), 0.0));
  auto gradient = BatchNormGradOp::create(b, getInput(), getScale(), getMean(), getVariance(), ofResult, getWeights(),
                                          getEpsilonAttr());
  operands[0] = gradient.getInputGradient();
  operands[1] = gradient.getScaleGradient();
  operands[2] = gradient.getOffsetGradient();
  Value distance = sub(b, castTo(b, getInput(), wide), getMean());
  if (results[1] || results[2]) {
    Value share = add(b, ofMean, mul(b, mul(b, distance, scalar(b, distance, 2.0)), ofVariance));
    if (getWeights())
      share = mul(b, share, spreadRows(b, getWeights(), getInput()));
    Value direct = castTo(b, div(b, share, getCount()), typeOf(getInput()).getElementType());
    operands[0] = add(b, operands[0], direct);
  }
  if (!getWeights())
    return success();
  // A weight moves the mean by (x - mean) / count and the variance by ((x - mean)^2 - variance) / count; through these,
  // the first result.
  Value epsilon = scalar(b, getVariance(), getEpsilon().convertToDouble());
  Value inverse = div(b, scalar(b, getVariance(), 1.0), SqrtOp::create(b, add(b, getVariance(), epsilon)));
  Value factor = mul(b, getScale(), inverse);
  Value allOfMean = sub(b, ofMean, mul(b, factor, operands[2]));
  Value half = scalar(b, factor, 0.5);
  Value allOfVariance = sub(b, ofVariance, mul(b, mul(b, mul(b, factor, inverse), operands[1]), half));
  Value excess = sub(b, mul(b, distance, distance), getVariance());
  Value moved = add(b, mul(b, distance, allOfMean), mul(b, excess, allOfVariance));
  auto others = llvm::to_vector(llvm::seq<int64_t>(1, typeOf(getInput()).getRank()));
  operands[3] = div(b, ReduceSumOp::create(b, moved, others), getCount());
  if (!results[3])
    return success();
  double pixels = 1;
  for (int64_t size : typeOf(getInput()).getShape().drop_front().drop_back())
    pixels *= static_cast<double>(size);
  operands[3] = add(b, operands[3], mul(b, results[3], scalar(b, results[3], pixels)));
  return success();
}

// Through the statistics, too, which may be parameters here: with h = (x - mean) * inv, d result / d mean is
// -scale * inv, d result / d variance -scale * h * inv^2 / 2.
LogicalResult BatchNormInferenceOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  Type wide = typeOf(getMean()).getElementType();
  RankedTensorType channels = typeOf(getMean());
  Value gradient = castTo(b, results[0], wide);
  Value epsilon = scalar(b, getVariance(), getEpsilon().convertToDouble());
  Value inverse = div(b, scalar(b, getVariance(), 1.0), SqrtOp::create(b, add(b, getVariance(), epsilon)));
  Value normalized = mul(b, sub(b, castTo(b, getInput(), wide), getMean()), inverse);
  Value factor = mul(b, getScale(), inverse);
  operands[0] = castTo(b, mul(b, gradient, factor), typeOf(getInput()).getElementType());
  operands[1] = sumTo(b, mul(b, gradient, normalized), channels);
  operands[2] = sumTo(b, gradient, channels);
  operands[3] = negate(b, mul(b, operands[2], factor));
  Value half = scalar(b, getVariance(), -0.5);
  operands[4] = mul(b, mul(b, operands[1], getScale()), mul(b, mul(b, inverse, inverse), half));
  return success();
}

LogicalResult UpdateRunningOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  const double momentum = getMomentum().convertToDouble();
  Value ofNew = mul(b, results[0], scalar(b, results[0], momentum)), one = scalar(b, getCount(), 1.0);
  operands[0] = mul(b, results[0], scalar(b, results[0], 1 - momentum));
  operands[1] = ofNew;
  operands[2] = scalar(b, getCount(), 0.0);
  if (!getUnbiased())
    return success();
  // d count / (count - 1) is -1 / (count - 1)^2.
  Value isCorrected = compare(b, ComparePredicate::gt, getCount(), one), less = sub(b, getCount(), one);
  operands[1] = mul(b, ofNew, select(b, isCorrected, div(b, getCount(), less), one));
  Value slope = div(b, scalar(b, less, -1.0), mul(b, less, less));
  Value ofCount = mul(b, sumTo(b, mul(b, ofNew, getBatch()), typeOf(getCount())), slope);
  operands[2] = select(b, isCorrected, ofCount, operands[2]);
  return success();
}
