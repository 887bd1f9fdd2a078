// Adam and its kin of MPOptimizerOps.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In the types that the ops' descriptions state, as Optimizers.cpp.

#include "Reference/Optimizers.h"

#include "mp/Numerics/NAdam.h"

#include <cmath>

using namespace mp;

/// By squaring and multiplying over the bits of the exponent, from the lowest: the same bits
/// wherever f64 is IEEE 754.
static double power(double base, int64_t exponent) {
  double result = 1;
  for (uint64_t bits = exponent; bits != 0; bits >>= 1, base *= base)
    if (bits & 1)
      result *= base;
  return result;
}

/// The number of this step, from 1 on, of the count of those before it.
static int64_t numberOf(mlir::Value step, const Frame &frame) { return frame[step].integers().front() + 1; }

namespace {
/// The numbers of one step of Adam that all elements share.
struct AdamStep {
  float learningRate, beta1, beta2, oneMinusBeta1, oneMinusBeta2, correction1, rootOfCorrection2, epsilon, weightDecay;
};
} // namespace

template <typename AdamLike> static AdamStep stepOf(AdamLike op, const Frame &frame) {
  const double beta1 = op.getBeta1().convertToDouble(), beta2 = op.getBeta2().convertToDouble();
  const int64_t t = numberOf(op.getStep(), frame);
  return {rules::scalarOf(op.getLearningRate(), frame),
          toF32(beta1),
          toF32(beta2),
          toF32(1 - beta1),
          toF32(1 - beta2),
          toF32(1 - power(beta1, t)),
          toF32(std::sqrt(1 - power(beta2, t))),
          toF32(op.getEpsilon().convertToDouble()),
          toF32(op.getWeightDecay().convertToDouble())};
}

/// The means of the gradient and of its square, and what the former is divided by.
static float updateMeans(float g, float &m, float &v, const AdamStep &step) {
  m = step.beta1 * m + step.oneMinusBeta1 * g;
  v = step.beta2 * v + step.oneMinusBeta2 * g * g;
  return std::sqrt(v) / step.rootOfCorrection2 + step.epsilon;
}

/// `update(parameter, gradient, m, v)` changes one element of each.
template <typename AdamLike, typename Update>
static rules::Tensors updateEach(AdamLike op, const Frame &frame, Update update) {
  const Tensor &parameter = frame[op.getParameter()], &first = frame[op.getM()], &second = frame[op.getV()];
  if (rules::isSkipped(op.getGuard(), frame))
    return {parameter, first, second};

  std::vector<float> p = parameter.floats(), gradient = frame[op.getGradient()].floats();
  std::vector<float> m = first.floats(), v = second.floats();
  for (size_t i = 0; i < p.size(); ++i)
    update(p[i], gradient[i], m[i], v[i]);
  return {Tensor::ofFloats(parameter.type, p), Tensor::ofFloats(parameter.type, m),
          Tensor::ofFloats(parameter.type, v)};
}

rules::Tensors rules::evaluate(AdamOp op, const Frame &frame) {
  const AdamStep step = stepOf(op, frame);
  return updateEach(op, frame, [&](float &p, float g, float &m, float &v) {
    const float denominator = updateMeans(g + step.weightDecay * p, m, v, step);
    p = p - step.learningRate / step.correction1 * m / denominator;
  });
}

rules::Tensors rules::evaluate(AdamWOp op, const Frame &frame) {
  const AdamStep step = stepOf(op, frame);
  return updateEach(op, frame, [&](float &p, float g, float &m, float &v) {
    p = p * (1.0f - step.learningRate * step.weightDecay);
    const float denominator = updateMeans(g, m, v, step);
    p = p - step.learningRate / step.correction1 * m / denominator;
  });
}

/// The momentum of step t.
template <typename NAdamLike> static double momentumOf(NAdamLike op, int64_t t) {
  const double base = momentumBase(op.getMomentumDecay().convertToDouble());
  return op.getBeta1().convertToDouble() * (1 - 0.5 * power(base, t));
}

Tensor rules::evaluate(MomentumProductOp op, const Frame &frame) {
  if (isSkipped(op.getGuard(), frame))
    return frame[op.getProduct()];
  const int64_t t = numberOf(op.getStep(), frame);
  const float product = scalarOf(op.getProduct(), frame) * toF32(momentumOf(op, t));
  return Tensor::ofFloats(runtimeTypeOf(op.getNewProduct()), {product});
}

rules::Tensors rules::evaluate(NAdamOp op, const Frame &frame) {
  const AdamStep step = stepOf(op, frame);
  const int64_t t = numberOf(op.getStep(), frame);
  const double mu = momentumOf(op, t), next = momentumOf(op, t + 1), product = scalarOf(op.getProduct(), frame);
  const float ofGradient = toF32(step.learningRate * (1 - mu) / (1 - product));
  const float ofMean = toF32(step.learningRate * next / (1 - product * next));
  return updateEach(op, frame, [&](float &p, float gradient, float &m, float &v) {
    const float g = gradient + step.weightDecay * p;
    const float denominator = updateMeans(g, m, v, step);
    p = p - (ofGradient * g + ofMean * m) / denominator;
  });
}

rules::Tensors rules::evaluate(LAMBOp op, const Frame &frame) {
  const AdamStep step = stepOf(op, frame);
  const Tensor &parameter = frame[op.getParameter()];
  std::vector<float> direction;
  Tensors results = updateEach(op, frame, [&](float &p, float g, float &m, float &v) {
    const float denominator = updateMeans(g, m, v, step);
    direction.push_back(1.0f / step.correction1 * m / denominator + step.weightDecay * p);
  });
  if (direction.empty())
    return results;
  const float norm = normOf(parameter, frame.options);
  const float ofDirection = normOf(Tensor::ofFloats(parameter.type, direction), frame.options);
  const float rate = step.learningRate * (norm > 0 && ofDirection > 0 ? norm / ofDirection : 1.0f);
  std::vector<float> p = parameter.floats();
  for (size_t i = 0; i < p.size(); ++i)
    p[i] = std::fma(-rate, direction[i], p[i]);
  results[0] = Tensor::ofFloats(parameter.type, p);
  return results;
}
