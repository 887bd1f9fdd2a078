// Replace composite ops by what kernels hold.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Kernels/Passes.h"

#include "Kernels/Forming/DecomposeBatchNorm.h"
#include "Kernels/Forming/EmptyTensors.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "mp/Analysis/OpStatistics.h"
#include "mp/IR/Program.h"

namespace mp {
#define GEN_PASS_DEF_DECOMPOSEPASS
#include "mp/Kernels/Passes.h.inc"
} // namespace mp

using namespace mlir;
using namespace mp;

/// Elements of one partial result: enough work for a block of a launch, few enough results for one block to read.
static constexpr int64_t kPartialBlock = 32768;

namespace {

/// The ops of one decomposition, all at one location.
class PrimitiveBuilder {
public:
  PrimitiveBuilder(PatternRewriter &rewriter, Location loc) : rewriter(rewriter), loc(loc) {}

  Value scalar(double value, Type element) {
    auto type = RankedTensorType::get({}, element);
    auto attribute = DenseElementsAttr::get(type, rewriter.getFloatAttr(element, value));
    return ConstantOp::create(rewriter, loc, type, attribute);
  }
  template <typename Op> Value binary(Value lhs, Value rhs) { return Op::create(rewriter, loc, lhs, rhs); }
  /// `rows` where a row's label is not the one that a loss ignores, else 0.
  template <typename LossOp> Value whereCounted(LossOp op, Value rows) {
    auto type = RankedTensorType::get({}, elementOf(op.getLabels()));
    const auto ignored = static_cast<int64_t>(*op.getIgnoreLabel());
    Value label = ConstantOp::create(
        rewriter, loc, type, DenseElementsAttr::get(type, rewriter.getIntegerAttr(type.getElementType(), ignored)));
    Value counts = CompareOp::create(rewriter, loc, ComparePredicate::ne, op.getLabels(), label);
    return SelectOp::create(rewriter, loc, counts, rows, scalar(0, elementOf(rows)));
  }
  /// The weights of a loss, or ones, without the rows that it ignores.
  template <typename LossOp> Value weightsOfCounted(LossOp op) {
    if (Value weights = op.getWeights())
      return whereCounted(op, weights);
    Type wide = elementOf(op.getLogits()).isF64() ? elementOf(op.getLogits()) : rewriter.getF32Type();
    auto type = RankedTensorType::get(shapeOf(op.getLabels()), wide);
    return whereCounted(
        op, ConstantOp::create(rewriter, loc, type, DenseElementsAttr::get(type, rewriter.getFloatAttr(wide, 1))));
  }
  /// Over all dimensions, to rank 0.
  template <typename ReduceOp> Value reduce(Value input) {
    SmallVector<int64_t> all = llvm::to_vector(llvm::seq<int64_t>(0, typeOf(input).getRank()));
    return all.empty() ? input : Value(ReduceOp::create(rewriter, loc, input, all));
  }
  Value nonfiniteBlocks(Value input) { return NonfiniteBlocksOp::create(rewriter, loc, input, kPartialBlock); }
  /// sqrt of the sum of all squares, the partial sums in index order.
  Value globalNorm(ValueRange gradients) {
    Value sum;
    for (Value gradient : gradients) {
      Value own = reduce<ReduceSumOp>(SumSquaresBlocksOp::create(rewriter, loc, gradient, kPartialBlock));
      sum = sum ? binary<AddOp>(sum, own) : own;
    }
    if (!sum)
      return scalar(0, rewriter.getF32Type());
    return SqrtOp::create(rewriter, loc, sum);
  }
  /// The number of the first value that holds an element which is not finite, or -1.
  Value firstBad(ValueRange values) {
    auto type = RankedTensorType::get({}, rewriter.getI32Type());
    if (values.empty())
      return ConstantOp::create(rewriter, loc, type, DenseElementsAttr::get(type, rewriter.getI32IntegerAttr(-1)));
    SmallVector<Value> flags = llvm::map_to_vector(values, [&](Value value) { return nonfiniteBlocks(value); });
    return FirstBadOp::create(rewriter, loc, flags);
  }

private:
  PatternRewriter &rewriter;
  Location loc;
};

struct DecomposeCrossEntropy : OpRewritePattern<SoftmaxCrossEntropyOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(SoftmaxCrossEntropyOp op, PatternRewriter &rewriter) const override {
    PrimitiveBuilder build(rewriter, op.getLoc());
    Value rows = SoftmaxCrossEntropyRowsOp::create(rewriter, op.getLoc(), op.getLogits(), op.getLabels(),
                                                   op.getLabelSmoothingAttr());
    Value weights = op.getWeights();
    if (op.getIgnoreLabel()) {
      weights = build.weightsOfCounted(op);
      rows = build.whereCounted(op, rows); // a label that is no class made it NaN
    }
    if (weights) {
      Value sum = build.reduce<ReduceSumOp>(build.binary<MulOp>(rows, weights));
      rewriter.replaceOp(op, build.binary<DivOp>(sum, build.reduce<ReduceSumOp>(weights)));
      return success();
    }
    rewriter.replaceOp(op, build.reduce<ReduceMeanOp>(rows));
    return success();
  }
};

