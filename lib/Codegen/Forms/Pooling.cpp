// Pooling, channel by channel: lanes are neighbouring channels of one pixel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Forms/Forms.h"
#include "Codegen/Forms/Indices.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mp;

/// Loops of no more steps than that are unrolled.
static constexpr int64_t kMostUnrolled = 16;

namespace {

/// Coordinates of a pixel, and whether an image has it: null for certainly.
struct Pixel {
  SmallVector<Value, 3> at;
  Value isInside;

  void require(LaneBuilder &b, Value condition) {
    isInside = isInside ? b.createOrFold<arith::AndIOp>(isInside, condition) : condition;
  }
};

class PoolingBuilder {
public:
  PoolingBuilder(LaneBuilder &b, const ScalarOperands &in, ArrayRef<Window> windows, int64_t channels)
      : b(b), in(in), index{b}, windows(windows), channels(channels) {
    std::tie(row, channel) = in.inRowsOf(channels);
  }

  /// The pixel of these lanes, of images or results: `sizeOf` is a member of Window.
  Pixel here(int64_t Window::*sizeOf) {
    Pixel pixel;
    pixel.at.resize(windows.size());
    image = row;
    for (size_t i = windows.size(); i-- > 0;) {
      pixel.at[i] = index.rem(image, windows[i].*sizeOf);
      image = index.div(image, windows[i].*sizeOf);
    }
    return pixel;
  }

  /// The pixel of the image that window `of` takes by a tap.
  Pixel readBy(const Pixel &of, ArrayRef<Value> taps) {
    Pixel pixel;
    for (auto [window, p, r] : llvm::zip_equal(windows, of.at, taps)) {
      Value h = index.add(index.sub(index.mul(p, window.stride), index.i64(window.low)), index.mul(r, window.dilation));
      if (!isCertain(window)) {
        pixel.require(b, index.isBelow(h, window.input));
        h = index.clamp(h, window.input);
      }
      pixel.at.push_back(h);
    }
    return pixel;
  }

  /// Lanes of operand `operand` at a pixel of this image, which exists.
  Value load(unsigned operand, const Pixel &pixel, int64_t Window::*sizeOf) {
    Value number = image;
    for (auto [window, at] : llvm::zip_equal(windows, pixel.at))
      number = index.add(index.mul(number, window.*sizeOf), at);
    return in.load(operand, number, channels, channel);
  }

  /// Calls `body` with the coordinates of each of a grid of these sizes, in row-major order, and with what it made
  /// last.
  SmallVector<Value> forGrid(ArrayRef<int64_t> sizes, ValueRange start,
                             function_ref<SmallVector<Value>(PoolingBuilder &, ArrayRef<Value>, ValueRange)> body) {
    int64_t count = 1;
    for (int64_t size : sizes)
      count *= size;
    auto coordinates = [&](const Indices &index, Value number) {
      SmallVector<Value, 3> at(sizes.size());
      for (size_t i = sizes.size(); i-- > 0;) {
        at[i] = index.rem(number, sizes[i]);
        number = index.div(number, sizes[i]);
      }
      return at;
    };
    if (count <= kMostUnrolled) {
      SmallVector<Value> soFar(start);
      for (int64_t number = 0; number < count; ++number)
        soFar = body(*this, coordinates(index, index.i64(number)), soFar);
      return soFar;
    }
    auto loop = scf::ForOp::create(b, index.i64(0), index.i64(count), index.i64(1), start,
                                   [&](OpBuilder &builder, Location loc, Value number, ValueRange soFar) {
                                     LaneBuilder inner(loc, builder);
                                     PoolingBuilder own(inner, *this);
                                     scf::YieldOp::create(inner, body(own, coordinates({inner}, number), soFar));
                                   });
    return llvm::to_vector(ValueRange(loop.getResults()));
  }

  LaneBuilder &b;
  const ScalarOperands &in;
  const Indices index;
  const ArrayRef<Window> windows;
  const int64_t channels;

private:
  /// The same inside of a loop.
  PoolingBuilder(LaneBuilder &inner, const PoolingBuilder &outer)
      : b(inner), in(outer.in), index{inner}, windows(outer.windows), channels(outer.channels), row(outer.row),
        channel(outer.channel), image(outer.image) {}

  /// Whether every tap of every window is a pixel of the image.
  static bool isCertain(const Window &window) {
    const int64_t last = (window.output - 1) * window.stride - window.low + (window.filter - 1) * window.dilation;
    return window.low == 0 && last < window.input;
  }

