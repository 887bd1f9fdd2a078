// Clipping and optimizers of MPTrainingOps.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// These ops state each of their steps, so they are computed in the types stated: f32 variables here
// are f32 in the op's description, and no product and sum fuse (the room is compiled with
// -ffp-contract=off).

#include "Reference/Accumulator.h"
#include "Reference/Rules.h"

#include <algorithm>
#include <cmath>

using namespace mp;

static float scalar(mlir::Value value, const Frame &frame) { return frame[value].floats().front(); }

/// On a step that is skipped an optimizer's results are its operands, bit for bit.
static bool isSkipped(mlir::Value guard, const Frame &frame) { return guard && frame[guard].integers().front() >= 0; }

static float globalNorm(mlir::ValueRange gradients, const Frame &frame) {
  SumOfSquares sum(frame.options);
  for (mlir::Value gradient : gradients)
    for (double value : frame[gradient].reals())
      sum.add(value);
  return toF32(std::sqrt(sum.get()));
}

Tensor rules::evaluate(GlobalNormOp op, const Frame &frame) {
  return Tensor::ofFloats(runtimeTypeOf(op.getNorm()), {globalNorm(op.getGradients(), frame)});
}

rules::Tensors rules::evaluate(ClipByGlobalNormOp op, const Frame &frame) {
  const float norm = globalNorm(op.getGradients(), frame);
  // Not std::min(1, x): a norm that is NaN gives NaN, as in PyTorch.
  const float ratio = op.getMaxNorm().convertToFloat() / (norm + 1e-6f);
  const float factor = ratio > 1.0f ? 1.0f : ratio;
  Tensors results;
  for (mlir::Value gradient : op.getGradients()) {
    std::vector<float> values = frame[gradient].floats();
    for (float &value : values)
      value *= factor;
    results.push_back(Tensor::ofFloats(frame[gradient].type, values));
  }
  results.push_back(Tensor::ofFloats(runtimeTypeOf(op.getNorm()), {norm}));
  return results;
}

rules::Tensors rules::evaluate(SGDOp op, const Frame &frame) {
  Tensor parameter = frame[op.getParameter()];
  Tensors results{parameter};
  if (op.getVelocity())
    results.push_back(frame[op.getVelocity()]);
  if (isSkipped(op.getGuard(), frame))
    return results;

  std::vector<float> p = parameter.floats(), gradient = frame[op.getGradient()].floats(), v;
  if (op.getVelocity())
    v = frame[op.getVelocity()].floats();
  const float learningRate = scalar(op.getLearningRate(), frame);
  const float momentum = op.getMomentum().convertToFloat(), weightDecay = op.getWeightDecay().convertToFloat();
  for (size_t i = 0; i < p.size(); ++i) {
    const float g = gradient[i] + weightDecay * p[i];
    float d = g;
    if (!v.empty()) {
      v[i] = momentum * v[i] + g;
      d = op.getNesterov() ? g + momentum * v[i] : v[i];
    }
    p[i] = p[i] - learningRate * d;
  }
  results[0] = Tensor::ofFloats(parameter.type, p);
  if (op.getVelocity())
    results[1] = Tensor::ofFloats(parameter.type, v);
  return results;
}

/// By squaring and multiplying over the bits of the exponent, from the lowest: the same bits
/// wherever f64 is IEEE 754.
static double power(double base, int64_t exponent) {
  double result = 1;
  for (uint64_t bits = exponent; bits != 0; bits >>= 1, base *= base)
    if (bits & 1)
      result *= base;
  return result;
}

namespace {
/// The numbers of one step of Adam that all elements share.
struct AdamStep {
  float learningRate, beta1, beta2, oneMinusBeta1, oneMinusBeta2, correction1, rootOfCorrection2, epsilon, weightDecay;
};
} // namespace

template <typename AdamLike> static AdamStep stepOf(AdamLike op, const Frame &frame) {
  const double beta1 = op.getBeta1().convertToDouble(), beta2 = op.getBeta2().convertToDouble();
  const int64_t t = frame[op.getStep()].integers().front() + 1;
  return {scalar(op.getLearningRate(), frame),
          toF32(beta1),
          toF32(beta2),
          toF32(1 - beta1),
          toF32(1 - beta2),
          toF32(1 - power(beta1, t)),
          toF32(std::sqrt(1 - power(beta2, t))),
          toF32(op.getEpsilon().convertToDouble()),
          toF32(op.getWeightDecay().convertToDouble())};
}

/// `decay(parameter, gradient, step)` applies weight decay to one of them.
template <typename AdamLike, typename Decay> static rules::Tensors adam(AdamLike op, const Frame &frame, Decay decay) {
  const Tensor &parameter = frame[op.getParameter()], &first = frame[op.getM()], &second = frame[op.getV()];
  if (isSkipped(op.getGuard(), frame))
    return {parameter, first, second};

  const AdamStep step = stepOf(op, frame);
  std::vector<float> p = parameter.floats(), gradient = frame[op.getGradient()].floats();
  std::vector<float> m = first.floats(), v = second.floats();
  for (size_t i = 0; i < p.size(); ++i) {
    float g = gradient[i];
    decay(p[i], g, step);
    m[i] = step.beta1 * m[i] + step.oneMinusBeta1 * g;
    v[i] = step.beta2 * v[i] + step.oneMinusBeta2 * g * g;
    const float denominator = std::sqrt(v[i]) / step.rootOfCorrection2 + step.epsilon;
    p[i] = p[i] - step.learningRate / step.correction1 * m[i] / denominator;
  }
  return {Tensor::ofFloats(parameter.type, p), Tensor::ofFloats(parameter.type, m),
          Tensor::ofFloats(parameter.type, v)};
}

rules::Tensors rules::evaluate(AdamOp op, const Frame &frame) {
  return adam(op, frame, [](float &p, float &g, const AdamStep &step) { g = g + step.weightDecay * p; });
}

rules::Tensors rules::evaluate(AdamWOp op, const Frame &frame) {
  return adam(op, frame,
              [](float &p, float &, const AdamStep &step) { p = p * (1.0f - step.learningRate * step.weightDecay); });
}
