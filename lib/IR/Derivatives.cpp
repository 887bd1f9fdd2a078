// The derivatives of ops, in op order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Those of norms are in NormDerivatives.cpp, of what is chosen by where it is in IndexingDerivatives.cpp, of losses
// that are means in Losses.cpp, of max, min and functions of one element in UnaryDerivatives.cpp, of attention in
// Attention.cpp. Each rule turns the gradients of an op's results into those of its operands, in mp
// ops of the same types as forward. A rule may build more than is used; mp-autodiff drops what no gradient needs.
// Shapes are static here.

#include "mp/IR/MP.h"

#include "IR/DerivativeParts.h"
#include "IR/RowTypes.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mp;
using namespace mp::derivatives;

// Contractions

/// Swaps the last two dimensions.
static Value transposeLast(LocBuilder &b, Value value) {
  RankedTensorType type = typeOf(value);
  auto permutation = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  std::swap(permutation.back(), *std::next(permutation.rbegin()));
  return TransposeOp::create(b, value, permutation);
}

/// Rows of all batches in one matrix: [N, i, k] to [N * i, k].
static Value flattenRows(LocBuilder &b, Value value) {
  RankedTensorType type = typeOf(value);
  int64_t rows = 1;
  for (int64_t size : type.getShape().drop_back())
    rows *= size;
  return reshapeTo(b, value, {rows, type.getShape().back()});
}

/// The gradient of a bias that was added to each row of a result. One wider than the result is summed in its own type,
/// so that nothing is rounded twice.
static Value biasGradient(LocBuilder &b, Value gradient, Value bias) {
  Type element = typeOf(bias).getElementType();
  bool widens = element.getIntOrFloatBitWidth() > typeOf(gradient).getElementTypeBitWidth();
  Value wide = widens ? castTo(b, gradient, element) : gradient;
  return castTo(b, sumTo(b, wide, typeOf(bias)), element);
}

// With C = A B: dA = dC B^T, dB = A^T dC; a matrix stored transposed gets its gradient transposed,
// by swapping factors.
LogicalResult MatmulOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  Value lhs = getLhs(), rhs = getRhs();
  bool transposeLhs = getTransposeLhs(), transposeRhs = getTransposeRhs();
  Value gradient = castTo(b, results[0], typeOf(lhs).getElementType());
  auto product = [&](Type type, Value left, bool transposeLeft, Value right, bool transposeRight) -> Value {
    return MatmulOp::create(b, type, left, right, Value(), transposeLeft, transposeRight, getAcc());
  };

  // One matrix for every batch: its gradient is one product over the rows of all batches, summed in
  // the accumulator.
  bool shared = typeOf(lhs).getRank() > 2 && typeOf(rhs).getRank() == 2;
  if (shared) {
    Value rows = transposeLhs ? transposeLast(b, lhs) : lhs;
    Value rowGradient = product(rows.getType(), gradient, false, rhs, !transposeRhs);
    operands[0] = transposeLhs ? transposeLast(b, rowGradient) : rowGradient;
    lhs = flattenRows(b, rows);
    gradient = flattenRows(b, gradient);
    transposeLhs = false;
  } else {
    operands[0] = transposeLhs ? product(lhs.getType(), rhs, transposeRhs, gradient, true)
                               : product(lhs.getType(), gradient, false, rhs, !transposeRhs);
  }
  operands[1] = transposeRhs ? product(rhs.getType(), gradient, true, lhs, transposeLhs)
                             : product(rhs.getType(), lhs, !transposeLhs, gradient, false);

  if (Value bias = getBias())
    operands[2] = biasGradient(b, results[0], bias);
  return success();
}

// With y = conv(x, w), <y, g> is linear in each of x, w and g: its gradient in x is conv_transpose(g, w), in w
// conv_filter_grad(x, g).
LogicalResult ConvOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  Value image = getImage(), filter = getFilter();
  Value gradient = castTo(b, results[0], typeOf(image).getElementType());
  operands[0] = ConvTransposeOp::create(b, image.getType(), gradient, filter, getAcc(), getStrides(), getPadding(),
                                        getDilations(), getGroups());
  operands[1] = ConvFilterGradOp::create(b, filter.getType(), image, gradient, getAcc(), getStrides(), getPadding(),
                                         getDilations(), getGroups());
  if (Value bias = getBias())
    operands[2] = biasGradient(b, results[0], bias);
  return success();
}

