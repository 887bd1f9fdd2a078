// Pooling, channel by channel: lanes are neighbouring channels of one pixel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Forms/Forms.h"
#include "Codegen/Forms/WindowBuilder.h"

#include "mp/IR/WindowSpan.h"

#include <limits>

using namespace mlir;
using namespace mp;

/// Number of a tap in row-major order, i32 where that tells all apart.
static Value tapNumber(WindowBuilder &p, ArrayRef<Value> taps) {
  const bool isWide = ShapedType::getNumElements(p.countTaps()) > std::numeric_limits<int32_t>::max();
  Value number = p.numberOf(taps);
  return isWide ? number : p.b.createOrFold<arith::TruncIOp>(p.b.getI32Type(), number);
}

/// The value that wins window `of`, and the number of its tap, in every lane.
static std::pair<Value, Value> buildWinner(WindowBuilder &p, const Pixel &of) {
  // The first tap that the image has, which whatever follows has to exceed.
  SmallVector<Value, 3> first;
  for (auto [i, at] : llvm::enumerate(of.at))
    first.push_back(p.firstTap(i, at));
  Value best = p.load(0, p.readBy(of, first), &Window::input);
  Value winner = splat(p.b, tapNumber(p, first), p.in.width);
  auto step = [](WindowBuilder &p, ArrayRef<Value> taps, const Pixel &pixel, ValueRange soFar) -> SmallVector<Value> {
    Value value = p.load(0, pixel, &Window::input), best = soFar[0];
    Value exceeds = arith::CmpFOp::create(p.b, arith::CmpFPredicate::UGT, value, best);
    Value isNumber = arith::CmpFOp::create(p.b, arith::CmpFPredicate::ORD, best, best);
    Value wins = arith::AndIOp::create(p.b, exceeds, isNumber);
    if (pixel.isInside)
      wins = arith::AndIOp::create(p.b, wins, splat(p.b, pixel.isInside, p.in.width));
    Value number = splat(p.b, tapNumber(p, taps), p.in.width);
    return {selectLanes(p.b, wins, value, best), selectLanes(p.b, wins, number, soFar[1])};
  };
  SmallVector<Value> found = p.forTaps(of, {best, winner}, step);
  return {found[0], found[1]};
}

/// The i64 pixels of a window that the image has, or all.
template <typename Op> static Value buildCount(WindowBuilder &p, const Pixel &of, Op op) {
  if (op.getCountPadding())
    return p.index.i64(op.getWindowSize());
  Value count = p.index.i64(1);
  for (auto [i, window, at] : llvm::enumerate(p.windows, of.at)) {
    Value first = p.index.sub(p.index.mul(at, window.stride), p.index.i64(window.low));
    Value end = p.index.add(first, p.index.i64(window.filter));
    Value inside = p.index.sub(p.b.createOrFold<arith::MinSIOp>(end, p.index.i64(window.input)),
                               p.b.createOrFold<arith::MaxSIOp>(first, p.index.i64(0)));
    const bool isWhole = p.isKnown(i) || areWithinImage(window);
    count = p.b.createOrFold<arith::MulIOp>(count, isWhole ? p.index.i64(window.filter) : inside);
  }
  return count;
}

static Value divideBy(WindowBuilder &p, Value sum, Value count) {
  Value divisor = p.b.createOrFold<arith::SIToFPOp>(laneType(sum.getType()), count);
  return arith::DivFOp::create(p.b, sum, splat(p.b, divisor, p.in.width));
}

/// The sum over the windows that have this pixel of what `termOf` gives for one, by its number of a tap.
static Value sumOverWindows(WindowBuilder &p, Type type,
                            function_ref<Value(WindowBuilder &, const Pixel &, ArrayRef<Value>)> termOf) {
  auto step = [&](WindowBuilder &p, const Pixel &result, ArrayRef<Value> taps, Value soFar) -> Value {
    Value term = termOf(p, result, taps);
    Value none = floatConstant(p.b, term.getType(), 0);
    if (result.isInside)
      term = selectLanes(p.b, splat(p.b, result.isInside, p.in.width), term, none);
    if (doOverlap(p.windows))
      return arith::AddFOp::create(p.b, soFar, term);
    // The one term plus 0 without arithmetic, so that it is stored with the bits that it was read with.
    Value isZero = arith::CmpFOp::create(p.b, arith::CmpFPredicate::OEQ, term, none);
    return selectLanes(p.b, isZero, none, term);
  };
  return p.forWindows(floatConstant(p.b, type, 0), step);
}

namespace {

struct PoolingForms : ScalarForms {
  template <typename Op> static int64_t run(Op op) { return shapeOf(op->getResult(0)).back(); }

