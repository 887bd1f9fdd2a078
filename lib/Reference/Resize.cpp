// Rules of MPResizeOps.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reference/Accumulator.h"
#include "Reference/Images.h"
#include "Reference/Rules.h"
#include "mp/IR/Resampling.h"

#include <algorithm>

using namespace mp;

namespace {

/// Images whose pixels are terms of others.
struct Terms {
  const Tensor &image;
  TensorTypeT type; ///< of the result
  llvm::SmallVector<Taps, 3> taps;
  const EvaluatorOptions &options;

  /// Each pixel the one that is its only term.
  Tensor move() const {
    const int64_t channels = type.shape.back();
    std::vector<int64_t> sources(elementsOf(type.shape));
    for (size_t element = 0; element < sources.size(); ++element) {
      int64_t source = element % channels, stride = channels, pixel = element / channels;
      for (size_t i = taps.size(); i-- > 0;) {
        source += taps[i].indices[pixel % type.shape[i + 1]] * stride;
        stride *= image.type.shape[i + 1];
        pixel /= type.shape[i + 1];
      }
      sources[element] = source + pixel * stride;
    }
    return gather(image, sources, type);
  }

  /// Each pixel the sum of its terms, those along the last dimension first.
  Tensor sum() const {
    int64_t pixels = 1;
    for (size_t i = 0; i < taps.size(); ++i)
      pixels *= image.type.shape[i + 1];
    const Images images(image, pixels);
    const ElementType wide = accumulatorOf(type.element);
    const int64_t channels = type.shape.back();
    std::vector<double> sums(elementsOf(type.shape));
    for (size_t element = 0; element < sums.size(); ++element) {
      std::vector<int64_t> at(taps.size());
      int64_t rest = element / channels;
      for (size_t i = taps.size(); i-- > 0; rest /= type.shape[i + 1])
        at[i] = rest % type.shape[i + 1];
      auto sumFrom = [&](auto &self, size_t i, int64_t pixel) -> double {
        if (i == taps.size())
          return images.at(rest, pixel, element % channels);
        Accumulator sum(wide, options);
        for (int32_t j = taps[i].starts[at[i]]; j < taps[i].starts[at[i] + 1]; ++j)
          sum.addProduct(roundTo(taps[i].weights[j], formatOf(wide)),
                         self(self, i + 1, pixel * image.type.shape[i + 1] + taps[i].indices[j]));
        return sum.get();
      };
      sums[element] = sumFrom(sumFrom, 0, 0);
    }
    return Tensor::ofReals(type, sums);
  }
};

} // namespace

Tensor rules::evaluate(ResizeOp op, const Frame &frame) {
  const Terms terms{frame[op.getImage()], runtimeTypeOf(op.getResult()), tapsOf(op), frame.options};
  return op.getMode() == ResizeMode::nearest ? terms.move() : terms.sum();
}

Tensor rules::evaluate(ResizeGradOp op, const Frame &frame) {
  return Terms{frame[op.getGradient()], runtimeTypeOf(op.getResult()), tapsOf(op), frame.options}.sum();
}

/// The tables of one dimension, of images with so many pixels there and results with so many.
static Taps tablesOf(ResampleOp op, const Frame &frame, size_t i, int64_t image, int64_t result) {
  Taps taps;
  const std::vector<int64_t> indices = frame[op.getIndices()[i]].integers();
  const auto count = static_cast<int64_t>(indices.size());
  for (int64_t index : indices)
    taps.indices.push_back(static_cast<int32_t>(std::clamp<int64_t>(index, 0, image - 1)));
  taps.weights = op.getWeights().empty() ? std::vector<double>(count, 1) : frame[op.getWeights()[i]].reals();
  for (int64_t pixel = 0; pixel <= result; ++pixel)
    taps.starts.push_back(static_cast<int32_t>(pixel * op.countTerms(i)));
  if (!op.getStarts().empty())
    for (auto [own, given] : llvm::zip_equal(taps.starts, frame[op.getStarts()[i]].integers()))
      own = static_cast<int32_t>(std::clamp<int64_t>(given, 0, count));
  return taps;
}

Tensor rules::evaluate(ResampleOp op, const Frame &frame) {
  Terms terms{frame[op.getImage()], runtimeTypeOf(op.getResult()), {}, frame.options};
  for (size_t i = 0; i < op.getIndices().size(); ++i)
    terms.taps.push_back(tablesOf(op, frame, i, terms.image.type.shape[i + 1], terms.type.shape[i + 1]));
  return op.getWeights().empty() ? terms.move() : terms.sum();
}