// The same number, of which this is the gradient in x: that in g is conv(x, w).
LogicalResult ConvTransposeOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  Value input = getInput(), filter = getFilter();
  Value gradient = castTo(b, results[0], typeOf(input).getElementType());
  operands[0] = ConvOp::create(b, input.getType(), gradient, filter, Value(), getAcc(), getStrides(), getPadding(),
                               getDilations(), getGroups());
  operands[1] = ConvFilterGradOp::create(b, filter.getType(), gradient, input, getAcc(), getStrides(), getPadding(),
                                         getDilations(), getGroups());
  return success();
}

// Pooling

LogicalResult MaxPoolOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  operands[0] =
      MaxPoolGradOp::create(b, getImage(), results[0], getWindow(), getStrides(), getPadding(), getDilations());
  return success();
}
LogicalResult AvgPoolOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  operands[0] = AvgPoolGradOp::create(b, getImage().getType(), results[0], getWindow(), getStrides(), getPadding(),
                                      getCountPadding());
  return success();
}

// Movement

LogicalResult ReshapeOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  operands[0] = reshapeTo(b, results[0], typeOf(getInput()).getShape());
  return success();
}

LogicalResult TransposeOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  operands[0] = TransposeOp::create(b, results[0], invertPermutationVector(getPermutation()));
  return success();
}

// Nothing flows into `like`: only its shape is read.
LogicalResult BroadcastOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  operands[0] = sumTo(b, results[0], typeOf(getInput()));
  return success();
}

// Elementwise

LogicalResult AddOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  operands[0] = sumTo(b, results[0], typeOf(getLhs()));
  operands[1] = sumTo(b, results[0], typeOf(getRhs()));
  return success();
}

LogicalResult SubOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  operands[0] = sumTo(b, results[0], typeOf(getLhs()));
  operands[1] = negate(b, sumTo(b, results[0], typeOf(getRhs())));
  return success();
}

LogicalResult MulOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  operands[0] = sumTo(b, mul(b, results[0], getRhs()), typeOf(getLhs()));
  operands[1] = sumTo(b, mul(b, results[0], getLhs()), typeOf(getRhs()));
  return success();
}

// d(x/y)/dy = -(x/y)/y.
LogicalResult DivOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  operands[0] = sumTo(b, div(b, results[0], getRhs()), typeOf(getLhs()));
  Value slope = div(b, getResult(), getRhs());
  operands[1] = negate(b, sumTo(b, mul(b, results[0], slope), typeOf(getRhs())));
  return success();
}

// Between its jumps it is lhs less a whole number of times rhs.
LogicalResult RemainderOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  Type element = typeOf(getResult()).getElementType(), wide = getWideElement(getResult());
  auto widened = [&](Value value) { return castTo(b, value, wide); };
  Value times = RoundOp::create(b, div(b, sub(b, widened(getLhs()), widened(getResult())), widened(getRhs())));
  Value ofRhs = negate(b, mul(b, widened(results[0]), times));
  operands[0] = sumTo(b, results[0], typeOf(getLhs()));
  operands[1] = castTo(b, sumTo(b, ofRhs, typeOf(getRhs())), element);
  return success();
}

LogicalResult ExpOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  operands[0] = mul(b, results[0], getResult());
  return success();
}

LogicalResult LogOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  operands[0] = div(b, results[0], getInput());
  return success();
}

LogicalResult SqrtOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  operands[0] = div(b, results[0], mul(b, getResult(), scalar(b, getResult(), 2.0)));
  return success();
}

LogicalResult TanhOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  operands[0] = TanhGradOp::create(b, getResult(), results[0]);
  return success();
}

