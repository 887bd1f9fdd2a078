// Clipping and optimizers of MPOptimizerOps.td, but for Adam and its kin.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// These ops state each of their steps, so they are computed in the types stated: f32 variables here
// are f32 in the op's description, and product and sum fuse where it says so alone (the room is compiled with
// -ffp-contract=off).

#include "Reference/Optimizers.h"

#include "Reference/Accumulator.h"

#include <cmath>

using namespace mp;

bool rules::isSkipped(mlir::Value guard, const Frame &frame) { return guard && frame[guard].integers().front() >= 0; }

float rules::normOf(llvm::ArrayRef<Tensor> tensors, const EvaluatorOptions &options) {
  SumOfSquares sum(options);
  for (const Tensor &tensor : tensors)
    for (double value : tensor.reals())
      sum.add(value);
  return toF32(std::sqrt(sum.get()));
}

// Clipping

static float globalNorm(mlir::ValueRange gradients, const Frame &frame) {
  std::vector<Tensor> tensors;
  for (mlir::Value gradient : gradients)
    tensors.push_back(frame[gradient]);
  return rules::normOf(tensors, frame.options);
}

/// What gradients of that norm are multiplied by.
static float clippingFactor(const llvm::APFloat &maxNorm, float norm) {
  // Not std::min(1, x): a norm that is NaN gives NaN, as in PyTorch.
  const float ratio = maxNorm.convertToFloat() / (norm + 1e-6f);
  return ratio > 1.0f ? 1.0f : ratio;
}

/// Each element by `change`.
template <typename Change> static Tensor mapped(const Tensor &tensor, Change change) {
  std::vector<float> values = tensor.floats();
  for (float &value : values)
    value = change(value);
  return Tensor::ofFloats(tensor.type, values);
}

Tensor rules::evaluate(GlobalNormOp op, const Frame &frame) {
  return Tensor::ofFloats(runtimeTypeOf(op.getNorm()), {globalNorm(op.getGradients(), frame)});
}

rules::Tensors rules::evaluate(ClipByGlobalNormOp op, const Frame &frame) {
  const float norm = globalNorm(op.getGradients(), frame);
  const float factor = clippingFactor(op.getMaxNorm(), norm);
  Tensors results;
  for (mlir::Value gradient : op.getGradients())
    results.push_back(mapped(frame[gradient], [&](float value) { return value * factor; }));
  results.push_back(Tensor::ofFloats(runtimeTypeOf(op.getNorm()), {norm}));
  return results;
}

rules::Tensors rules::evaluate(ClipByNormOp op, const Frame &frame) {
  Tensors results;
  for (mlir::Value gradient : op.getGradients()) {
    const float factor = clippingFactor(op.getMaxNorm(), globalNorm(gradient, frame));
    results.push_back(mapped(frame[gradient], [&](float value) { return value * factor; }));
  }
  return results;
}

rules::Tensors rules::evaluate(ClipByValueOp op, const Frame &frame) {
  const float limit = op.getLimit().convertToFloat();
  Tensors results;
  for (mlir::Value gradient : op.getGradients())
    results.push_back(mapped(frame[gradient], [&](float value) {
      return value > limit ? limit : value < -limit ? -limit : value;
    }));
  return results;
}

// Optimizers

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
  const float learningRate = scalarOf(op.getLearningRate(), frame);
  const float momentum = op.getMomentum().convertToFloat(), weightDecay = op.getWeightDecay().convertToFloat();
  for (size_t i = 0; i < p.size(); ++i) {
    const float g = std::fma(weightDecay, p[i], gradient[i]);
    float d = g;
    if (!v.empty()) {
      v[i] = momentum * v[i] + g;
      d = op.getNesterov() ? std::fma(momentum, v[i], g) : v[i];
    }
    p[i] = std::fma(-learningRate, d, p[i]);
  }
  results[0] = Tensor::ofFloats(parameter.type, p);
  if (op.getVelocity())
    results[1] = Tensor::ofFloats(parameter.type, v);
  return results;
}

