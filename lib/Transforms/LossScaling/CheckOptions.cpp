// Numbers with which a loss scaler works.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Transforms/Options.h"

#include <cmath>

using namespace mp;

/// What only a scale that moves has: its limits and its steps.
static Status checkDynamic(const LossScalingPassOptions &options) {
  auto isFinite = [](float value) { return std::isfinite(value); };
  // At 1 a scale would never grow, or never back off: one half of the rule would be dead.
  if (!(options.growthFactor > 1) || !isFinite(options.growthFactor))
    return settingError("growth-factor", options.growthFactor, "expected a finite number greater than 1");
  if (options.growthInterval < 1)
    return settingError("growth-interval", options.growthInterval, "expected at least 1");
  if (!(options.backoffFactor > 0 && options.backoffFactor < 1))
    return settingError("backoff-factor", options.backoffFactor, "expected a number between 0 and 1");
  if (options.hysteresis < 1)
    return settingError("hysteresis", options.hysteresis, "expected at least 1");
  if (!(options.floor >= 0) || !isFinite(options.floor))
    return settingError("floor", options.floor, "expected a finite number of at least 0");
  if (!(options.ceiling > 0 && options.floor <= options.ceiling))
    return settingError("ceiling", options.ceiling, "expected a number greater than 0 and at least the floor, ",
                        options.floor);
  if (options.mode != LossScalingMode::Dynamic && options.mode != LossScalingMode::Auto)
    return Status::success();
  if (options.initialScale < options.floor)
    return settingError("init-scale", options.initialScale, "expected at least the floor, ", options.floor);
  if (options.initialScale > options.ceiling)
    return settingError("init-scale", options.initialScale, "expected at most the ceiling, ", options.ceiling);
  return Status::success();
}

Status mp::checkOptions(const LossScalingPassOptions &options) {
  if (!(options.initialScale > 0) || !std::isfinite(options.initialScale))
    return settingError("init-scale", options.initialScale, "expected a finite number greater than 0");
  if (options.skipLimit < 0)
    return settingError("skip-limit", options.skipLimit, "expected at least 0, which is no limit");
  if (options.mode == LossScalingMode::Dynamic && options.noFiniteCheck)
    return settingError("no-finite-check", "true", "dynamic loss scaling works by the finite check; with ",
                        SettingName{"no-finite-check"}, " choose a static scale or none");
  return checkDynamic(options);
}