LogicalResult GeluOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  operands[0] = GeluGradOp::create(b, getInput(), results[0], getApproximate());
  return success();
}

LogicalResult ReluOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  operands[0] = ReluGradOp::create(b, getResult(), results[0]);
  return success();
}

LogicalResult SelectOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  Value zero = scalar(b, results[0], 0.0);
  operands[1] = sumTo(b, select(b, getCondition(), results[0], zero), typeOf(getTrueValue()));
  operands[2] = sumTo(b, select(b, getCondition(), zero, results[0]), typeOf(getFalseValue()));
  return success();
}

// A cast that autocast inserted has a gradient that autocast inserted.
LogicalResult CastOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  if (isFloat(getInput()))
    operands[0] = CastOp::create(b, getInput().getType(), results[0], getAutocast());
  return success();
}

// The whole gradient of what is taken goes to what it is taken for.
LogicalResult StraightThroughOp::differentiate(OpBuilder &, ArrayRef<Value> results, Gradients &operands) {
  operands[1] = results[0];
  return success();
}

LogicalResult ReverseGradientOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  Type element = elementOf(results[0]);
  Value wide = castTo(b, results[0], getWideElement(results[0]));
  operands[0] = castTo(b, mul(b, wide, scalar(b, wide, -getScale().convertToDouble())), element);
  return success();
}

// The mask is a function of rng and stream, so that nothing is stored for it.
LogicalResult DropoutOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  operands[0] = DropoutOp::create(b, results[0], getRng(), getRateAttr(), getStreamAttr(), getSharedAttr());
  return success();
}

// Reductions

LogicalResult ReduceSumOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  operands[0] = spread(b, results[0], typeOf(getInput()), getDimensions());
  return success();
}

// Divided in f32: the number of elements may be beyond f16.
LogicalResult ReduceMeanOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  RankedTensorType input = typeOf(getInput());
  double count = 1;
  for (int64_t dimension : getDimensions())
    count *= static_cast<double>(input.getDimSize(dimension));
  Value wide = castTo(b, results[0], getWideElement(results[0]));
  Value share = castTo(b, div(b, wide, scalar(b, wide, count)), input.getElementType());
  operands[0] = spread(b, share, input, getDimensions());
  return success();
}

/// Elements equal to an extreme share its gradient; where it is NaN all get NaN. Counted in f32.
template <typename Op> static Value shareOfExtreme(LocBuilder &b, Op op, Value gradient) {
  RankedTensorType input = typeOf(op.getInput());
  Type wide = getWideElement(op.getInput());
  auto all = [&](Value value) { return spread(b, value, input, op.getDimensions()); };
  Value isExtreme = compare(b, ComparePredicate::eq, op.getInput(), all(op.getResult()));
  Value count = ReduceSumOp::create(b, castTo(b, isExtreme, wide), op.getDimensions(), op.getKeepDims());
  Value share = castTo(b, div(b, castTo(b, gradient, wide), count), input.getElementType());
  return mul(b, all(share), castTo(b, isExtreme, input.getElementType()));
}

LogicalResult ReduceMaxOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  operands[0] = shareOfExtreme(b, *this, results[0]);
  return success();
}
LogicalResult ReduceMinOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  operands[0] = shareOfExtreme(b, *this, results[0]);
  return success();
}

// The product of all others: y / x without zeros, of one zero the product of the rest, and else 0.
LogicalResult ReduceProdOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  RankedTensorType input = typeOf(getInput());
  Value x = castTo(b, getInput(), getWideElement(getInput())), g = castTo(b, results[0], typeOf(x).getElementType());
  Value zero = scalar(b, x, 0), one = scalar(b, x, 1), isZero = compare(b, ComparePredicate::eq, x, zero);
  auto all = [&](Value value) { return spread(b, value, input, getDimensions()); };
  Value zeros = castTo(b, isZero, typeOf(x).getElementType());
  Value count = ReduceSumOp::create(b, zeros, getDimensions(), getKeepDims());
  Value others = select(b, isZero, one, x);
  Value rest = mul(b, g, ReduceProdOp::create(b, others, getDimensions(), getKeepDims()));
  auto whereCountIs = [&](Value number) {
    return all(select(b, compare(b, ComparePredicate::eq, count, number), rest, zero));
  };
  Value gradient = select(b, isZero, whereCountIs(one), div(b, whereCountIs(zero), others));
  operands[0] = castTo(b, gradient, input.getElementType());
  return success();
}