  Value row, channel, image;
};

} // namespace

static Value selectLanes(LaneBuilder &b, Value condition, Value x, Value y) {
  return b.createOrFold<arith::SelectOp>(condition, x, y);
}

static SmallVector<int64_t, 3> tapsOf(ArrayRef<Window> windows) {
  return llvm::map_to_vector<3>(windows, [](const Window &window) { return window.filter; });
}

/// Number of a tap in row-major order, i32.
static Value numberOf(PoolingBuilder &p, ArrayRef<Value> taps) {
  Value number = p.index.i64(0);
  for (auto [window, tap] : llvm::zip_equal(p.windows, taps))
    number = p.index.add(p.index.mul(number, window.filter), tap);
  return p.b.createOrFold<arith::TruncIOp>(p.b.getI32Type(), number);
}

/// The value that wins window `of`, and the i32 number of its tap, in every lane.
static std::pair<Value, Value> buildWinner(PoolingBuilder &p, const Pixel &of) {
  // The first tap that the image has, which whatever follows has to exceed.
  SmallVector<Value, 3> first;
  for (auto [window, at] : llvm::zip_equal(p.windows, of.at)) {
    Value before = p.index.sub(p.index.i64(window.low), p.index.mul(at, window.stride));
    Value steps =
        p.index.add(p.b.createOrFold<arith::MaxSIOp>(before, p.index.i64(0)), p.index.i64(window.dilation - 1));
    first.push_back(window.low == 0 ? p.index.i64(0) : p.index.div(steps, window.dilation));
  }
  Value best = p.load(0, p.readBy(of, first), &Window::input);
  Value winner = splat(p.b, numberOf(p, first), p.in.width);
  auto step = [&](PoolingBuilder &p, ArrayRef<Value> taps, ValueRange soFar) -> SmallVector<Value> {
    const Pixel pixel = p.readBy(of, taps);
    Value value = p.load(0, pixel, &Window::input), best = soFar[0];
    Value exceeds = arith::CmpFOp::create(p.b, arith::CmpFPredicate::UGT, value, best);
    Value isNumber = arith::CmpFOp::create(p.b, arith::CmpFPredicate::ORD, best, best);
    Value wins = arith::AndIOp::create(p.b, exceeds, isNumber);
    if (pixel.isInside)
      wins = arith::AndIOp::create(p.b, wins, splat(p.b, pixel.isInside, p.in.width));
    Value number = splat(p.b, numberOf(p, taps), p.in.width);
    return {selectLanes(p.b, wins, value, best), selectLanes(p.b, wins, number, soFar[1])};
  };
  SmallVector<Value> found = p.forGrid(tapsOf(p.windows), {best, winner}, step);
  return {found[0], found[1]};
}

/// The i64 pixels of a window that the image has, or all.
static Value buildCount(PoolingBuilder &p, const Pixel &of, bool countsPadding) {
  Value count = p.index.i64(1);
  for (auto [window, at] : llvm::zip_equal(p.windows, of.at)) {
    Value first = p.index.sub(p.index.mul(at, window.stride), p.index.i64(window.low));
    Value end = p.index.add(first, p.index.i64(window.filter));
    Value inside = p.index.sub(p.b.createOrFold<arith::MinSIOp>(end, p.index.i64(window.input)),
                               p.b.createOrFold<arith::MaxSIOp>(first, p.index.i64(0)));
    const bool isWhole =
        countsPadding || (window.low == 0 && (window.output - 1) * window.stride + window.filter <= window.input);
    count = p.b.createOrFold<arith::MulIOp>(count, isWhole ? p.index.i64(window.filter) : inside);
  }
  return count;
}

static Value divideBy(PoolingBuilder &p, Value sum, Value count) {
  Value divisor = p.b.createOrFold<arith::SIToFPOp>(laneType(sum.getType()), count);
  return arith::DivFOp::create(p.b, sum, splat(p.b, divisor, p.in.width));
}

