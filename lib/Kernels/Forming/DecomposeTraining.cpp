// Loss scaling, clipping and LAMB out of reductions and maps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/Forming/DecomposeTraining.h"

#include "Kernels/Forming/PrimitiveBuilder.h"

using namespace mlir;
using namespace mp;

namespace {

/// A pattern that makes partial results, of `partialBlock` elements each.
template <typename Op> struct PartialPattern : OpRewritePattern<Op> {
  using Base = PartialPattern;

  PartialPattern(MLIRContext *context, int64_t partialBlock)
      : OpRewritePattern<Op>(context), partialBlock(partialBlock) {}

protected:
  PrimitiveBuilder builder(Op op, PatternRewriter &rewriter) const { return {rewriter, op.getLoc(), partialBlock}; }

private:
  const int64_t partialBlock;
};

struct DecomposeUnscale : PartialPattern<UnscaleOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(UnscaleOp op, PatternRewriter &rewriter) const override {
    PrimitiveBuilder build = builder(op, rewriter);
    Value inverse = build.binary<DivOp>(build.scalar(1, rewriter.getF32Type()), op.getScale());
    SmallVector<Value> results =
        llvm::map_to_vector(op.getGradients(), [&](Value gradient) { return build.binary<MulOp>(gradient, inverse); });
    // What is not finite before the multiplication is not finite after it: inf * x is inf or NaN.
    results.push_back(build.firstBad(results));
    rewriter.replaceOp(op, results);
    return success();
  }
};

struct DecomposeCheckFinite : PartialPattern<CheckFiniteOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(CheckFiniteOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, builder(op, rewriter).firstBad(op.getGradients()));
    return success();
  }
};

struct DecomposeGlobalNorm : PartialPattern<GlobalNormOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(GlobalNormOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, builder(op, rewriter).globalNorm(op.getGradients()));
    return success();
  }
};

/// What gradients of that norm are multiplied by.
static Value clippingFactor(PrimitiveBuilder &build, const APFloat &maxNorm, Value norm) {
  Type f32 = elementOf(norm);
  Value one = build.scalar(1, f32);
  Value ratio = build.binary<DivOp>(build.scalar(maxNorm.convertToDouble(), f32),
                                    build.binary<AddOp>(norm, build.scalar(1e-6, f32)));
  // min(ratio, 1) that keeps a NaN.
  return build.select(build.isGreater(ratio, one), one, ratio);
}

struct DecomposeClip : PartialPattern<ClipByGlobalNormOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(ClipByGlobalNormOp op, PatternRewriter &rewriter) const override {
    PrimitiveBuilder build = builder(op, rewriter);
    Value norm = build.globalNorm(op.getGradients());
    Value factor = clippingFactor(build, op.getMaxNorm(), norm);
    SmallVector<Value> results =
        llvm::map_to_vector(op.getGradients(), [&](Value gradient) { return build.binary<MulOp>(gradient, factor); });
    results.push_back(norm);
    rewriter.replaceOp(op, results);
    return success();
  }
};

struct DecomposeClipByNorm : PartialPattern<ClipByNormOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(ClipByNormOp op, PatternRewriter &rewriter) const override {
    PrimitiveBuilder build = builder(op, rewriter);
    rewriter.replaceOp(op, llvm::map_to_vector(op.getGradients(), [&](Value gradient) {
                         Value norm = build.globalNorm(gradient);
                         return build.binary<MulOp>(gradient, clippingFactor(build, op.getMaxNorm(), norm));
                       }));
    return success();
  }
};

struct DecomposeClipByValue : OpRewritePattern<ClipByValueOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(ClipByValueOp op, PatternRewriter &rewriter) const override {
    PrimitiveBuilder build(rewriter, op.getLoc());
    const double limit = op.getLimit().convertToDouble();
    Value least = build.scalar(-limit, rewriter.getF32Type()), most = build.scalar(limit, rewriter.getF32Type());
    rewriter.replaceOp(op, llvm::map_to_vector(op.getGradients(), [&](Value gradient) {
                         return build.binary<MinOp>(build.binary<MaxOp>(gradient, least), most);
                       }));
    return success();
  }
};

/// A step of Adam from 0 has the direction of LAMB, the other way; one of gradient descent along it is LAMB's.
struct DecomposeLAMB : PartialPattern<LAMBOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(LAMBOp op, PatternRewriter &rewriter) const override {
    PrimitiveBuilder build = builder(op, rewriter);
    Type f32 = rewriter.getF32Type();
    FloatAttr none = rewriter.getF64FloatAttr(0);
    Value one = build.scalar(1, f32), zero = build.scalar(0, f32);
    auto type = cast<RankedTensorType>(op.getParameter().getType());
    Value origin =
        ConstantOp::create(rewriter, op.getLoc(), type, DenseElementsAttr::get(type, rewriter.getF32FloatAttr(0)));
    auto adam = AdamOp::create(rewriter, op.getLoc(), origin, op.getGradient(), op.getM(), op.getV(), one, op.getStep(),
                               op.getGuard(), op.getBeta1Attr(), op.getBeta2Attr(), op.getEpsilonAttr(), none);
    Value decay = build.scalar(op.getWeightDecay().convertToDouble(), f32);
    Value direction = build.binary<SubOp>(build.binary<MulOp>(op.getParameter(), decay), adam.getNewParameter());
    Value norm = build.globalNorm(op.getParameter()), ofDirection = build.globalNorm(direction);
    Value ratio = build.select(build.isGreater(ofDirection, zero), build.binary<DivOp>(norm, ofDirection), one);
    ratio = build.select(build.isGreater(norm, zero), ratio, one);
    auto step = SGDOp::create(rewriter, op.getLoc(), op.getParameter(), direction,
                              build.binary<MulOp>(op.getLearningRate(), ratio), /*velocity=*/Value(), op.getGuard(),
                              rewriter.getF32FloatAttr(0), /*nesterov=*/UnitAttr(), rewriter.getF32FloatAttr(0));
    rewriter.replaceOp(op, {step.getNewParameter(), adam.getNewM(), adam.getNewV()});
    return success();
  }
};

struct DecomposeScaleLoss : OpRewritePattern<ScaleLossOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(ScaleLossOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<MulOp>(op, op.getType(), op.getGradient(), op.getScale());
    return success();
  }
};

struct DecomposeGradientSeed : OpRewritePattern<GradientSeedOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(GradientSeedOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, PrimitiveBuilder(rewriter, op.getLoc()).scalar(1, typeOf(op.getResult()).getElementType()));
    return success();
  }
};

} // namespace

void mp::populateTrainingPatterns(RewritePatternSet &patterns, int64_t partialBlock) {
  patterns.add<DecomposeUnscale, DecomposeCheckFinite, DecomposeGlobalNorm, DecomposeClip, DecomposeClipByNorm,
               DecomposeLAMB>(patterns.getContext(), partialBlock);
  patterns.add<DecomposeClipByValue, DecomposeScaleLoss, DecomposeGradientSeed>(patterns.getContext());
}
