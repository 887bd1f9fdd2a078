// Images whose pixels come of windows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/CPU/Map/PixelNest.h"

using namespace mlir;
using namespace mp;

/// How many pixels are computed at once: with nine taps four read 9 + 18 vectors, not 72. A power of two, for under
/// strides of two a gradient has every other pixel by the same taps.
static constexpr int64_t kTogether = 4;

std::optional<PixelNest> PixelNest::find(KernelFunction &f, const Nest &nest) {
  if (nest.results.empty() || !nest.packs.empty())
    return std::nullopt;
  PixelNest found;
  found.shape = shapeOf(f.yields()[nest.results.front()]);
  for (Operation &op : f.body()) {
    auto windows = dyn_cast<WindowFormInterface>(op);
    if (!windows || shapeOf(op.getResult(0)) != found.shape)
      continue;
    const PixelRanges own = windows.getInnerPixels();
    if (found.inner.empty())
      found.inner = own;
    for (auto [range, other] : llvm::zip(found.inner, own))
      range = {std::max(range.first, other.first), std::min(range.second, other.second)};
  }
  if (found.inner.empty())
    return std::nullopt;
  return found;
}

int64_t PixelNest::countTogether() const {
  return inner.back().second - inner.back().first < kTogether ? kTogether / 2 : kTogether;
}

Value PixelNest::isInner(KernelFunction &f, Value line) const {
  Value isInner;
  for (size_t i = inner.size() - 1; i-- > 0;) {
    const int64_t size = shape[i + 1];
    auto [first, limit] = inner[i];
    if (first != 0 || limit != size) {
      Value isBelow = arith::CmpIOp::create(f.b, arith::CmpIPredicate::ult, f.sub(f.rem(line, size), f.i64(first)),
                                            f.i64(std::max<int64_t>(limit - first, 0)));
      isInner = isInner ? f.b.createOrFold<arith::AndIOp>(isInner, isBelow) : isBelow;
    }
    line = f.div(line, size);
  }
  return isInner;
}

LogicalResult PixelNest::emitPixels(CPUFunction &f, NestBody &body, Elements &values, int64_t vector, Value line,
                                    Value column, int64_t count, WindowsKnown windows) const {
  SmallVector<Value> pixels;
  for (int64_t i = 0; i < count; ++i) {
    Value own = f.add(column, f.i64(i));
    pixels.push_back(f.add(f.mul(line, columns()), own));
    values.placePixel(pixels.back(), shape, line, own, windows);
  }
  const bool hasRest = channels() % vector != 0;
  return f.forLanes(body.zero(), f.i64(channels()), vector, hasRest, [&](Value channel, int64_t width) {
    return body.emit(
        llvm::map_to_vector(pixels, [&](Value pixel) -> Lanes { return {pixel, channels(), channel, 1, width}; }));
  });
}

LogicalResult PixelNest::emit(CPUFunction &f, NestBody &body, Elements &values, int64_t vector, Value from, Value to,
                              int64_t size) const {
  const int64_t together = countTogether();
  Value endLine = f.div(f.add(to, f.i64(lineElements() - 1)), lineElements());
  return f.forEach(f.div(from, lineElements()), endLine, 1, [&](Value line) {
    // The block's columns of the line.
    Value first = body.zero(), end = f.i64(columns());
    if (size % lineElements() != 0) {
      Value start = f.mul(line, columns());
      first = f.max(f.sub(f.div(from, channels()), start), first);
      end = f.min(f.sub(f.div(to, channels()), start), end);
    }
    // Inner columns, as far as they are whole groups.
    auto [firstInner, limitInner] = inner.back();
    Value left = f.min(f.max(first, f.i64(firstInner)), end), right = f.max(f.min(end, f.i64(limitInner)), left);
    Value groups = f.div(f.sub(right, left), together), count = f.mul(groups, together);
    auto emitInner = [&](bool isInnerLine) {
      return f.forEach(body.zero(), groups, 1, [&](Value group) {
        return emitPixels(f, body, values, vector, line, f.add(left, f.mul(group, together)), together,
                          {true, isInnerLine});
      });
    };
    Value isInnerLine = isInner(f, line);
    if (failed(isInnerLine ? f.either(
                                 isInnerLine, [&] { return emitInner(true); }, [&] { return emitInner(false); })
                           : emitInner(true)))
      return failure();
    // Those in front of them and behind them.
    return f.forEach(first, f.sub(end, count), 1, [&](Value number) {
      Value isLeft = f.isBelow(number, left);
      Value column = arith::SelectOp::create(f.b, isLeft, number, f.add(number, count));
      return emitPixels(f, body, values, vector, line, column, 1, WindowsKnown());
    });
  });
}
