// Windows over images, channel by channel: lanes are neighbouring channels of one pixel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Forms/WindowBuilder.h"

#include "mp/IR/WindowSpan.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mp;

/// Loops of no more steps than that are unrolled: of more, where pixels of one line share what they read.
static constexpr int64_t kMostUnrolled = 16, kMostShared = 64;

/// The first result whose window has every pixel, and the one behind the last.
static std::pair<int64_t, int64_t> innerResults(const Window &window) {
  const int64_t first = llvm::divideCeil(window.low, window.stride);
  const int64_t lastBegin = window.input - spanOf(window) + window.low;
  const int64_t limit = lastBegin < 0 ? 0 : std::min(lastBegin / window.stride + 1, window.output);
  return {first, std::max(first, limit)};
}

/// Windows that may have one pixel.
static int64_t countReaders(const Window &window) {
  return std::min(window.output, (spanOf(window) - 1) / window.stride + 1);
}

bool mp::doOverlap(ArrayRef<Window> windows) {
  return llvm::any_of(windows, [](const Window &window) { return countReaders(window) > 1; });
}

PixelRanges mp::innerResults(ArrayRef<Window> windows) {
  return llvm::map_to_vector<3>(windows, [](const Window &window) { return ::innerResults(window); });
}

PixelRanges mp::innerPixels(ArrayRef<Window> windows) {
  return llvm::map_to_vector<3>(windows, [](const Window &window) -> std::pair<int64_t, int64_t> {
    auto [first, limit] = ::innerResults(window);
    const int64_t pixel = (first + countReaders(window) - 1) * window.stride - window.low;
    return {pixel, std::max(pixel, std::min(limit * window.stride - window.low, window.input))};
  });
}

WindowBuilder::WindowBuilder(LaneBuilder &b, const ScalarOperands &in, ArrayRef<Window> windows, int64_t channels)
    : b(b), in(in), index{b}, windows(windows), channels(channels), known(in.windows.value_or(WindowsKnown())),
      mostUnrolled(in.windows ? kMostShared : kMostUnrolled) {
  std::tie(row, channel) = in.inRowsOf(channels);
}

SmallVector<Value, 3> WindowBuilder::takeFrom(Value &number, ArrayRef<Window> of, int64_t Window::*sizeOf) {
  SmallVector<Value, 3> at(of.size());
  for (size_t i = of.size(); i-- > 0;)
    std::tie(number, at[i]) = in.inMatricesOf(number, of[i].*sizeOf);
  return at;
}

Pixel WindowBuilder::here(int64_t Window::*sizeOf) {
  image = row;
  return {takeFrom(image, windows, sizeOf), {}};
}

std::pair<Pixel, SmallVector<SmallVector<Value, 3>>> WindowBuilder::hereUnderTaps() {
  const ArrayRef<Window> outer = windows.drop_back();
  int64_t rows = 1;
  for (const Window &window : outer)
    rows *= window.output;
  Value number;
  std::tie(image, number) = in.inMatricesOf(row, rows);
  const Pixel own = {takeFrom(number, outer, &Window::output), {}};
  if (in.joined == 1)
    return {own, {takeFrom(image, windows, &Window::filter)}};
  // All places along the last dimensions, at one along the others.
  image = index.div(image, in.joined);
  int64_t joined = 1;
  size_t outermost = windows.size();
  while (joined < in.joined)
    joined *= windows[--outermost].filter;
  const SmallVector<Value, 3> shared = takeFrom(image, windows.take_front(outermost), &Window::filter);
  SmallVector<SmallVector<Value, 3>> taps;
  for (int64_t tap = 0; tap < joined; ++tap) {
    Value place = index.i64(tap);
    taps.push_back(shared);
    llvm::append_range(taps.back(), takeFrom(place, windows.drop_front(outermost), &Window::filter));
  }
  return {own, taps};
}

