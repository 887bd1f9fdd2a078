// Convolutions of each channel by itself: lanes are neighbouring channels of one pixel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Forms/Forms.h"
#include "Codegen/Forms/WindowBuilder.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mp;

/// Which operand of an op is which.
static constexpr unsigned kImage = 0, kTaps = 1, kGradient = 1;

/// `soFar` and the product of `value` with the taps that have this number, unless the pixel is none of the image.
static Value addProduct(WindowBuilder &p, Value value, Value tap, const Pixel &pixel, Value soFar) {
  Value weights = p.in.load(kTaps, tap, 0, p.channels, p.channel);
  Value sum = math::FmaOp::create(p.b, value, weights, soFar);
  return pixel.isInside ? selectLanes(p.b, splat(p.b, pixel.isInside, p.in.width), sum, soFar) : sum;
}

namespace {

struct DepthwiseForms : ScalarForms {
  template <typename Op> static int64_t run(Op op) { return op.getType().getShape().back(); }

  Value noSum(Value taps) { return floatConstant(b, withLanes(elementOf(taps), in.width), 0); }

  static PixelRanges innerPixels(DepthwiseConvOp op) { return mp::innerResults(op.getWindows()); }
  FormResult form(DepthwiseConvOp op) {
    const auto windows = op.getWindows();
    WindowBuilder p(b, in, windows, run(op));
    const Pixel own = p.here(&Window::output);
    const int64_t last = ShapedType::getNumElements(p.countTaps()) - 1;
    Value sum = p.whereWithin(own, [&](WindowBuilder &p) {
      auto step = [&](WindowBuilder &p, ArrayRef<Value> taps, ValueRange soFar) -> SmallVector<Value> {
        const Pixel pixel = p.readBy(own, taps);
        Value tap = p.numberOf(taps);
        if (op.getReversed())
          tap = p.index.sub(p.index.i64(last), tap);
        return {addProduct(p, p.load(kImage, pixel, &Window::input), tap, pixel, soFar[0])};
      };
      return p.forGrid(p.countTaps(), noSum(op.getTaps()), step).front();
    });
    if (op.getBias())
      sum = arith::AddFOp::create(b, sum, operand(2));
    return rounded(op, sum);
  }

  static PixelRanges innerPixels(DepthwiseConvTransposeOp op) { return mp::innerPixels(op.getWindows()); }
  FormResult form(DepthwiseConvTransposeOp op) {
    const auto windows = op.getWindows();
    WindowBuilder p(b, in, windows, run(op));
    auto step = [](WindowBuilder &p, const Pixel &result, ArrayRef<Value> taps, Value soFar) {
      // Where there is no such tap the number is one of some other, for the load to be of memory that is there.
      SmallVector<Value, 3> near;
      for (auto [window, tap] : llvm::zip_equal(p.windows, taps))
        near.push_back(p.index.clamp(tap, window.filter));
      return addProduct(p, p.load(kImage, result, &Window::output), p.numberOf(near), result, soFar);
    };
    return rounded(op, p.forWindows(noSum(op.getTaps()), step));
  }

  /// The taps of whole dimensions of the window, the last ones.
  static int64_t countJoined(DepthwiseConvRowSumsOp op, int64_t most) {
    int64_t joined = 1;
    for (const Window &window : llvm::reverse(op.getWindows())) {
      if (joined * window.filter > most)
        break;
      joined *= window.filter;
    }
    return joined;
  }
  FormResult form(DepthwiseConvRowSumsOp op) {
    const auto windows = op.getWindows();
    WindowBuilder p(b, in, windows, run(op));
    const auto [row, taps] = p.hereUnderTaps();
    // The columns by which every tap reads a pixel, and those of the others, in order.
    Value all = p.index.i64(op.getWindows().back().output), first = p.index.i64(0), limit = all;
    for (ArrayRef<Value> tap : taps) {
      auto [own, behind] = p.columnsReadBy(row, tap);
      first = b.createOrFold<arith::MaxSIOp>(first, own);
      limit = b.createOrFold<arith::MinSIOp>(limit, behind);
    }
    auto add = [&](Value column, bool isKnownInside, ValueRange soFar) {
      Pixel own = row;
      own.at.push_back(column);
      Value gradient = p.load(kGradient, own, &Window::output);
      return llvm::map_to_vector(llvm::zip_equal(taps, soFar), [&](auto of) -> Value {
        auto [tap, before] = of;
        const Pixel pixel = p.readBy(own, tap, isKnownInside);
        Value sum = math::FmaOp::create(b, p.load(kImage, pixel, &Window::input), gradient, before);
        return pixel.isInside ? selectLanes(b, splat(b, pixel.isInside, in.width), sum, before) : sum;
      });
    };
    SmallVector<Value> sums(taps.size(), floatConstant(b, withLanes(elementOf(op.getResult()), in.width), 0));
    if (taps.size() == 1)
      return p.forRange(first, limit, 1, sums,
                        [&](Value column, ValueRange soFar) { return add(column, /*isKnownInside=*/true, soFar); });
    // Several at once share the pixels that they read.
    constexpr int64_t kColumns = 4;
    Value whole = p.index.div(b.createOrFold<arith::MaxSIOp>(p.index.sub(limit, first), p.index.i64(0)), kColumns);
    limit = p.index.add(first, p.index.mul(whole, kColumns));
    auto addOne = [&](Value column, ValueRange soFar) { return add(column, /*isKnownInside=*/false, soFar); };
    sums = p.forRange(p.index.i64(0), first, 1, sums, addOne);
    sums = p.forRange(first, limit, kColumns, sums, [&](Value column, ValueRange soFar) {
      SmallVector<Value> next(soFar);
      for (int64_t i = 0; i < kColumns; ++i)
        next = add(p.index.add(column, p.index.i64(i)), /*isKnownInside=*/true, next);
      return next;
    });
    return p.forRange(limit, all, 1, sums, addOne);
  }
};

} // namespace

void mp::attachDepthwiseForms(MLIRContext *context) { attachForms<DepthwiseForms>(context); }