/// The sum over the windows that have this pixel of what `termOf` gives for one, by its number of a tap.
static Value sumOverWindows(PoolingBuilder &p, Type type,
                            function_ref<Value(PoolingBuilder &, const Pixel &, ArrayRef<Value>)> termOf) {
  const Pixel pixel = p.here(&Window::input);
  // Of the last window that begins before the pixel, and of those in front of it that may reach as far.
  auto counts = llvm::map_to_vector<3>(p.windows, [](const Window &window) {
    return std::min(window.output, ((window.filter - 1) * window.dilation) / window.stride + 1);
  });
  auto step = [&](PoolingBuilder &p, ArrayRef<Value> numbers, ValueRange soFar) -> SmallVector<Value> {
    Pixel result;
    SmallVector<Value, 3> taps;
    for (auto [window, at, number, count] : llvm::zip_equal(p.windows, pixel.at, numbers, counts)) {
      Value place = p.index.add(at, p.index.i64(window.low));
      Value last = p.b.createOrFold<arith::MinSIOp>(p.index.div(place, window.stride), p.index.i64(window.output - 1));
      Value own = p.index.sub(p.index.add(last, number), p.index.i64(count - 1));
      Value offset = p.index.sub(place, p.index.mul(own, window.stride));
      Value tap = p.index.div(offset, window.dilation);
      result.require(p.b, p.index.isBelow(own, window.output));
      result.require(p.b, p.index.isBelow(tap, window.filter));
      if (window.dilation != 1)
        result.require(p.b, p.b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq,
                                                            p.index.rem(offset, window.dilation), p.index.i64(0)));
      result.at.push_back(p.index.clamp(own, window.output));
      taps.push_back(tap);
    }
    Value term = termOf(p, result, taps);
    Value none = floatConstant(p.b, term.getType(), 0);
    term = selectLanes(p.b, splat(p.b, result.isInside, p.in.width), term, none);
    return {arith::AddFOp::create(p.b, soFar[0], term)};
  };
  return p.forGrid(counts, floatConstant(p.b, type, 0), step).front();
}

namespace {

struct PoolingForms : ScalarForms {
  template <typename Op> static int64_t run(Op op) { return op.getType().getShape().back(); }

  template <typename Op> PoolingBuilder builder(Op op, ArrayRef<Window> windows) {
    return PoolingBuilder(b, in, windows, run(op));
  }
  Type laneType(Operation *op) { return withLanes(registerType(resultElement(op)), in.width); }

  FormResult form(MaxPoolOp op) {
    const auto windows = op.getWindows();
    PoolingBuilder p = builder(op, windows);
    return exact(buildWinner(p, p.here(&Window::output)).first);
  }

  FormResult form(MaxPoolGradOp op) {
    const auto windows = op.getWindows();
    PoolingBuilder p = builder(op, windows);
    auto term = [](PoolingBuilder &p, const Pixel &result, ArrayRef<Value> taps) {
      Value gradient = p.load(1, result, &Window::output);
      Value isWinner = arith::CmpIOp::create(p.b, arith::CmpIPredicate::eq, buildWinner(p, result).second,
                                             splat(p.b, numberOf(p, taps), p.in.width));
      return selectLanes(p.b, isWinner, gradient, floatConstant(p.b, gradient.getType(), 0));
    };
    return rounded(op, sumOverWindows(p, laneType(op), term));
  }

  FormResult form(AvgPoolOp op) {
    const auto windows = op.getWindows();
    PoolingBuilder p = builder(op, windows);
    const Pixel own = p.here(&Window::output);
    auto step = [&](PoolingBuilder &p, ArrayRef<Value> taps, ValueRange soFar) -> SmallVector<Value> {
      const Pixel pixel = p.readBy(own, taps);
      Value value = p.load(0, pixel, &Window::input);
      if (pixel.isInside)
        value = selectLanes(p.b, splat(p.b, pixel.isInside, p.in.width), value, floatConstant(p.b, value.getType(), 0));
      return {arith::AddFOp::create(p.b, soFar[0], value)};
    };
    Value sum = p.forGrid(tapsOf(windows), floatConstant(b, laneType(op), 0), step).front();
    return rounded(op, divideBy(p, sum, buildCount(p, own, op.getCountPadding())));
  }

  FormResult form(AvgPoolGradOp op) {
    const auto windows = op.getWindows();
    PoolingBuilder p = builder(op, windows);
    auto term = [&](PoolingBuilder &p, const Pixel &result, ArrayRef<Value>) {
      return divideBy(p, p.load(0, result, &Window::output), buildCount(p, result, op.getCountPadding()));
    };
    return rounded(op, sumOverWindows(p, laneType(op), term));
  }
};

} // namespace

void mp::attachPoolingForms(MLIRContext *context) { attachForms<PoolingForms>(context); }