struct DecomposeElementLoss : OpInterfaceRewritePattern<ElementLossOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(ElementLossOpInterface op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, mp::detail::buildElementLoss(b, op));
    return success();
  }
};

/// Without weights the op is a row op as it is; with them a row needs the sum of all weights, which is no row's
/// business.
struct DecomposeWeightedCrossEntropyGrad : OpRewritePattern<SoftmaxCrossEntropyGradOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(SoftmaxCrossEntropyGradOp op, PatternRewriter &rewriter) const override {
    if (!op.getWeights() && !op.getIgnoreLabel())
      return rewriter.notifyMatchFailure(op, "no weights");
    PrimitiveBuilder build(rewriter, op.getLoc());
    Value weights = op.getIgnoreLabel() ? build.weightsOfCounted(op) : op.getWeights();
    Value scaled = build.binary<MulOp>(weights, op.getGradient());
    Value factor = build.binary<DivOp>(scaled, build.reduce<ReduceSumOp>(weights));
    rewriter.replaceOpWithNewOp<SoftmaxCrossEntropyGradRowsOp>(op, op.getLogits(), op.getLabels(), factor,
                                                               op.getLabelSmoothingAttr());
    return success();
  }
};

struct DecomposeUnscale : OpRewritePattern<UnscaleOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(UnscaleOp op, PatternRewriter &rewriter) const override {
    PrimitiveBuilder build(rewriter, op.getLoc());
    Value inverse = build.binary<DivOp>(build.scalar(1, rewriter.getF32Type()), op.getScale());
    SmallVector<Value> results =
        llvm::map_to_vector(op.getGradients(), [&](Value gradient) { return build.binary<MulOp>(gradient, inverse); });
    // What is not finite before the multiplication is not finite after it: inf * x is inf or NaN.
    results.push_back(build.firstBad(results));
    rewriter.replaceOp(op, results);
    return success();
  }
};

struct DecomposeCheckFinite : OpRewritePattern<CheckFiniteOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(CheckFiniteOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, PrimitiveBuilder(rewriter, op.getLoc()).firstBad(op.getGradients()));
    return success();
  }
};

struct DecomposeGlobalNorm : OpRewritePattern<GlobalNormOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(GlobalNormOp op, PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, PrimitiveBuilder(rewriter, op.getLoc()).globalNorm(op.getGradients()));
    return success();
  }
};

struct DecomposeClip : OpRewritePattern<ClipByGlobalNormOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(ClipByGlobalNormOp op, PatternRewriter &rewriter) const override {
    PrimitiveBuilder build(rewriter, op.getLoc());
    Type f32 = rewriter.getF32Type();
    Value norm = build.globalNorm(op.getGradients());
    Value one = build.scalar(1, f32);
    Value ratio = build.binary<DivOp>(build.scalar(op.getMaxNorm().convertToDouble(), f32),
                                      build.binary<AddOp>(norm, build.scalar(1e-6, f32)));
    // min(ratio, 1) that keeps a NaN.
    Value exceeds = CompareOp::create(rewriter, op.getLoc(), ComparePredicate::gt, ratio, one);
    Value factor = SelectOp::create(rewriter, op.getLoc(), exceeds, one, ratio);
    SmallVector<Value> results =
        llvm::map_to_vector(op.getGradients(), [&](Value gradient) { return build.binary<MulOp>(gradient, factor); });
    results.push_back(norm);
    rewriter.replaceOp(op, results);
    return success();
  }
};