std::pair<Value, Value> WindowBuilder::columnsReadBy(const Pixel &of, ArrayRef<Value> taps) {
  // Column q reads pixel q * stride + offset.
  const Window &last = windows.back();
  Value none = index.i64(0), all = index.i64(last.output), first = none, limit = all;
  if (!areWithinImage(last)) {
    Value offset = index.sub(index.mul(taps.back(), last.dilation), index.i64(last.low));
    // How many columns read pixels in front of `pixel`, if a row goes on for ever.
    auto countBefore = [&](int64_t pixel) {
      Value distance = b.createOrFold<arith::MaxSIOp>(index.sub(index.i64(pixel), offset), none);
      return b.createOrFold<arith::MinSIOp>(index.div(index.add(distance, index.i64(last.stride - 1)), last.stride),
                                            all);
    };
    first = countBefore(0);
    limit = countBefore(last.input);
  }
  Pixel pixel;
  for (auto [window, p, r] : llvm::zip_equal(windows.drop_back(), of.at, taps.drop_back()))
    if (!areWithinImage(window))
      pixel.require(b, index.isBelow(pixelOf(window, p, r), window.input));
  return {first, pixel.isInside ? b.createOrFold<arith::SelectOp>(pixel.isInside, limit, first) : limit};
}

Value WindowBuilder::pixelOf(const Window &window, Value result, Value tap) {
  return index.add(index.sub(index.mul(result, window.stride), index.i64(window.low)), index.mul(tap, window.dilation));
}

Pixel WindowBuilder::readBy(const Pixel &of, ArrayRef<Value> taps, bool isKnownInside) {
  Pixel pixel;
  for (auto [i, window, p, r] : llvm::enumerate(windows, of.at, taps)) {
    Value h = pixelOf(window, p, r);
    if (!isKnownInside && !isKnown(i) && !areWithinImage(window)) {
      pixel.require(b, index.isBelow(h, window.input));
      h = index.clamp(h, window.input);
    }
    pixel.at.push_back(h);
  }
  return pixel;
}

Value WindowBuilder::load(unsigned operand, const Pixel &pixel, int64_t Window::*sizeOf) {
  // Pixels of one window, and of windows beside it, are constants apart.
  Value number = image;
  int64_t steps = 0;
  for (auto [window, at] : llvm::zip_equal(windows, pixel.at)) {
    auto [own, constant] = in.windows ? index.splitConstant(at) : std::pair<Value, int64_t>(at, 0);
    number = index.add(index.mul(number, window.*sizeOf), own);
    steps = steps * window.*sizeOf + constant;
  }
  return in.load(operand, number, steps, channels, channel);
}

Value WindowBuilder::numberOf(ArrayRef<Value> taps) {
  Value number = index.i64(0);
  for (auto [window, tap] : llvm::zip_equal(windows, taps))
    number = index.add(index.mul(number, window.filter), tap);
  return number;
}

SmallVector<Value> WindowBuilder::forGrid(ArrayRef<int64_t> sizes, ValueRange start, GridBody body) {
  int64_t count = 1;
  for (int64_t size : sizes)
    count *= size;
  auto coordinates = [&](Value number) {
    SmallVector<Value, 3> at(sizes.size());
    for (size_t i = sizes.size(); i-- > 0;) {
      at[i] = index.rem(number, sizes[i]);
      number = index.div(number, sizes[i]);
    }
    return at;
  };
  if (count <= mostUnrolled) {
    SmallVector<Value> soFar(start);
    for (int64_t number = 0; number < count; ++number)
      soFar = body(*this, coordinates(index.i64(number)), soFar);
    return soFar;
  }
  // The builder of the loop's body is ours, which is inside of it meanwhile: so are loads, and loops in the body.
  auto loop = scf::ForOp::create(b, index.i64(0), index.i64(count), index.i64(1), start,
                                 [&](OpBuilder &, Location, Value number, ValueRange soFar) {
                                   scf::YieldOp::create(b, body(*this, coordinates(number), soFar));
                                 });
  return llvm::to_vector(ValueRange(loop.getResults()));
}

Value WindowBuilder::firstTap(size_t i, Value at) {
  const Window &window = windows[i];
  if (window.low == 0 || isKnown(i))
    return index.i64(0);
  Value before = index.sub(index.i64(window.low), index.mul(at, window.stride));
  Value steps = index.add(b.createOrFold<arith::MaxSIOp>(before, index.i64(0)), index.i64(window.dilation - 1));
  return index.div(steps, window.dilation);
}