  template <typename Op> WindowBuilder builder(Op op, ArrayRef<Window> windows) {
    return WindowBuilder(b, in, windows, run(op));
  }
  Type laneType(Operation *op) { return withLanes(registerType(resultElement(op)), in.width); }

  static PixelRanges innerPixels(MaxPoolOp op) { return mp::innerResults(op.getWindows()); }
  FormResult form(MaxPoolOp op) {
    const auto windows = op.getWindows();
    WindowBuilder p = builder(op, windows);
    return exact(buildWinner(p, p.here(&Window::output)).first);
  }

  static PixelRanges innerPixels(MaxPoolWithIndicesOp op) { return mp::innerResults(op.getWindows()); }
  FormResult form(MaxPoolWithIndicesOp op) {
    const auto windows = op.getWindows();
    WindowBuilder p = builder(op, windows);
    auto [value, number] = buildWinner(p, p.here(&Window::output));
    return SmallVector<Value>{value, arith::TruncIOp::create(b, withLanes(b.getI8Type(), in.width), number)};
  }

  static PixelRanges innerPixels(MaxUnpoolOp op) { return mp::innerPixels(op.getWindows()); }
  FormResult form(MaxUnpoolOp op) {
    const auto windows = op.getWindows();
    WindowBuilder p = builder(op, windows);
    Value zero = floatConstant(b, laneType(op), 0);
    // No pixel has a second window. What is chosen, not added to, is not rounded again.
    auto step = [&](WindowBuilder &p, const Pixel &result, ArrayRef<Value> taps, Value) -> Value {
      Value value = p.load(1, result, &Window::output);
      Value number = arith::TruncIOp::create(b, b.getI8Type(), tapNumber(p, taps));
      Value isWinner = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, p.load(0, result, &Window::output),
                                             splat(b, number, in.width));
      Value isOther = arith::CmpFOp::create(b, arith::CmpFPredicate::UNE, value, zero); // than -0
      Value isKept = arith::AndIOp::create(b, isWinner, isOther);
      if (result.isInside)
        isKept = arith::AndIOp::create(b, isKept, splat(b, result.isInside, in.width));
      return selectLanes(b, isKept, value, zero);
    };
    return exact(p.forWindows(zero, step));
  }

  static PixelRanges innerPixels(MaxPoolGradOp op) { return mp::innerPixels(op.getWindows()); }
  FormResult form(MaxPoolGradOp op) {
    const auto windows = op.getWindows();
    WindowBuilder p = builder(op, windows);
    auto term = [](WindowBuilder &p, const Pixel &result, ArrayRef<Value> taps) {
      Value gradient = p.load(1, result, &Window::output);
      Value isWinner = arith::CmpIOp::create(p.b, arith::CmpIPredicate::eq, buildWinner(p, result).second,
                                             splat(p.b, tapNumber(p, taps), p.in.width));
      return selectLanes(p.b, isWinner, gradient, floatConstant(p.b, gradient.getType(), 0));
    };
    Value sum = sumOverWindows(p, laneType(op), term);
    return doOverlap(windows) ? rounded(op, sum) : exact(sum);
  }

  static PixelRanges innerPixels(AvgPoolOp op) { return mp::innerResults(op.getWindows()); }
  FormResult form(AvgPoolOp op) {
    const auto windows = op.getWindows();
    WindowBuilder p = builder(op, windows);
    const Pixel own = p.here(&Window::output);
    auto step = [](WindowBuilder &p, ArrayRef<Value>, const Pixel &pixel, ValueRange soFar) -> SmallVector<Value> {
      Value value = p.load(0, pixel, &Window::input);
      if (pixel.isInside)
        value = selectLanes(p.b, splat(p.b, pixel.isInside, p.in.width), value, floatConstant(p.b, value.getType(), 0));
      return {arith::AddFOp::create(p.b, soFar[0], value)};
    };
    Value sum = p.forTaps(own, floatConstant(b, laneType(op), 0), step).front();
    return rounded(op, divideBy(p, sum, buildCount(p, own, op)));
  }

  static PixelRanges innerPixels(AvgPoolGradOp op) { return mp::innerPixels(op.getWindows()); }
  FormResult form(AvgPoolGradOp op) {
    const auto windows = op.getWindows();
    WindowBuilder p = builder(op, windows);
    auto term = [&](WindowBuilder &p, const Pixel &result, ArrayRef<Value>) {
      return divideBy(p, p.load(0, result, &Window::output), buildCount(p, result, op));
    };
    return rounded(op, sumOverWindows(p, laneType(op), term));
  }
};

} // namespace

void mp::attachPoolingForms(MLIRContext *context) { attachForms<PoolingForms>(context); }