/// A mask is drawn once, many elements at a time, and read by the dropout and by its gradient.
struct DecomposeDropout : OpRewritePattern<DropoutOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(DropoutOp op, PatternRewriter &rewriter) const override {
    if (op.getShared().empty()) {
      rewriter.replaceOp(op, drop(op, op.getInput(), rewriter));
      return success();
    }
    // What is 1 falls out or not; every element that shares it does what it does.
    PrimitiveBuilder build(rewriter, op.getLoc());
    RankedTensorType type = op.getType();
    Type wide = type.getElementType().isF64() ? type.getElementType() : rewriter.getF32Type();
    SmallVector<int64_t> shape(type.getShape());
    for (int64_t dimension : op.getShared())
      shape[dimension] = 1;
    auto drawn = RankedTensorType::get(shape, wide);
    Value ones =
        ConstantOp::create(rewriter, op.getLoc(), drawn, DenseElementsAttr::get(drawn, rewriter.getFloatAttr(wide, 1)));
    Value isKept =
        CompareOp::create(rewriter, op.getLoc(), ComparePredicate::gt, drop(op, ones, rewriter), build.scalar(0, wide));
    const auto factor = static_cast<float>(1 / (1 - op.getRate().convertToDouble()));
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value kept = castTo(b, build.binary<MulOp>(castTo(b, op.getInput(), wide), build.scalar(factor, wide)),
                        type.getElementType());
    rewriter.replaceOpWithNewOp<SelectOp>(op, isKept, kept, build.scalar(0, type.getElementType()));
    return success();
  }

private:
  static Value drop(DropoutOp op, Value input, PatternRewriter &rewriter) {
    const int64_t words = MaskedDropoutOp::countWords(typeOf(input).getNumElements());
    auto type = RankedTensorType::get({words}, rewriter.getI64Type());
    Value mask = DropoutMaskOp::create(rewriter, op.getLoc(), type, op.getRng(), op.getRateAttr(), op.getStreamAttr());
    return MaskedDropoutOp::create(rewriter, op.getLoc(), input.getType(), input, mask, op.getRateAttr());
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

/// Only the shape of `like` was read, and that stands in the result's type.
template <typename Op> struct DropLike : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!op.getLike())
      return rewriter.notifyMatchFailure(op, "no like");
    rewriter.modifyOpInPlace(op, [&] { op.getLikeMutable().clear(); });
    return success();
  }
};

struct DecomposePass : mp::impl::DecomposePassBase<DecomposePass> {
  using Base::Base;

  void runOnOperation() override {
    if (failed(verifyInput()))
      return signalPassFailure();
    recordStatistics();
    RewritePatternSet patterns(&getContext());
    patterns.add<DecomposeCrossEntropy, DecomposeElementLoss, DecomposeWeightedCrossEntropyGrad, DecomposeUnscale,
                 DecomposeCheckFinite, DecomposeGlobalNorm, DecomposeClip, DecomposeDropout, DecomposeScaleLoss,
                 DecomposeGradientSeed, DropLike<IotaOp>, DropLike<BroadcastOp>>(&getContext());
    populateBatchNormPatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    // Behind the others, which make such ops, too.
    RewritePatternSet ofNothing(&getContext());
    populateEmptyTensorPatterns(ofNothing);
    walkAndApplyPatterns(getOperation(), std::move(ofNothing));
  }

private:
  /// The last look at the program's own ops.
  void recordStatistics() {
    func::FuncOp func = getOperation();
    if (getProgramKind(func) && !func->hasAttr(names::statistics))
      func->setAttr(names::statistics, countOps(func));
  }

  LogicalResult verifyInput() {
    WalkResult result = getOperation().getBody().walk([](Operation *op) {
      if (op->getNumRegions() > 0) {
        op->emitError("a program of kernels has no region op; run mp-autocast first");
        return WalkResult::interrupt();
      }
      for (Type type : op->getResultTypes())
        if (auto tensor = dyn_cast<RankedTensorType>(type); tensor && !tensor.hasStaticShape()) {
          op->emitError("has a value of type ") << type << ", expected a static shape; run mp-specialize first";
          return WalkResult::interrupt();
        }
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }
};

} // namespace