rules::Tensors rules::evaluate(RMSpropOp op, const Frame &frame) {
  Tensors results{frame[op.getParameter()], frame[op.getV()]};
  for (mlir::Value slot : {op.getMean(), op.getVelocity()})
    if (slot)
      results.push_back(frame[slot]);
  if (isSkipped(op.getGuard(), frame))
    return results;

  std::vector<float> p = results[0].floats(), v = results[1].floats(), gradient = frame[op.getGradient()].floats();
  std::vector<float> mean, velocity;
  if (op.getMean())
    mean = frame[op.getMean()].floats();
  if (op.getVelocity())
    velocity = frame[op.getVelocity()].floats();
  const float learningRate = scalarOf(op.getLearningRate(), frame);
  const float alpha = toF32(op.getAlpha().convertToDouble()), rest = toF32(1 - op.getAlpha().convertToDouble());
  const float momentum = toF32(op.getMomentum().convertToDouble()), epsilon = toF32(op.getEpsilon().convertToDouble());
  const float weightDecay = toF32(op.getWeightDecay().convertToDouble());
  for (size_t i = 0; i < p.size(); ++i) {
    const float g = gradient[i] + weightDecay * p[i];
    v[i] = alpha * v[i] + rest * g * g;
    float square = v[i];
    if (!mean.empty()) {
      mean[i] = alpha * mean[i] + rest * g;
      square = v[i] - mean[i] * mean[i];
      square = square < 0 ? 0 : square;
    }
    float d = g / (std::sqrt(square) + epsilon);
    if (!velocity.empty())
      d = velocity[i] = momentum * velocity[i] + d;
    p[i] = p[i] - learningRate * d;
  }
  Tensors next{Tensor::ofFloats(results[0].type, p), Tensor::ofFloats(results[0].type, v)};
  for (const auto &[slot, values] : {std::pair(op.getMean(), mean), std::pair(op.getVelocity(), velocity)})
    if (slot)
      next.push_back(Tensor::ofFloats(results[0].type, values));
  return next;
}

rules::Tensors rules::evaluate(AdagradOp op, const Frame &frame) {
  const Tensor &parameter = frame[op.getParameter()], &before = frame[op.getSum()];
  if (isSkipped(op.getGuard(), frame))
    return {parameter, before};

  std::vector<float> p = parameter.floats(), sum = before.floats(), gradient = frame[op.getGradient()].floats();
  const auto steps = static_cast<double>(frame[op.getStep()].integers().front());
  const float rate =
      toF32(scalarOf(op.getLearningRate(), frame) / (1 + steps * op.getLearningRateDecay().convertToDouble()));
  const float epsilon = toF32(op.getEpsilon().convertToDouble());
  const float weightDecay = toF32(op.getWeightDecay().convertToDouble());
  for (size_t i = 0; i < p.size(); ++i) {
    const float g = gradient[i] + weightDecay * p[i];
    sum[i] = sum[i] + g * g;
    p[i] = p[i] - rate * g / (std::sqrt(sum[i]) + epsilon);
  }
  return {Tensor::ofFloats(parameter.type, p), Tensor::ofFloats(parameter.type, sum)};
}

rules::Tensors rules::evaluate(LionOp op, const Frame &frame) {
  const Tensor &parameter = frame[op.getParameter()], &before = frame[op.getM()];
  if (isSkipped(op.getGuard(), frame))
    return {parameter, before};

  std::vector<float> p = parameter.floats(), m = before.floats(), gradient = frame[op.getGradient()].floats();
  const double beta1 = op.getBeta1().convertToDouble(), beta2 = op.getBeta2().convertToDouble();
  const float learningRate = scalarOf(op.getLearningRate(), frame);
  const float keep = 1.0f - learningRate * toF32(op.getWeightDecay().convertToDouble());
  for (size_t i = 0; i < p.size(); ++i) {
    const float c = toF32(beta1) * m[i] + toF32(1 - beta1) * gradient[i];
    const float sign = c > 0 ? 1 : c < 0 ? -1 : c;
    p[i] = p[i] * keep - learningRate * sign;
    m[i] = toF32(beta2) * m[i] + toF32(1 - beta2) * gradient[i];
  }
  return {Tensor::ofFloats(parameter.type, p), Tensor::ofFloats(parameter.type, m)};
}
