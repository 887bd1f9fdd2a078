// Rules of MPConvolutionOps.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pixels of an image, taps of a filter and pixels of a result are counted in row-major order, whatever the number of
// spatial dimensions. A product with padding is left out: it is 0.

#include "Reference/Accumulator.h"
#include "Reference/Indexing.h"
#include "Reference/Rules.h"

#include <optional>

using namespace mp;

namespace {

/// Which pixel of a result reads which pixel of an image through which tap.
class Windows {
public:
  explicit Windows(const Convolution &sizes) : windows(sizes.windows) {
    for (const Window &window : windows) {
      imagePixels *= window.input;
      taps *= window.filter;
      resultPixels *= window.output;
    }
  }

  int64_t countImagePixels() const { return imagePixels; }
  int64_t countTaps() const { return taps; }
  int64_t countResultPixels() const { return resultPixels; }

  /// The pixel of the image, none where that is padding.
  std::optional<int64_t> readBy(int64_t result, int64_t tap) const {
    int64_t image = 0, stride = 1;
    for (const Window &window : llvm::reverse(windows)) {
      const int64_t p = result % window.output, r = tap % window.filter;
      const int64_t h = p * window.stride - window.low + r * window.dilation;
      if (h < 0 || h >= window.input)
        return std::nullopt;
      image += h * stride;
      stride *= window.input;
      result /= window.output;
      tap /= window.filter;
    }
    return image;
  }

  /// The pixel of the result, none where none reads `image` through `tap`.
  std::optional<int64_t> readerOf(int64_t image, int64_t tap) const {
    int64_t result = 0, stride = 1;
    for (const Window &window : llvm::reverse(windows)) {
      const int64_t h = image % window.input, r = tap % window.filter;
      const int64_t first = h + window.low - r * window.dilation; // p * stride
      if (first < 0 || first % window.stride != 0 || first / window.stride >= window.output)
        return std::nullopt;
      result += first / window.stride * stride;
      stride *= window.output;
      image /= window.input;
      tap /= window.filter;
    }
    return result;
  }

private:
  llvm::ArrayRef<Window> windows;
  int64_t imagePixels = 1, taps = 1, resultPixels = 1;
};

/// [rows, pixels, channels], as images are, and filters with taps for pixels.
class Images {
public:
  Images(const Tensor &tensor, int64_t pixels)
      : values(tensor.reals()), pixels(pixels), channels(tensor.type.shape.back()) {}

  double at(int64_t row, int64_t pixel, int64_t channel) const {
    return values[(row * pixels + pixel) * channels + channel];
  }

private:
  std::vector<double> values;
  int64_t pixels, channels;
};

} // namespace

static ElementType elementOf(mlir::Type type) { return tensorTypeOf(mlir::RankedTensorType::get({}, type))->element; }

/// A tensor [rows, pixels, channels] of the op's type: in each element the sum that `sum` adds up.
template <typename Op, typename Sum> static Tensor sumEach(Op op, const Frame &frame, int64_t pixels, Sum sum) {
  TensorTypeT type = runtimeTypeOf(op.getResult());
  const int64_t channels = type.shape.back();
  std::vector<double> result(elementsOf(type.shape));
  for (size_t element = 0; element < result.size(); ++element) {
    const int64_t pixel = element / channels;
    Accumulator accumulator(elementOf(op.getAcc()), frame.options);
    sum(accumulator, pixel / pixels, pixel % pixels, element % channels);
    result[element] = accumulator.get();
  }
  return Tensor::ofReals(std::move(type), result);
}

// Over taps and channels.
Tensor rules::evaluate(ConvOp op, const Frame &frame) {
  const Convolution sizes = op.getConvolution();
  const Windows windows(sizes);
  const int64_t filters = sizes.filters / sizes.groups, channels = sizes.channels / sizes.groups; // of a group
  const Images image(frame[op.getImage()], windows.countImagePixels());
  const Images filter(frame[op.getFilter()], windows.countTaps());
  const std::vector<double> bias = op.getBias() ? frame[op.getBias()].reals() : std::vector<double>();
  return sumEach(op, frame, windows.countResultPixels(), [&](Accumulator &sum, int64_t n, int64_t p, int64_t k) {
    const int64_t first = k / filters * channels;
    for (int64_t tap = 0; tap < windows.countTaps(); ++tap)
      if (std::optional<int64_t> h = windows.readBy(p, tap))
        for (int64_t c = 0; c < channels; ++c)
          sum.addProduct(image.at(n, *h, first + c), filter.at(k, tap, c));
    if (!bias.empty())
      sum.add(bias[k]);
  });
}

// Over taps and filters.
Tensor rules::evaluate(ConvTransposeOp op, const Frame &frame) {
  const Convolution sizes = op.getConvolution();
  const Windows windows(sizes);
  const int64_t filters = sizes.filters / sizes.groups, channels = sizes.channels / sizes.groups; // of a group
  const Images input(frame[op.getInput()], windows.countResultPixels());
  const Images filter(frame[op.getFilter()], windows.countTaps());
  return sumEach(op, frame, windows.countImagePixels(), [&](Accumulator &sum, int64_t n, int64_t h, int64_t c) {
    const int64_t first = c / channels * filters;
    for (int64_t tap = 0; tap < windows.countTaps(); ++tap)
      if (std::optional<int64_t> p = windows.readerOf(h, tap))
        for (int64_t k = first; k < first + filters; ++k)
          sum.addProduct(input.at(n, *p, k), filter.at(k, tap, c % channels));
  });
}

// Over rows of the batch and pixels of the result.
Tensor rules::evaluate(ConvFilterGradOp op, const Frame &frame) {
  const Convolution sizes = op.getConvolution();
  const Windows windows(sizes);
  const int64_t filters = sizes.filters / sizes.groups, channels = sizes.channels / sizes.groups; // of a group
  const Images image(frame[op.getImage()], windows.countImagePixels());
  const Images gradient(frame[op.getGradient()], windows.countResultPixels());
  return sumEach(op, frame, windows.countTaps(), [&](Accumulator &sum, int64_t k, int64_t tap, int64_t c) {
    const int64_t channel = k / filters * channels + c;
    for (int64_t n = 0; n < sizes.images; ++n)
      for (int64_t p = 0; p < windows.countResultPixels(); ++p)
        if (std::optional<int64_t> h = windows.readBy(p, tap))
          sum.addProduct(image.at(n, *h, channel), gradient.at(n, p, k));
  });
}
