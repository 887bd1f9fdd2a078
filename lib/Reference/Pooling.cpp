// Rules of MPPoolingOps.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reference/Accumulator.h"
#include "Reference/Images.h"
#include "Reference/Rules.h"

#include <cmath>

using namespace mp;

/// Elements [images, pixels, channels] of this shape, of what `get` says of each.
template <typename Element, typename Get>
static std::vector<Element> listElements(const TensorTypeT &type, int64_t pixels, Get get) {
  const int64_t channels = type.shape.back();
  std::vector<Element> result(elementsOf(type.shape));
  for (size_t element = 0; element < result.size(); ++element) {
    const int64_t pixel = element / channels;
    result[element] = get(pixel / pixels, pixel % pixels, element % channels);
  }
  return result;
}

/// A tensor of the op's type, of what `get` says of each element.
template <typename Op, typename Get> static Tensor forEachElement(Op op, int64_t pixels, Get get) {
  TensorTypeT type = runtimeTypeOf(op->getResult(0));
  const std::vector<double> result = listElements<double>(type, pixels, get);
  return Tensor::ofReals(std::move(type), result);
}

/// The tap that reads the result of window `p`: the first of the largest, or the first NaN.
static int64_t findWinningTap(const Windows &windows, const Images &image, int64_t n, int64_t p, int64_t c) {
  std::optional<int64_t> winner;
  double best = 0;
  windows.forEachPixel(p, [&](int64_t h, int64_t tap) {
    const double value = image.at(n, h, c);
    if (!winner || value > best || (std::isnan(value) && !std::isnan(best))) {
      winner = tap;
      best = value;
    }
  });
  return *winner; // every window has a pixel
}

/// The pixel that it reads.
static int64_t findWinner(const Windows &windows, const Images &image, int64_t n, int64_t p, int64_t c) {
  return *windows.readBy(p, findWinningTap(windows, image, n, p, c));
}

static Tensor poolMax(auto op, const Frame &frame) {
  const Windows windows(op.getWindows());
  const Images image(frame[op.getImage()], windows.countImagePixels());
  return forEachElement(op, windows.countResultPixels(), [&](int64_t n, int64_t p, int64_t c) {
    return image.at(n, findWinner(windows, image, n, p, c), c);
  });
}

Tensor rules::evaluate(MaxPoolOp op, const Frame &frame) { return poolMax(op, frame); }

Tensor rules::evaluate(MaxPoolGradOp op, const Frame &frame) {
  const Windows windows(op.getWindows());
  const Tensor &tensor = frame[op.getImage()];
  const Images image(tensor, windows.countImagePixels());
  const Images gradient(frame[op.getGradient()], windows.countResultPixels());
  return forEachElement(op, windows.countImagePixels(), [&](int64_t n, int64_t h, int64_t c) {
    Accumulator sum(accumulatorOf(tensor.type.element), frame.options);
    windows.forEachReader(h, [&](int64_t p) {
      if (findWinner(windows, image, n, p, c) == h)
        sum.add(gradient.at(n, p, c));
    });
    return sum.get();
  });
}

rules::Tensors rules::evaluate(MaxPoolWithIndicesOp op, const Frame &frame) {
  const Windows windows(op.getWindows());
  const Images image(frame[op.getImage()], windows.countImagePixels());
  TensorTypeT type = runtimeTypeOf(op.getIndices());
  const auto indices = listElements<int64_t>(type, windows.countResultPixels(), [&](int64_t n, int64_t p, int64_t c) {
    return findWinningTap(windows, image, n, p, c);
  });
  return {poolMax(op, frame), Tensor::ofIntegers(std::move(type), indices)};
}

Tensor rules::evaluate(MaxUnpoolOp op, const Frame &frame) {
  const Windows windows(op.getWindows());
  const int64_t channels = shapeOf(op.getResult()).back(), results = windows.countResultPixels();
  const std::vector<int64_t> indices = frame[op.getIndices()].integers();
  const Images values(frame[op.getValues()], results);
  return forEachElement(op, windows.countImagePixels(), [&](int64_t n, int64_t h, int64_t c) {
    for (int64_t tap = 0; tap < windows.countTaps(); ++tap)
      if (std::optional<int64_t> p = windows.readerOf(h, tap); p && indices[(n * results + *p) * channels + c] == tap)
        return 0 + values.at(n, *p, c);
    return 0.0;
  });
}

/// How many pixels count in the mean of window `p`.
template <typename Op> static int64_t countOf(Op op, const Windows &windows, int64_t p) {
  if (op.getCountPadding())
    return op.getWindowSize();
  int64_t count = 0;
  windows.forEachPixel(p, [&](int64_t, int64_t) { count += 1; });
  return count;
}

/// sum / count, in the type that is summed in.
static double quotient(double sum, int64_t count, ElementType element, const Frame &frame) {
  const double mean = sum / static_cast<double>(count);
  return frame.options.exactAccumulator ? roundTo(mean, formatOf(accumulatorOf(element))) : mean;
}

Tensor rules::evaluate(AvgPoolOp op, const Frame &frame) {
  const Windows windows(op.getWindows());
  const Tensor &tensor = frame[op.getImage()];
  const Images image(tensor, windows.countImagePixels());
  return forEachElement(op, windows.countResultPixels(), [&](int64_t n, int64_t p, int64_t c) {
    Accumulator sum(accumulatorOf(tensor.type.element), frame.options);
    windows.forEachPixel(p, [&](int64_t h, int64_t) { sum.add(image.at(n, h, c)); });
    return quotient(sum.get(), countOf(op, windows, p), tensor.type.element, frame);
  });
}

Tensor rules::evaluate(AvgPoolGradOp op, const Frame &frame) {
  const Windows windows(op.getWindows());
  const Tensor &tensor = frame[op.getGradient()];
  const Images gradient(tensor, windows.countResultPixels());
  return forEachElement(op, windows.countImagePixels(), [&](int64_t n, int64_t h, int64_t c) {
    Accumulator sum(accumulatorOf(tensor.type.element), frame.options);
    windows.forEachReader(h, [&](int64_t p) {
      sum.add(quotient(gradient.at(n, p, c), countOf(op, windows, p), tensor.type.element, frame));
    });
    return sum.get();
  });
}
