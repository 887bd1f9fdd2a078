// Replace composite ops by what kernels hold.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Kernels/Passes.h"

#include "Kernels/Forming/DecomposeAttention.h"
#include "Kernels/Forming/DecomposeBatchNorm.h"
#include "Kernels/Forming/DecomposeDepthwise.h"
#include "Kernels/Forming/DecomposeGroupNorm.h"
#include "Kernels/Forming/DecomposePooling.h"
#include "Kernels/Forming/DecomposeResize.h"
#include "Kernels/Forming/DecomposeScan.h"
#include "Kernels/Forming/DecomposeSums.h"
#include "Kernels/Forming/DecomposeTraining.h"
#include "Kernels/Forming/EmptyTensors.h"
#include "Kernels/Forming/Machines.h"
#include "Kernels/Forming/PrimitiveBuilder.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "mp/Analysis/OpStatistics.h"
#include "mp/IR/Folds.h"
#include "mp/IR/Program.h"

namespace mp {
#define GEN_PASS_DEF_DECOMPOSEPASS
#include "mp/Kernels/Passes.h.inc"
} // namespace mp

using namespace mlir;
using namespace mp;

namespace {

struct DecomposeCrossEntropy : OpRewritePattern<SoftmaxCrossEntropyOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(SoftmaxCrossEntropyOp op, PatternRewriter &rewriter) const override {
    if (isa<FloatType>(elementOf(op.getLabels())))
      return rewriter.notifyMatchFailure(op, "is an expansion");
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

struct DecomposeExpansion : OpInterfaceRewritePattern<ExpansionOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(ExpansionOpInterface op, PatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    SmallVector<Value> values = op.expand(b);
    if (values.empty())
      return rewriter.notifyMatchFailure(op, "stands for itself");
    rewriter.replaceOp(op, values);
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

/// The smallest of floats is the largest of the others of their sign, of integers of what has all bits turned.
struct DecomposeArgmin : OpRewritePattern<ArgminOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(ArgminOp op, PatternRewriter &rewriter) const override {
    Value input = op.getInput(), turned;
    if (Type element = elementOf(input); isa<FloatType>(element)) {
      turned = NegOp::create(rewriter, op.getLoc(), input);
    } else {
      auto type = RankedTensorType::get({}, element);
      Value ones = ConstantOp::create(rewriter, op.getLoc(), type,
                                      DenseElementsAttr::get(type, rewriter.getIntegerAttr(element, -1)));
      turned = SubOp::create(rewriter, op.getLoc(), ones, input);
    }
    rewriter.replaceOpWithNewOp<ArgmaxOp>(op, op.getType(), turned, op.getDimensionAttr());
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
    const Machine machine(getOperation(), features);
    if (!machine.level && !machine.chip)
      return signalPassFailure();
    recordStatistics();
    // Of the text of a model as it was written.
    dropGradientRules(getOperation());
    // In front of the others, of whose ops it makes some.
    RewritePatternSet ofAttention(&getContext());
    populateAttentionPatterns(ofAttention, machine.level != nullptr);
    walkAndApplyPatterns(getOperation(), std::move(ofAttention));
    RewritePatternSet patterns(&getContext());
    patterns.add<DecomposeArgmin, DecomposeCrossEntropy, DecomposeExpansion, DecomposeElementLoss,
                 DecomposeWeightedCrossEntropyGrad, DecomposeDropout, DropLike<IotaOp>, DropLike<BroadcastOp>,
                 DropLike<RandomUniformOp>>(&getContext());
    populateTrainingPatterns(patterns, machine.partialBlock());
    populateBatchNormPatterns(patterns);
    populateGroupNormPatterns(patterns);
    populateScanPatterns(patterns);
    populateDepthwisePatterns(patterns);
    populatePoolingPatterns(patterns);
    populateResizePatterns(patterns);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    // Behind the others, which make such ops, too.
    RewritePatternSet ofShapes(&getContext());
    populateEmptyTensorPatterns(ofShapes);
    populateSumPatterns(ofShapes);
    walkAndApplyPatterns(getOperation(), std::move(ofShapes));
    // Of slices taken off in turn none waits for another, and what is left has no copy of its own.
    foldSlices(getOperation());
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
