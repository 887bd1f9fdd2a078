// Normalization of channels over a batch, and its gradients.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The interior of these ops is f64 here whatever the options say, as that of softmax.

#include "Reference/Indexing.h"
#include "Reference/Rules.h"

#include <cmath>

using namespace mp;

namespace {

/// Images as rows of channels, one for each pixel, and what each row counts.
struct Pixels {
  Pixels(const Tensor &images, const Tensor *weights) : channels(images.type.shape.back()), values(images.reals()) {
    const std::vector<int64_t> &shape = images.type.shape;
    counts.assign(elementsOf({shape.begin(), shape.end() - 1}), 1.0);
    if (!weights)
      return;
    const std::vector<double> ofImage = weights->reals();
    for (size_t row = 0; row < counts.size(); ++row)
      counts[row] = ofImage[row / (counts.size() / ofImage.size())];
  }

  /// Calls `visit(row, channel, element)` for each element.
  template <typename Visit> void forEach(Visit visit) const {
    for (size_t i = 0; i < values.size(); ++i)
      visit(i / channels, i % channels, i);
  }
  double count() const {
    double sum = 0;
    for (double of : counts)
      sum += of;
    return sum;
  }
  /// For each channel the sum of `value(row, channel, element)`.
  template <typename GetValue> std::vector<double> sum(GetValue value) const {
    std::vector<double> sums(channels, 0.0);
    forEach([&](size_t row, size_t channel, size_t i) { sums[channel] += value(row, channel, i); });
    return sums;
  }

  size_t channels;
  std::vector<double> values, counts;
};

} // namespace

static const Tensor *weightsOf(mlir::Value weights, const Frame &frame) { return weights ? &frame[weights] : nullptr; }

static void divide(std::vector<double> &values, double by) {
  for (double &value : values)
    value /= by;
}

/// `(x - mean) / sqrt(variance + epsilon) * scale + offset` of each channel.
static std::vector<double> normalize(const Pixels &pixels, const std::vector<double> &mean,
                                     const std::vector<double> &variance, double epsilon,
                                     const std::vector<double> &scale, const std::vector<double> &offset) {
  std::vector<double> result(pixels.values.size());
  pixels.forEach([&](size_t, size_t c, size_t i) {
    result[i] = (pixels.values[i] - mean[c]) / std::sqrt(variance[c] + epsilon) * scale[c] + offset[c];
  });
  return result;
}

rules::Tensors rules::evaluate(BatchNormOp op, const Frame &frame) {
  const Pixels pixels(frame[op.getInput()], weightsOf(op.getWeights(), frame));
  const double count = pixels.count();
  std::vector<double> mean =
      pixels.sum([&](size_t row, size_t, size_t i) { return pixels.counts[row] * pixels.values[i]; });
  divide(mean, count);
  std::vector<double> variance = pixels.sum([&](size_t row, size_t c, size_t i) {
    return pixels.counts[row] * (pixels.values[i] - mean[c]) * (pixels.values[i] - mean[c]);
  });
  divide(variance, count);
  const std::vector<double> result = normalize(pixels, mean, variance, op.getEpsilon().convertToDouble(),
                                               frame[op.getScale()].reals(), frame[op.getOffset()].reals());
  return {Tensor::ofReals(runtimeTypeOf(op.getResult()), result), Tensor::ofReals(runtimeTypeOf(op.getMean()), mean),
          Tensor::ofReals(runtimeTypeOf(op.getVariance()), variance),
          Tensor::ofReals(runtimeTypeOf(op.getCount()), {count})};
}

rules::Tensors rules::evaluate(BatchNormGradOp op, const Frame &frame) {
  const Pixels pixels(frame[op.getInput()], weightsOf(op.getWeights(), frame));
  const std::vector<double> scale = frame[op.getScale()].reals(), mean = frame[op.getMean()].reals();
  const std::vector<double> variance = frame[op.getVariance()].reals(), g = frame[op.getGradient()].reals();
  const double count = pixels.count(), epsilon = op.getEpsilon().convertToDouble();
  auto inverse = [&](size_t c) { return 1 / std::sqrt(variance[c] + epsilon); };
  auto normalized = [&](size_t c, size_t i) { return (pixels.values[i] - mean[c]) * inverse(c); };
  const std::vector<double> ofOffset = pixels.sum([&](size_t, size_t, size_t i) { return g[i]; });
  const std::vector<double> ofScale = pixels.sum([&](size_t, size_t c, size_t i) { return g[i] * normalized(c, i); });
  std::vector<double> ofInput(g.size());
  pixels.forEach([&](size_t row, size_t c, size_t i) {
    const double shared = pixels.counts[row] * (ofOffset[c] + normalized(c, i) * ofScale[c]) / count;
    ofInput[i] = scale[c] * inverse(c) * (g[i] - shared);
  });
  return {Tensor::ofReals(runtimeTypeOf(op.getInputGradient()), ofInput),
          Tensor::ofReals(runtimeTypeOf(op.getScaleGradient()), ofScale),
          Tensor::ofReals(runtimeTypeOf(op.getOffsetGradient()), ofOffset)};
}

Tensor rules::evaluate(BatchNormInferenceOp op, const Frame &frame) {
  const Pixels pixels(frame[op.getInput()], nullptr);
  return Tensor::ofReals(runtimeTypeOf(op.getResult()),
                         normalize(pixels, frame[op.getMean()].reals(), frame[op.getVariance()].reals(),
                                   op.getEpsilon().convertToDouble(), frame[op.getScale()].reals(),
                                   frame[op.getOffset()].reals()));
}

Tensor rules::evaluate(UpdateRunningOp op, const Frame &frame) {
  const TensorTypeT type = runtimeTypeOf(op.getResult());
  // Every product and sum has the type of the state, as in the step.
  auto round = [&](double value) { return type.element == ElementType::F64 ? value : double(toF32(value)); };
  std::vector<double> values = frame[op.getOld()].reals();
  const std::vector<double> batch = frame[op.getBatch()].reals();
  const double count = frame[op.getCount()].reals().front();
  const double weight = round(op.getMomentum().convertToDouble()), rest = round(1 - op.getMomentum().convertToDouble());
  const double correction = op.getUnbiased() && count > 1 ? round(count / round(count - 1)) : 1;
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = round(round(rest * values[i]) + round(weight * round(batch[i] * correction)));
  return Tensor::ofReals(type, values);
}
