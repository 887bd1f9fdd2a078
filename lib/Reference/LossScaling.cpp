// Loss scaling of MPTrainingOps.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// These ops state each of their steps, so they are computed in the types stated: f32 variables here
// are f32 in the op's description, and no product and sum fuse (the room is compiled with
// -ffp-contract=off).

#include "Reference/Rules.h"

#include "mp/Numerics/LossScale.h"

#include <algorithm>
#include <cmath>

using namespace mp;

static float scalar(mlir::Value value, const Frame &frame) { return frame[value].floats().front(); }
static int64_t integer(mlir::Value value, const Frame &frame) { return frame[value].integers().front(); }

static Tensor scalarResult(mlir::Value result, float value) { return Tensor::ofFloats(runtimeTypeOf(result), {value}); }
static Tensor integerResult(mlir::Value result, int64_t value) {
  return Tensor::ofIntegers(runtimeTypeOf(result), {value});
}

static bool allFinite(const std::vector<double> &values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

Tensor rules::evaluate(GradientSeedOp op, const Frame &) {
  return Tensor::ofReals(runtimeTypeOf(op.getResult()), {1.0});
}

Tensor rules::evaluate(ScaleLossOp op, const Frame &frame) {
  return scalarResult(op.getResult(), scalar(op.getGradient(), frame) * scalar(op.getScale(), frame));
}

rules::Tensors rules::evaluate(UnscaleOp op, const Frame &frame) {
  const float inverse = 1.0f / scalar(op.getScale(), frame);
  Tensors results;
  int64_t bad = -1;
  for (auto [index, gradient] : llvm::enumerate(op.getGradients())) {
    bool finite = true;
    std::vector<float> values = frame[gradient].floats();
    for (float &value : values) {
      const float unscaled = value * inverse;
      finite = finite && std::isfinite(value) && std::isfinite(unscaled);
      value = unscaled;
    }
    if (!finite && bad < 0)
      bad = index;
    results.push_back(Tensor::ofFloats(frame[gradient].type, values));
  }
  results.push_back(integerResult(op.getBad(), bad));
  return results;
}

Tensor rules::evaluate(CheckFiniteOp op, const Frame &frame) {
  int64_t bad = -1;
  for (auto [index, gradient] : llvm::enumerate(op.getGradients()))
    if (bad < 0 && !allFinite(frame[gradient].reals()))
      bad = index;
  return integerResult(op.getBad(), bad);
}

rules::Tensors rules::evaluate(UpdateLossScaleOp op, const Frame &frame) {
  const LossScaleRule rule = {.growthFactor = op.getGrowthFactor().convertToFloat(),
                              .growthInterval = static_cast<int32_t>(op.getGrowthInterval()),
                              .backoffFactor = op.getBackoffFactor().convertToFloat(),
                              .hysteresis = static_cast<int32_t>(op.getHysteresis()),
                              .cumulative = op.getHysteresisKind() == HysteresisKind::cumulative,
                              .floor = op.getFloor().convertToFloat(),
                              .ceiling = op.getCeiling().convertToFloat()};
  const LossScaleState before = {scalar(op.getScale(), frame),
                                 static_cast<int32_t>(integer(op.getGrowthTracker(), frame)),
                                 static_cast<int32_t>(integer(op.getHysteresisTracker(), frame))};
  const LossScaleState after = updateLossScale(rule, before, integer(op.getBad(), frame) >= 0);
  return {scalarResult(op.getNewScale(), after.scale), integerResult(op.getNewGrowthTracker(), after.growthTracker),
          integerResult(op.getNewHysteresisTracker(), after.hysteresisTracker)};
}

rules::Tensors rules::evaluate(CountSkipsOp op, const Frame &frame) {
  const bool skipped = integer(op.getBad(), frame) >= 0;
  const int64_t total = integer(op.getTotal(), frame), consecutive = integer(op.getConsecutive(), frame);
  return {integerResult(op.getNewTotal(), total + skipped),
          integerResult(op.getNewConsecutive(), skipped ? consecutive + 1 : 0)};
}

Tensor rules::evaluate(AdvanceOp op, const Frame &frame) {
  std::vector<int64_t> values = frame[op.getInput()].integers();
  if (!op.getGuard() || integer(op.getGuard(), frame) < 0)
    values.back() += 1;
  return Tensor::ofIntegers(runtimeTypeOf(op.getResult()), values);
}
