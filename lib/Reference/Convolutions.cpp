// Rules of MPConvolutionOps.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product with padding is left out: it is 0.

#include "Reference/Accumulator.h"
#include "Reference/Images.h"
#include "Reference/Rules.h"

using namespace mp;

static ElementType accOf(mlir::Type type) { return tensorTypeOf(mlir::RankedTensorType::get({}, type))->element; }

/// A tensor [rows, pixels, channels] of the op's type: in each element the sum that `sum` adds up, in the type `acc`.
template <typename Op, typename Sum>
static Tensor sumEach(Op op, ElementType acc, const Frame &frame, int64_t pixels, Sum sum) {
  TensorTypeT type = runtimeTypeOf(op.getResult());
  const int64_t channels = type.shape.back();
  std::vector<double> result(elementsOf(type.shape));
  for (size_t element = 0; element < result.size(); ++element) {
    const int64_t pixel = element / channels;
    Accumulator accumulator(acc, frame.options);
    sum(accumulator, pixel / pixels, pixel % pixels, element % channels);
    result[element] = accumulator.get();
  }
  return Tensor::ofReals(std::move(type), result);
}

// Over taps and channels.
Tensor rules::evaluate(ConvOp op, const Frame &frame) {
  const Convolution sizes = op.getConvolution();
  const Windows windows(sizes.windows);
  const int64_t filters = sizes.filters / sizes.groups, channels = sizes.channels / sizes.groups; // of a group
  const Images image(frame[op.getImage()], windows.countImagePixels());
  const Images filter(frame[op.getFilter()], windows.countTaps());
  const std::vector<double> bias = op.getBias() ? frame[op.getBias()].reals() : std::vector<double>();
  return sumEach(op, accOf(op.getAcc()), frame, windows.countResultPixels(),
                 [&](Accumulator &sum, int64_t n, int64_t p, int64_t k) {
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
  const Windows windows(sizes.windows);
  const int64_t filters = sizes.filters / sizes.groups, channels = sizes.channels / sizes.groups; // of a group
  const Images input(frame[op.getInput()], windows.countResultPixels());
  const Images filter(frame[op.getFilter()], windows.countTaps());
  return sumEach(op, accOf(op.getAcc()), frame, windows.countImagePixels(),
                 [&](Accumulator &sum, int64_t n, int64_t h, int64_t c) {
                   const int64_t first = c / channels * filters;
                   for (int64_t tap = 0; tap < windows.countTaps(); ++tap)
                     if (std::optional<int64_t> p = windows.readerOf(h, tap))
                       for (int64_t k = first; k < first + filters; ++k)
                         sum.addProduct(input.at(n, *p, k), filter.at(k, tap, c % channels));
                 });
}

/// Over rows of the batch and pixels of the result, `depth` of them in each part.
template <typename Op> static Tensor filterGradient(Op op, const Frame &frame, int64_t depth) {
  const Convolution sizes = op.getConvolution();
  const Windows windows(sizes.windows);
  const int64_t filters = sizes.filters / sizes.groups, channels = sizes.channels / sizes.groups; // of a group
  const int64_t pixels = windows.countResultPixels();
  const Images image(frame[op.getImage()], windows.countImagePixels());
  const Images gradient(frame[op.getGradient()], pixels);
  return sumEach(op, accOf(op.getAcc()), frame, windows.countTaps(),
                 [&](Accumulator &sum, int64_t row, int64_t tap, int64_t c) {
                   const int64_t k = row % sizes.filters, first = row / sizes.filters * depth;
                   const int64_t channel = k / filters * channels + c;
                   for (int64_t at = first; at < std::min(first + depth, sizes.images * pixels); ++at)
                     if (std::optional<int64_t> h = windows.readBy(at % pixels, tap))
                       sum.addProduct(image.at(at / pixels, *h, channel), gradient.at(at / pixels, at % pixels, k));
                 });
}

Tensor rules::evaluate(ConvFilterGradOp op, const Frame &frame) {
  return filterGradient(op, frame, op.getContractionSize());
}
Tensor rules::evaluate(ConvFilterGradPartsOp op, const Frame &frame) {
  return filterGradient(op, frame, static_cast<int64_t>(op.getDepth()));
}

// Taps [taps, channels]: those of each channel.

Tensor rules::evaluate(DepthwiseConvOp op, const Frame &frame) {
  const Windows windows(op.getWindows());
  const Images image(frame[op.getImage()], windows.countImagePixels());
  const Images taps(frame[op.getTaps()], windows.countTaps());
  const std::vector<double> bias = op.getBias() ? frame[op.getBias()].reals() : std::vector<double>();
  const int64_t last = windows.countTaps() - 1;
  return sumEach(op, accOf(elementOf(op.getTaps())), frame, windows.countResultPixels(),
                 [&](Accumulator &sum, int64_t n, int64_t p, int64_t c) {
                   for (int64_t tap = 0; tap <= last; ++tap)
                     if (std::optional<int64_t> h = windows.readBy(p, tap))
                       sum.addProduct(image.at(n, *h, c), taps.at(0, op.getReversed() ? last - tap : tap, c));
                   if (!bias.empty())
                     sum.add(bias[c]);
                 });
}

Tensor rules::evaluate(DepthwiseConvTransposeOp op, const Frame &frame) {
  const Windows windows(op.getWindows());
  const Images input(frame[op.getInput()], windows.countResultPixels());
  const Images taps(frame[op.getTaps()], windows.countTaps());
  return sumEach(op, accOf(elementOf(op.getTaps())), frame, windows.countImagePixels(),
                 [&](Accumulator &sum, int64_t n, int64_t h, int64_t c) {
                   // A later tap is that of an earlier pixel.
                   for (int64_t tap = windows.countTaps(); tap-- > 0;)
                     if (std::optional<int64_t> p = windows.readerOf(h, tap))
                       sum.addProduct(input.at(n, *p, c), taps.at(0, tap, c));
                 });
}

Tensor rules::evaluate(DepthwiseConvRowSumsOp op, const Frame &frame) {
  const Windows windows(op.getWindows());
  const int64_t pixels = windows.countResultPixels(), taps = windows.countTaps();
  const int64_t columns = op.getWindows().back().output, rows = columns == 0 ? 0 : pixels / columns;
  const Images image(frame[op.getImage()], windows.countImagePixels());
  const Images gradient(frame[op.getGradient()], pixels);
  return sumEach(op, accOf(elementOf(op.getResult())), frame, taps * rows,
                 [&](Accumulator &sum, int64_t n, int64_t term, int64_t c) {
                   for (int64_t p = term % rows * columns; p < (term % rows + 1) * columns; ++p)
                     if (std::optional<int64_t> h = windows.readBy(p, term / rows))
                       sum.addProduct(image.at(n, *h, c), gradient.at(n, p, c));
                 });
}
