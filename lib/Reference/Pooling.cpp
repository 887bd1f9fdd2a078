// Rules of MPPoolingOps.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reference/Accumulator.h"
#include "Reference/Images.h"
#include "Reference/Rules.h"

#include <cmath>

using namespace mp;

/// A tensor [images, pixels, channels] of the op's type, of what `get` says of each element.
template <typename Op, typename Get> static Tensor forEachElement(Op op, int64_t pixels, Get get) {
  TensorTypeT type = runtimeTypeOf(op.getResult());
  const int64_t channels = type.shape.back();
  std::vector<double> result(elementsOf(type.shape));
  for (size_t element = 0; element < result.size(); ++element) {
    const int64_t pixel = element / channels;
    result[element] = get(pixel / pixels, pixel % pixels, element % channels);
  }
  return Tensor::ofReals(std::move(type), result);
}

/// The pixel that is the result of window `p`: the first of the largest, or the first NaN.
static int64_t findWinner(const Windows &windows, const Images &image, int64_t n, int64_t p, int64_t c) {
  std::optional<int64_t> winner;
  for (int64_t tap = 0; tap < windows.countTaps(); ++tap) {
    const std::optional<int64_t> h = windows.readBy(p, tap);
    if (!h)
      continue;
    const double value = image.at(n, *h, c), best = winner ? image.at(n, *winner, c) : 0;
    if (!winner || value > best || (std::isnan(value) && !std::isnan(best)))
      winner = h;
  }
  return *winner; // every window has a pixel
}

Tensor rules::evaluate(MaxPoolOp op, const Frame &frame) {
  const Windows windows(op.getWindows());
  const Images image(frame[op.getImage()], windows.countImagePixels());
  return forEachElement(op, windows.countResultPixels(), [&](int64_t n, int64_t p, int64_t c) {
    return image.at(n, findWinner(windows, image, n, p, c), c);
  });
}

Tensor rules::evaluate(MaxPoolGradOp op, const Frame &frame) {
  const Windows windows(op.getWindows());
  const Tensor &tensor = frame[op.getImage()];
  const Images image(tensor, windows.countImagePixels());
  const Images gradient(frame[op.getGradient()], windows.countResultPixels());
  return forEachElement(op, windows.countImagePixels(), [&](int64_t n, int64_t h, int64_t c) {
    Accumulator sum(accumulatorOf(tensor.type.element), frame.options);
    // A later tap is that of an earlier window.
    for (int64_t tap = windows.countTaps(); tap-- > 0;)
      if (std::optional<int64_t> p = windows.readerOf(h, tap); p && findWinner(windows, image, n, *p, c) == h)
        sum.add(gradient.at(n, *p, c));
    return sum.get();
  });
}

/// How many pixels count in the mean of window `p`.
template <typename Op> static int64_t countOf(Op op, const Windows &windows, int64_t p) {
  if (op.getCountPadding())
    return windows.countTaps();
  int64_t count = 0;
  for (int64_t tap = 0; tap < windows.countTaps(); ++tap)
    count += windows.readBy(p, tap).has_value();
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
    for (int64_t tap = 0; tap < windows.countTaps(); ++tap)
      if (std::optional<int64_t> h = windows.readBy(p, tap))
        sum.add(image.at(n, *h, c));
    return quotient(sum.get(), countOf(op, windows, p), tensor.type.element, frame);
  });
}

Tensor rules::evaluate(AvgPoolGradOp op, const Frame &frame) {
  const Windows windows(op.getWindows());
  const Tensor &tensor = frame[op.getGradient()];
  const Images gradient(tensor, windows.countResultPixels());
  return forEachElement(op, windows.countImagePixels(), [&](int64_t n, int64_t h, int64_t c) {
    Accumulator sum(accumulatorOf(tensor.type.element), frame.options);
    // A later tap is that of an earlier window.
    for (int64_t tap = windows.countTaps(); tap-- > 0;)
      if (std::optional<int64_t> p = windows.readerOf(h, tap))
        sum.add(quotient(gradient.at(n, *p, c), countOf(op, windows, *p), tensor.type.element, frame));
    return sum.get();
  });
}
