// Hyperparameters that a step can use.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Transforms/Options.h"

#include <cmath>

using namespace mp;

namespace {
/// A hyperparameter by the name of its option.
struct Named {
  const char *name;
  double value;
};
} // namespace

static bool hasMomentum(OptimizerKind kind) { return kind == OptimizerKind::SGD || kind == OptimizerKind::RMSprop; }

void mp::setOfKind(OptimizerPassOptions &options) {
  const OptimizerKind kind = options.kind;
  if (std::isnan(options.beta2))
    options.beta2 = kind == OptimizerKind::Lion ? 0.99 : 0.999;
  if (std::isnan(options.epsilon))
    options.epsilon = kind == OptimizerKind::Adagrad ? 1e-10 : kind == OptimizerKind::LAMB ? 1e-6 : 1e-8;
}

/// One way of clipping at most.
static Status checkClipping(const OptimizerPassOptions &options) {
  const Named kWays[] = {{"clip-norm", options.clipNorm},
                         {"clip-parameter-norm", options.clipParameterNorm},
                         {"clip-value", options.clipValue}};
  const Named *chosen = nullptr;
  for (const Named &way : kWays) {
    if (way.value == 0)
      continue;
    if (chosen)
      return settingError(way.name, way.value, SettingName{chosen->name}, "=", chosen->value,
                          " is given, too; expected one of the two");
    chosen = &way;
  }
  return Status::success();
}

Status mp::checkOptions(const OptimizerPassOptions &given) {
  OptimizerPassOptions options = given;
  setOfKind(options);
  for (auto [name, value] :
       {Named{"learning-rate", options.learningRate}, Named{"momentum", options.momentum},
        Named{"weight-decay", options.weightDecay}, Named{"epsilon", options.epsilon},
        Named{"learning-rate-decay", options.learningRateDecay},
        Named{"initial-accumulator-value", options.initialAccumulatorValue},
        Named{"momentum-decay", options.momentumDecay}, Named{"clip-norm", options.clipNorm},
        Named{"clip-parameter-norm", options.clipParameterNorm}, Named{"clip-value", options.clipValue}})
    if (!std::isfinite(value) || value < 0)
      return settingError(name, value, "expected a finite number of at least 0");
  for (auto [name, value] :
       {Named{"beta1", options.beta1}, Named{"beta2", options.beta2}, Named{"alpha", options.alpha}})
    if (!(value >= 0 && value < 1))
      return settingError(name, value, "expected at least 0 and less than 1");
  if (options.nesterov && options.momentum == 0)
    return settingError("nesterov", "true", "needs a momentum greater than 0");
  if (!hasMomentum(options.kind) && options.momentum != 0)
    return settingError("momentum", options.momentum, "is of sgd and rmsprop; Adam has beta1");
  if (options.accumulate < 1)
    return settingError("accumulate", options.accumulate, "expected at least 1");
  return checkClipping(options);
}
