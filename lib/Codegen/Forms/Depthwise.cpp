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
  Value weights = p.in.load(kTaps, tap, p.channels, p.channel);
  Value sum = math::FmaOp::create(p.b, value, weights, soFar);
  return pixel.isInside ? selectLanes(p.b, splat(p.b, pixel.isInside, p.in.width), sum, soFar) : sum;
}

namespace {

struct DepthwiseForms : ScalarForms {
  template <typename Op> static int64_t run(Op op) { return op.getType().getShape().back(); }

  Value noSum(Value taps) { return floatConstant(b, withLanes(elementOf(taps), in.width), 0); }

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

  FormResult form(DepthwiseConvRowSumsOp op) {
    const auto windows = op.getWindows();
    WindowBuilder p(b, in, windows, run(op));
    const auto [row, taps] = p.hereUnderTaps();
    const auto [first, limit] = p.columnsReadBy(row, taps);
    // Several sums, since each waits for its last product.
    constexpr int64_t kSums = 4;
    auto add = [&](Value column, Value soFar) -> Value {
      Pixel own = row;
      own.at.push_back(column);
      const Pixel pixel = p.readBy(own, taps, /*isKnownInside=*/true);
      return math::FmaOp::create(b, p.load(kImage, pixel, &Window::input), p.load(kGradient, own, &Window::output),
                                 soFar);
    };
    Value zero = floatConstant(b, withLanes(elementOf(op.getResult()), in.width), 0);
    Value rest = p.index.rem(p.index.sub(limit, first), kSums), turns = p.index.sub(limit, rest);
    auto sums = p.forRange(first, turns, kSums, SmallVector<Value>(kSums, zero), [&](Value column, ValueRange soFar) {
      return llvm::map_to_vector(llvm::enumerate(soFar), [&](auto sum) {
        return add(p.index.add(column, p.index.i64(static_cast<int64_t>(sum.index()))), sum.value());
      });
    });
    sums[0] = p.forRange(turns, limit, 1, sums[0], [&](Value column, ValueRange soFar) {
                 return SmallVector<Value>{add(column, soFar[0])};
               }).front();
    return exact(arith::AddFOp::create(b, arith::AddFOp::create(b, sums[0], sums[1]),
                                       arith::AddFOp::create(b, sums[2], sums[3])));
  }
};

} // namespace

void mp::attachDepthwiseForms(MLIRContext *context) { attachForms<DepthwiseForms>(context); }
