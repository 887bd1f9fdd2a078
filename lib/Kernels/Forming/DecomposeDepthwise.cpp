// Depthwise convolutions out of maps and sums.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/Forming/DecomposeDepthwise.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mp/IR/MP.h"
#include "mp/IR/WindowSpan.h"

using namespace mlir;
using namespace mp;

using Sizes = SmallVector<int64_t>;

/// Whether each group has one channel and one filter, and there are several. Sums in f16 are left to products, which
/// round them as stated.
static bool isDepthwise(const Convolution &of, Type acc) {
  return of.groups > 1 && of.channels == of.groups && of.filters == of.groups && !acc.isF16();
}

static Sizes windowOf(const Convolution &of) {
  return llvm::map_to_vector(of.windows, [](const Window &window) { return window.filter; });
}

/// Filters [C, window..., 1] as [taps, C] in the type of sums: neighbours are those of the images that they multiply.
static Value tapsOf(ImplicitLocOpBuilder &b, Value filter, Type acc) {
  const int64_t channels = shapeOf(filter).front(), taps = typeOf(filter).getNumElements() / channels;
  Value matrix = ReshapeOp::create(b, typeOf(filter).clone({channels, taps}), filter);
  return castTo(b, TransposeOp::create(b, matrix, ArrayRef<int64_t>{1, 0}), acc);
}

namespace {

struct DecomposeForward : OpRewritePattern<ConvOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(ConvOp op, PatternRewriter &rewriter) const override {
    const Convolution of = op.getConvolution();
    if (!isDepthwise(of, op.getAcc()))
      return rewriter.notifyMatchFailure(op, "not of single channels");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOpWithNewOp<DepthwiseConvOp>(
        op, op.getType(), op.getImage(), tapsOf(b, op.getFilter(), op.getAcc()), op.getBias(), windowOf(of),
        op.getStrides(), op.getPadding(), op.getDilations(), /*reversed=*/false);
    return success();
  }
};

struct DecomposeDataGradient : OpRewritePattern<ConvTransposeOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(ConvTransposeOp op, PatternRewriter &rewriter) const override {
    const Convolution of = op.getConvolution();
    if (!isDepthwise(of, op.getAcc()))
      return rewriter.notifyMatchFailure(op, "not of single channels");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value taps = tapsOf(b, op.getFilter(), op.getAcc());
    if (std::optional<Sizes> padding = paddingAsForward(of)) {
      rewriter.replaceOpWithNewOp<DepthwiseConvOp>(op, op.getType(), op.getInput(), taps, /*bias=*/Value(),
                                                   windowOf(of), op.getStrides(), *padding, op.getDilations(),
                                                   /*reversed=*/true);
      return success();
    }
    rewriter.replaceOpWithNewOp<DepthwiseConvTransposeOp>(op, op.getType(), op.getInput(), taps, windowOf(of),
                                                          op.getStrides(), op.getPadding(), op.getDilations());
    return success();
  }

private:
  /// Without strides the gradient is the convolution by the taps from the last to the first, with this padding; none
  /// where there are strides or the image's own padding is longer than a window.
  static std::optional<Sizes> paddingAsForward(const Convolution &of) {
    Sizes padding;
    for (const Window &window : of.windows) {
      const int64_t last = spanOf(window) - 1;
      const int64_t low = last - window.low, high = window.input - window.output - low + last;
      if (window.stride != 1 || low < 0 || high < 0)
        return std::nullopt;
      llvm::append_range(padding, ArrayRef<int64_t>{low, high});
    }
    return padding;
  }
};

/// Sums over the pixels of each row, for each tap, of the rows of each image, and then over images: many of the first.
struct DecomposeFilterGradient : OpRewritePattern<ConvFilterGradOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(ConvFilterGradOp op, PatternRewriter &rewriter) const override {
    const Convolution of = op.getConvolution();
    if (!isDepthwise(of, op.getAcc()))
      return rewriter.notifyMatchFailure(op, "not of single channels");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    const int64_t taps = ShapedType::getNumElements(windowOf(of));
    int64_t rows = 1;
    for (const Window &window : ArrayRef(of.windows).drop_back())
      rows *= window.output;
    auto type = RankedTensorType::get({of.images, taps, rows, of.channels}, op.getAcc());
    Value ofRows = DepthwiseConvRowSumsOp::create(b, type, op.getImage(), op.getGradient(), windowOf(of),
                                                  op.getStrides(), op.getPadding(), op.getDilations());
    Value ofImages = ReduceSumOp::create(b, ofRows, ArrayRef<int64_t>{2});
    Value sums = ReduceSumOp::create(b, ofImages, ArrayRef<int64_t>{0});
    Value filters = TransposeOp::create(b, castTo(b, sums, op.getType().getElementType()), ArrayRef<int64_t>{1, 0});
    rewriter.replaceOpWithNewOp<ReshapeOp>(op, op.getType(), filters);
    return success();
  }
};

} // namespace

void mp::populateDepthwisePatterns(RewritePatternSet &patterns) {
  patterns.add<DecomposeForward, DecomposeDataGradient, DecomposeFilterGradient>(patterns.getContext());
}
