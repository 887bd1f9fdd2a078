// Normalization of groups of channels, and its gradients.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In f64 whatever the options say, as other norms.

#include "Reference/Indexing.h"
#include "Reference/Rules.h"

#include <cmath>

using namespace mp;

namespace {

/// Images [N, places, C] and the mean and deviation of each group of each.
class Groups {
public:
  template <typename Op>
  Groups(Op op, const Frame &frame) : x(frame[op.getInput()].reals()), groups(static_cast<int64_t>(op.getGroups())) {
    const Shape &shape = frame[op.getInput()].type.shape;
    images = shape.front();
    channels = shape.back();
    places = images == 0 ? 0 : static_cast<int64_t>(x.size()) / images / channels;
    means = average([&](int64_t i) { return x[i]; });
    deviations = average([&](int64_t i) { return (x[i] - means[groupOf(i)]) * (x[i] - means[groupOf(i)]); });
    for (double &value : deviations)
      value = std::sqrt(value + op.getEpsilon().convertToDouble());
  }

  int64_t channelOf(int64_t i) const { return i % channels; }
  /// The group of its image that element `i` is in, counted over all images.
  int64_t groupOf(int64_t i) const { return i / (places * channels) * groups + channelOf(i) / (channels / groups); }
  double normalized(int64_t i) const { return (x[i] - means[groupOf(i)]) / deviations[groupOf(i)]; }
  double deviation(int64_t i) const { return deviations[groupOf(i)]; }

  /// The mean of `term` of each element over each group.
  template <typename Term> std::vector<double> average(Term term) const {
    std::vector<double> sums(images * groups, 0.0);
    for (int64_t i = 0; i < static_cast<int64_t>(x.size()); ++i)
      sums[groupOf(i)] += term(i);
    const int64_t count = places * (channels / groups);
    for (double &sum : sums)
      sum /= static_cast<double>(count);
    return sums;
  }

  std::vector<double> x;
  int64_t channels;

private:
  int64_t images, places, groups;
  std::vector<double> means, deviations;
};

} // namespace

Tensor rules::evaluate(GroupNormOp op, const Frame &frame) {
  const Groups of(op, frame);
  const std::vector<double> scale = frame[op.getScale()].reals(), offset = frame[op.getOffset()].reals();
  std::vector<double> values(of.x.size());
  for (int64_t i = 0; i < static_cast<int64_t>(values.size()); ++i)
    values[i] = of.normalized(i) * scale[of.channelOf(i)] + offset[of.channelOf(i)];
  return Tensor::ofReals(runtimeTypeOf(op.getResult()), values);
}

rules::Tensors rules::evaluate(GroupNormGradOp op, const Frame &frame) {
  const Groups of(op, frame);
  const std::vector<double> scale = frame[op.getScale()].reals(), g = frame[op.getGradient()].reals();
  auto scaled = [&](int64_t i) { return g[i] * scale[of.channelOf(i)]; };
  const std::vector<double> mean = of.average(scaled);
  const std::vector<double> along = of.average([&](int64_t i) { return scaled(i) * of.normalized(i); });
  std::vector<double> ofInput(g.size()), ofScale(of.channels, 0.0), ofOffset(of.channels, 0.0);
  for (int64_t i = 0; i < static_cast<int64_t>(g.size()); ++i) {
    const int64_t group = of.groupOf(i);
    ofInput[i] = (scaled(i) - mean[group] - of.normalized(i) * along[group]) / of.deviation(i);
    ofScale[of.channelOf(i)] += g[i] * of.normalized(i);
    ofOffset[of.channelOf(i)] += g[i];
  }
  return {Tensor::ofReals(runtimeTypeOf(op.getInputGradient()), ofInput),
          Tensor::ofReals(runtimeTypeOf(op.getScaleGradient()), ofScale),
          Tensor::ofReals(runtimeTypeOf(op.getOffsetGradient()), ofOffset)};
}
