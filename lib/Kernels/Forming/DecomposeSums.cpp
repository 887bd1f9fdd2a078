// Sums of long columns in two steps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A column kernel has a block for some columns, which sums all their rows in order: statistics of a batch norm and
// gradients of a bias are sums of as many rows as images have pixels, of few columns, and would be the work of one
// block. The first step sums the rows of each image, or of each row of pixels, in blocks of their own; the second sums
// what is left. Which rows are summed together follows from the shape alone, and so do the bits.

#include "Kernels/Forming/DecomposeSums.h"

#include "mp/IR/MP.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace mp;

namespace {

/// Elements that are worth a second kernel, and columns of which there are blocks enough.
constexpr int64_t kLeastElements = 1 << 18, kMostColumns = 512;
/// Sums of the first step that are enough for all threads, or blocks.
constexpr int64_t kEnough = 16;

struct DecomposeLongSum : OpRewritePattern<ReduceSumOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(ReduceSumOp op, PatternRewriter &rewriter) const override {
    RankedTensorType input = typeOf(op.getInput());
    const int64_t rank = input.getRank();
    if (rank < 3)
      return rewriter.notifyMatchFailure(op, "has rows of one kind");
    const bool sumsColumns = op.getDimensions() == ArrayRef(llvm::to_vector(llvm::seq<int64_t>(0, rank - 1)));
    if (!sumsColumns || op.getKeepDims() || input.getNumElements() < kLeastElements ||
        input.getShape().back() > kMostColumns)
      return rewriter.notifyMatchFailure(op, "is no sum of few long columns");
    int64_t leading = 1, count = input.getDimSize(0);
    while (count < kEnough && leading < rank - 2)
      count *= input.getDimSize(leading++);
    if (count == 1)
      return rewriter.notifyMatchFailure(op, "has one image of one row");

    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type element = input.getElementType(), wide = element.isF64() ? element : b.getF32Type();
    Value sums =
        ReduceSumOp::create(b, castTo(b, op.getInput(), wide), llvm::to_vector(llvm::seq<int64_t>(leading, rank - 1)));
    Value sum = ReduceSumOp::create(b, sums, llvm::to_vector(llvm::seq<int64_t>(0, leading)));
    rewriter.replaceOp(op, castTo(b, sum, element));
    return success();
  }
};

} // namespace

void mp::populateSumPatterns(RewritePatternSet &patterns) { patterns.add<DecomposeLongSum>(patterns.getContext()); }
