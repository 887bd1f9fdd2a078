// Batch normalization out of reductions and maps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/Forming/DecomposeBatchNorm.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mp/Analysis/ProductRows.h"
#include "mp/IR/MP.h"

using namespace mlir;
using namespace mp;

namespace {

/// The ops of one decomposition, in the type of the statistics.
class ChannelBuilder {
public:
  ChannelBuilder(PatternRewriter &rewriter, Operation *op, Value statistic)
      : b(op->getLoc(), rewriter), wide(typeOf(statistic).getElementType()) {}

  Value constant(double value) {
    auto type = RankedTensorType::get({}, wide);
    return ConstantOp::create(b, type, DenseElementsAttr::get(type, b.getFloatAttr(wide, value)));
  }
  Value constant(const APFloat &value) { return constant(value.convertToDouble()); }
  Value add(Value lhs, Value rhs) { return AddOp::create(b, lhs, rhs); }
  Value sub(Value lhs, Value rhs) { return SubOp::create(b, lhs, rhs); }
  Value mul(Value lhs, Value rhs) { return MulOp::create(b, lhs, rhs); }
  Value div(Value lhs, Value rhs) { return DivOp::create(b, lhs, rhs); }
  Value square(Value value) { return mul(value, value); }
  Value isGreater(Value lhs, Value rhs) { return CompareOp::create(b, ComparePredicate::gt, lhs, rhs); }
  Value select(Value condition, Value yes, Value no) { return SelectOp::create(b, condition, yes, no); }
  Value widen(Value value) { return castTo(b, value, wide); }
  Value narrowAs(Value value, Value like) { return castTo(b, value, typeOf(like).getElementType()); }

  /// Over all dimensions but the channels.
  Value sum(Value images) {
    return ReduceSumOp::create(b, images, llvm::to_vector(llvm::seq<int64_t>(0, typeOf(images).getRank() - 1)));
  }
  /// 1 / sqrt(variance + epsilon).
  Value invert(Value variance, const APFloat &epsilon) {
    return div(constant(1.0), SqrtOp::create(b, add(variance, constant(epsilon))));
  }
  /// One weight for each row of `images`, so that it broadcasts over pixels and channels.
  Value spread(Value weights, Value images) {
    SmallVector<int64_t> shape(typeOf(images).getRank(), 1);
    shape.front() = typeOf(weights).getDimSize(0);
    return ReshapeOp::create(b, typeOf(weights).clone(shape), weights);
  }
  /// How many values of a channel there are: of each row, as often as `weights` say, which may be null.
  Value count(Value images, Value weights) {
    double values = 1;
    for (int64_t size : typeOf(images).getShape().drop_back().drop_front(weights ? 1 : 0))
      values *= static_cast<double>(size);
    return weights ? mul(ReduceSumOp::create(b, weights, ArrayRef<int64_t>{0}), constant(values)) : constant(values);
  }
  /// `(x - mean) * (inv * scale) + offset`, in the type of `images`.
  Value normalize(Value images, Value mean, Value variance, const APFloat &epsilon, Value scale, Value offset) {
    Value factor = mul(invert(variance, epsilon), scale);
    return narrowAs(add(mul(sub(widen(images), mean), factor), offset), images);
  }

private:
  ImplicitLocOpBuilder b;
  Type wide;
};

/// Whether a product makes `images` whose kernel has rows of them in blocks: of one matrix, whose k is never cut.
bool isMadeInBlocks(Value images) {
  auto op = images.getDefiningOp<ContractionOpInterface>();
  if (!op)
    return false;
  const Contraction product = op.getContraction();
  const bool isEmpty = product.m == 0 || product.n == 0 || product.k == 0;
  return areRowsOfOneMatrix(product) && !product.takesParts && !isEmpty;
}

/// The mean comes of the sums of blocks of rows, the variance of the squares about it, which are those about the mean
/// of each block and what that is apart. How many rows are a block the product's schedule says (mp-reduce-in-tiles);
/// all of them here.
struct MomentsOfProduct : OpRewritePattern<BatchNormOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(BatchNormOp op, PatternRewriter &rewriter) const override {
    Value images = op.getInput();
    if (op.getWeights() || op.getResult().use_empty() || elementOf(images).isF64() || !isMadeInBlocks(images))
      return rewriter.notifyMatchFailure(op, "no product knows its rows");
    ChannelBuilder build(rewriter, op, op.getScale());
    const int64_t rows = typeOf(images).getNumElements() / shapeOf(images).back();
    auto moments = RowBlockMomentsOp::create(rewriter, op.getLoc(), images, rows);
    Value count = build.count(images, Value());
    Value mean = build.div(build.sum(moments.getSums()), count);
    Value squares =
        RecenterSquaresOp::create(rewriter, op.getLoc(), moments.getSquares().getType(), moments.getShifts(),
                                  moments.getDifferences(), moments.getSquares(), mean, rows, rows);
    Value variance = build.div(build.sum(squares), count);
    Value result = build.normalize(images, mean, variance, op.getEpsilon(), op.getScale(), op.getOffset());
    rewriter.replaceOp(op, {result, mean, variance, count});
    return success();
  }
};

