// Poolings that keep who won.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A gradient that finds the winners of windows again reads the whole image that was pooled. Where no pixel has two
// windows, a number of a byte for each window says the same:
//
//   %p = mp.max_pool %y                     %p, %i = mp.max_pool_with_indices %y
//   %a = mp.max_pool_grad %y, %g      ->    %b = mp.relu_grad %p, %g
//   %b = mp.relu_grad %y, %a                %c = mp.max_unpool %i, %b
//
// A winner has the bits of its window's result, so that relu_grad decides alike; what it gives of the 0 of all others
// is 0. Bits stay as they are, and behind the pooling nothing reads %y.

#include "Kernels/Forming/DecomposePooling.h"

#include "mp/IR/MP.h"

using namespace mlir;
using namespace mp;

/// Whether each window follows the one before, has pixels of the image alone, side by side, and not too many.
template <typename Op> static bool isApart(Op op) {
  auto is = [](ArrayRef<int64_t> numbers, int64_t what) {
    return llvm::all_of(numbers, [=](int64_t number) { return number == what; });
  };
  return op.getStrides() == op.getWindow() && is(op.getPadding(), 0) && is(op.getDilations(), 1) &&
         op.getWindowSize() <= MaxPoolWithIndicesOp::kMostPixels;
}

/// Whether a gradient of `pooling` comes behind it.
static bool hasGradient(MaxPoolOp pooling) {
  return llvm::any_of(pooling.getImage().getUsers(), [&](Operation *user) {
    auto gradient = dyn_cast<MaxPoolGradOp>(user);
    return gradient && isApart(gradient) && gradient.getWindow() == pooling.getWindow() &&
           pooling->isBeforeInBlock(gradient);
  });
}

/// What says who won the windows of `image`; null where nothing does.
static MaxPoolWithIndicesOp findWinners(Value image, ArrayRef<int64_t> window) {
  for (Operation *user : image.getUsers())
    if (auto pooling = dyn_cast<MaxPoolWithIndicesOp>(user); pooling && pooling.getWindow() == window)
      return pooling;
  return {};
}

namespace {

struct KeepWinners : OpRewritePattern<MaxPoolOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(MaxPoolOp op, PatternRewriter &rewriter) const override {
    if (!isApart(op) || !hasGradient(op))
      return rewriter.notifyMatchFailure(op, "has no gradient behind it, or windows that share pixels or have padding");
    auto pooling = MaxPoolWithIndicesOp::create(rewriter, op.getLoc(), op.getImage(), op.getWindow());
    rewriter.replaceOp(op, pooling.getValues());
    return success();
  }
};

struct ReadWinners : OpRewritePattern<MaxPoolGradOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(MaxPoolGradOp op, PatternRewriter &rewriter) const override {
    MaxPoolWithIndicesOp pooling = findWinners(op.getImage(), op.getWindow());
    if (!pooling || !isApart(op))
      return rewriter.notifyMatchFailure(op, "nothing says who won its windows");
    rewriter.replaceOpWithNewOp<MaxUnpoolOp>(op, op.getType(), pooling.getIndices(), op.getGradient(), op.getWindow());
    return success();
  }
};

/// relu_grad(y, max_unpool(i, g)) -> max_unpool(i, relu_grad(p, g))
struct GradBeforeUnpooling : OpRewritePattern<ReluGradOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(ReluGradOp op, PatternRewriter &rewriter) const override {
    auto unpool = op.getGradient().getDefiningOp<MaxUnpoolOp>();
    auto pooling = unpool ? unpool.getIndices().getDefiningOp<MaxPoolWithIndicesOp>() : MaxPoolWithIndicesOp();
    if (!pooling || !unpool->hasOneUse() || pooling.getImage() != op.getOutput() ||
        pooling.getWindow() != unpool.getWindow())
      return rewriter.notifyMatchFailure(op, "is not of what was pooled");
    Value gradient = ReluGradOp::create(rewriter, op.getLoc(), pooling.getValues(), unpool.getValues());
    rewriter.replaceOpWithNewOp<MaxUnpoolOp>(op, op.getType(), unpool.getIndices(), gradient, unpool.getWindow());
    return success();
  }
};

} // namespace

void mp::populatePoolingPatterns(RewritePatternSet &patterns) {
  patterns.add<KeepWinners, ReadWinners, GradBeforeUnpooling>(patterns.getContext());
}