LogicalResult CumsumOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  operands[0] = CumsumOp::create(b, results[0], getDimension(), getExclusive(), !getReverse());
  return success();
}

LogicalResult SoftmaxOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  operands[0] = SoftmaxGradOp::create(b, getResult(), results[0]);
  return success();
}

// g - e^y sum(g).
LogicalResult LogSoftmaxOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  Type wide = getWideElement(getInput());
  Value y = castTo(b, getResult(), wide), g = castTo(b, results[0], wide);
  const SmallVector<int64_t> last{typeOf(y).getRank() - 1};
  Value sum = ReduceSumOp::create(b, g, last, /*keep_dims=*/true);
  operands[0] = castTo(b, sub(b, g, mul(b, ExpOp::create(b, y), sum)), typeOf(getInput()).getElementType());
  return success();
}

/// (loss[r] - mean loss) / sum of weights, times the gradient: what a row's weight does to a
/// weighted mean.
static Value weightGradient(LocBuilder &b, SoftmaxCrossEntropyOp op, Value gradient) {
  Value logits = castTo(b, op.getLogits(), op.getType().getElementType());
  RankedTensorType type = typeOf(logits);
  SmallVector<int64_t> last{type.getRank() - 1};
  auto allRows = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank() - 1));
  SmallVector<int64_t> column = keptShape(type, last);
  auto sum = [&](Value value) -> Value { return ReduceSumOp::create(b, value, last); };

  Value maximum = ReduceMaxOp::create(b, logits, last);
  Value shifted = sub(b, logits, reshapeTo(b, maximum, column));
  Value logSum = LogOp::create(b, sum(ExpOp::create(b, shifted)));
  Value classes = IotaOp::create(b, type.clone(b.getI64Type()), Value(), last.front());
  Value labels = reshapeTo(b, castTo(b, op.getLabels(), b.getI64Type()), column);
  Value isLabel = compare(b, ComparePredicate::eq, classes, labels);
  Value zero = scalar(b, shifted, 0.0), ofLabel = sum(select(b, isLabel, shifted, zero));
  if (const double smoothing = op.getLabelSmoothing().convertToDouble(); smoothing != 0) {
    Value ofAll = mul(b, ReduceMeanOp::create(b, shifted, last), scalar(b, shifted, smoothing));
    ofLabel = add(b, mul(b, ofLabel, scalar(b, shifted, 1 - smoothing)), ofAll);
  }

  Value excess = sub(b, sub(b, logSum, ofLabel), op.getResult()), weights = op.getWeights();
  if (std::optional<uint64_t> ignored = op.getIgnoreLabel()) {
    auto type = RankedTensorType::get({}, b.getI64Type());
    Value label =
        ConstantOp::create(b, type, DenseElementsAttr::get(type, b.getI64IntegerAttr(static_cast<int64_t>(*ignored))));
    Value counts = compare(b, ComparePredicate::ne, castTo(b, op.getLabels(), b.getI64Type()), label);
    excess = select(b, counts, excess, zero);
    weights = select(b, counts, weights, zero);
  }
  Value total = ReduceSumOp::create(b, weights, allRows);
  return mul(b, div(b, excess, total), gradient);
}

LogicalResult SoftmaxCrossEntropyOp::differentiate(OpBuilder &builder, ArrayRef<Value> results, Gradients &operands) {
  LocBuilder b(getLoc(), builder);
  operands[0] = SoftmaxCrossEntropyGradOp::create(b, getLogits(), getLabels(), results[0], getWeights(),
                                                  getLabelSmoothingAttr(), getIgnoreLabelAttr());
  if (getWeights())
    operands[2] = weightGradient(b, *this, results[0]);
  return success();
}