struct DecomposeBatchNorm : OpRewritePattern<BatchNormOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(BatchNormOp op, PatternRewriter &rewriter) const override {
    ChannelBuilder build(rewriter, op, op.getScale());
    Value images = op.getInput(), weights = op.getWeights(), count = build.count(images, weights);
    auto mean = [&](Value values) {
      return build.div(build.sum(weights ? build.mul(values, build.spread(weights, images)) : values), count);
    };
    Value center = mean(build.widen(images));
    Value variance = mean(build.square(build.sub(build.widen(images), center)));
    Value result = build.normalize(images, center, variance, op.getEpsilon(), op.getScale(), op.getOffset());
    rewriter.replaceOp(op, {result, center, variance, count});
    return success();
  }
};

struct DecomposeBatchNormGrad : OpRewritePattern<BatchNormGradOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(BatchNormGradOp op, PatternRewriter &rewriter) const override {
    ChannelBuilder build(rewriter, op, op.getScale());
    Value images = op.getInput(), weights = op.getWeights(), count = build.count(images, weights);
    Value gradient = build.widen(op.getGradient());
    Value inverse = build.invert(op.getVariance(), op.getEpsilon());
    // Made anew for the sums and for the map, so that each kernel computes it and none stores it.
    auto normalized = [&] { return build.mul(build.sub(build.widen(images), op.getMean()), inverse); };
    Value ofOffset = build.sum(gradient), ofScale = build.sum(build.mul(gradient, normalized()));
    Value shared = build.add(build.div(ofOffset, count), build.mul(normalized(), build.div(ofScale, count)));
    if (weights)
      shared = build.mul(shared, build.spread(weights, images));
    Value ofInput = build.mul(build.sub(gradient, shared), build.mul(op.getScale(), inverse));
    rewriter.replaceOp(op, {build.narrowAs(ofInput, images), ofScale, ofOffset});
    return success();
  }
};

struct DecomposeBatchNormInference : OpRewritePattern<BatchNormInferenceOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(BatchNormInferenceOp op, PatternRewriter &rewriter) const override {
    ChannelBuilder build(rewriter, op, op.getScale());
    rewriter.replaceOp(op, build.normalize(op.getInput(), op.getMean(), op.getVariance(), op.getEpsilon(),
                                           op.getScale(), op.getOffset()));
    return success();
  }
};

struct DecomposeUpdateRunning : OpRewritePattern<UpdateRunningOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(UpdateRunningOp op, PatternRewriter &rewriter) const override {
    ChannelBuilder build(rewriter, op, op.getOld());
    Value batch = op.getBatch(), count = op.getCount(), one = build.constant(1.0);
    if (op.getUnbiased()) {
      Value correction = build.div(count, build.sub(count, one));
      batch = build.mul(batch, build.select(build.isGreater(count, one), correction, one));
    }
    const double momentum = op.getMomentum().convertToDouble();
    Value kept = build.mul(build.constant(1 - momentum), op.getOld());
    rewriter.replaceOp(op, build.add(kept, build.mul(build.constant(momentum), batch)));
    return success();
  }
};

} // namespace

void mp::populateBatchNormPatterns(RewritePatternSet &patterns) {
  patterns.add<MomentsOfProduct>(patterns.getContext(), /*benefit=*/2);
  patterns.add<DecomposeBatchNorm, DecomposeBatchNormGrad, DecomposeBatchNormInference, DecomposeUpdateRunning>(
      patterns.getContext());
}