SmallVector<Value> WindowBuilder::forTaps(const Pixel &of, ValueRange start, TapBody body) {
  // Of a window that has more pixels than the image, so many as that has.
  SmallVector<int64_t, 3> counts;
  SmallVector<Value, 3> firsts;
  for (auto [i, window, at] : llvm::enumerate(windows, of.at)) {
    counts.push_back(std::min<int64_t>(window.filter, llvm::divideCeil(window.input, window.dilation)));
    firsts.push_back(counts.back() < window.filter ? firstTap(i, at) : Value());
  }
  return forGrid(counts, start, [&](WindowBuilder &p, ArrayRef<Value> numbers, ValueRange soFar) {
    SmallVector<Value, 3> taps;
    for (auto [number, first] : llvm::zip_equal(numbers, firsts))
      taps.push_back(first ? p.index.add(first, number) : number);
    Pixel pixel = p.readBy(of, taps);
    for (auto [window, tap, first] : llvm::zip_equal(p.windows, taps, firsts))
      if (first)
        pixel.require(p.b, p.index.isBelow(tap, window.filter));
    return body(p, taps, pixel, soFar);
  });
}

SmallVector<Value> WindowBuilder::forRange(Value first, Value limit, int64_t step, ValueRange start, RangeBody body) {
  auto loop = scf::ForOp::create(
      b, first, limit, index.i64(step), start,
      [&](OpBuilder &, Location, Value number, ValueRange soFar) { scf::YieldOp::create(b, body(number, soFar)); });
  return llvm::to_vector(ValueRange(loop.getResults()));
}

Value WindowBuilder::forWindows(Value start, WindowStep step) {
  const Pixel pixel = here(&Window::input);
  auto counts = llvm::map_to_vector<3>(windows, countReaders);
  auto next = [&](WindowBuilder &p, ArrayRef<Value> numbers, ValueRange soFar) -> SmallVector<Value> {
    Pixel result;
    SmallVector<Value, 3> taps;
    for (auto [i, window, at, number, count] : llvm::enumerate(p.windows, pixel.at, numbers, counts)) {
      const bool isKnown = p.isKnown(i);
      Value place = p.index.add(at, p.index.i64(window.low)), last = p.index.div(place, window.stride);
      if (!isKnown)
        last = p.b.createOrFold<arith::MinSIOp>(last, p.index.i64(window.output - 1));
      Value own = p.index.sub(p.index.add(last, number), p.index.i64(count - 1));
      Value offset = p.index.sub(place, p.index.mul(own, window.stride));
      Value tap = p.index.div(offset, window.dilation);
      if (!isKnown)
        result.require(p.b, p.index.isBelow(own, window.output));
      if (!isKnown || count * window.stride > spanOf(window))
        result.require(p.b, p.index.isBelow(tap, window.filter));
      if (window.dilation != 1)
        result.require(p.b, p.b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq,
                                                            p.index.rem(offset, window.dilation), p.index.i64(0)));
      result.at.push_back(isKnown ? own : p.index.clamp(own, window.output));
      taps.push_back(tap);
    }
    return {step(p, result, taps, soFar[0])};
  };
  // A step may have a loop of its own.
  WindowBuilder own = *this;
  own.mostUnrolled = kMostUnrolled;
  return own.forGrid(counts, start, next).front();
}

Value WindowBuilder::whereWithin(const Pixel &of, function_ref<Value(WindowBuilder &)> build) {
  if (in.windows) // the emitter asks for such windows apart
    return build(*this);
  Value condition;
  for (auto [window, at] : llvm::zip_equal(windows, of.at)) {
    if (areWithinImage(window))
      continue;
    const int64_t firsts = window.input - spanOf(window) + 1; // so many pixels are the first of a window within
    if (firsts <= 0)
      return build(*this);
    Value isBelow = index.isBelow(index.sub(index.mul(at, window.stride), index.i64(window.low)), firsts);
    condition = condition ? b.createOrFold<arith::AndIOp>(condition, isBelow) : isBelow;
  }
  if (!condition)
    return build(*this);
  auto branch = [&](bool within) {
    return [&, within](OpBuilder &, Location) {
      WindowBuilder own = *this;
      own.known = {within, within};
      // A value of its own: what is remembered of it is known in this branch alone.
      own.image = arith::AddIOp::create(b, image, index.i64(0));
      scf::YieldOp::create(b, build(own));
    };
  };
  return scf::IfOp::create(b, condition, branch(true), branch(false)).getResult(0);
}
