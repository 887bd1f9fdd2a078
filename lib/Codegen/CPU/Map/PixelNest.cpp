// Images whose pixels come of windows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/CPU/Map/PixelNest.h"

using namespace mlir;
using namespace mp;

/// How many pixels are computed at once, where a line has as many: with nine taps six read 9 + 24 vectors, not 108.
/// Even numbers, for under strides of two a gradient has every other pixel by the same taps.
static constexpr int64_t kTogether[] = {6, 4, 2};
/// At the ends of lines no more groups than that are written out.
static constexpr int64_t kMostConstantGroups = 3;

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
  // Of windows that all reach beyond the image the first without that would be behind the last result; several ops
  // need not have such a window in common.
  for (auto [range, size] : llvm::zip(found.inner, found.shape.drop_front())) {
    range.first = std::min(range.first, size);
    range.second = std::clamp(range.second, range.first, size);
  }
  return found;
}

int64_t PixelNest::countTogether() const {
  const int64_t columns = inner.back().second - inner.back().first;
  const auto *fits = llvm::find_if(kTogether, [&](int64_t together) { return together <= columns; });
  return fits == std::end(kTogether) ? kTogether[std::size(kTogether) - 1] : *fits;
}

Value PixelNest::isInner(KernelFunction &f, Value line) const {
  Value isInner;
  for (size_t i = inner.size() - 1; i-- > 0;) {
    const int64_t size = shape[i + 1];
    auto [first, limit] = inner[i];
    if (first != 0 || limit != size) {
      Value isBelow = arith::CmpIOp::create(f.b, arith::CmpIPredicate::ult, f.sub(f.rem(line, size), f.i64(first)),
                                            f.i64(limit - first));
      isInner = isInner ? f.b.createOrFold<arith::AndIOp>(isInner, isBelow) : isBelow;
    }
    line = f.div(line, size);
  }
  return isInner;
}

LogicalResult PixelNest::emitPixels(CPUFunction &f, NestBody &body, Elements &values, int64_t vector, Value line,
                                    Value column, int64_t count, WindowsKnown windows) const {
  SmallVector<Value> pixels;
  Value first = f.add(f.mul(line, columns()), column);
  for (int64_t i = 0; i < count; ++i) {
    // A value of its own for each pixel, what is known of it being by its value.
    pixels.push_back(arith::AddIOp::create(f.b, first, f.i64(i)));
    values.placePixel(pixels.back(), shape, line, f.add(column, f.i64(i)), first, i, windows);
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
    auto emitGroups = [&](bool isInnerLine) {
      return f.forEach(body.zero(), groups, 1, [&](Value group) {
        return emitPixels(f, body, values, vector, line, f.add(left, f.mul(group, together)), together,
                          {true, isInnerLine});
      });
    };
    // Those in front of them and behind them, which ask for each pixel.
    auto emitOthers = [&] {
      return f.forEach(first, f.sub(end, count), 1, [&](Value number) {
        Value isLeft = f.isBelow(number, left);
        Value column = arith::SelectOp::create(f.b, isLeft, number, f.add(number, count));
        return emitPixels(f, body, values, vector, line, column, 1, WindowsKnown());
      });
    };
    // Of whole lines they are constants, and so is what their windows lack.
    const int64_t endGroups = firstInner + (limitInner - firstInner) / together * together;
    const bool areConstant =
        size % lineElements() == 0 && firstInner + columns() - endGroups <= kMostConstantGroups * together;
    auto emitRange = [&](int64_t from, int64_t limit) -> LogicalResult {
      for (int64_t column = from; column < limit; column += together)
        if (failed(emitPixels(f, body, values, vector, line, f.i64(column), std::min(together, limit - column),
                              {/*column=*/false, /*line=*/true})))
          return failure();
      return success();
    };
    auto emitLine = [&](bool isInnerLine) -> LogicalResult {
      if (!areConstant || !isInnerLine)
        return success(succeeded(emitGroups(isInnerLine)) && succeeded(emitOthers()));
      return success(succeeded(emitRange(0, firstInner)) && succeeded(emitGroups(true)) &&
                     succeeded(emitRange(endGroups, columns())));
    };
    Value isInnerLine = isInner(f, line);
    return isInnerLine ? f.either(
                             isInnerLine, [&] { return emitLine(true); }, [&] { return emitLine(false); })
                       : emitLine(true);
  });
}
