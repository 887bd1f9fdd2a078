// The state machine of dynamic loss scaling.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One rule with every framework's scaler as data: mp.update_loss_scale computes exactly this, on
// every device. docs/loss-scaling.md has the settings that are PyTorch's, Keras's, Apex's, jmp's,
// Paddle's, DeepSpeed's and Megatron's.

#ifndef MP_NUMERICS_LOSSSCALE_H
#define MP_NUMERICS_LOSSSCALE_H

#include <cstdint>
#include <limits>

namespace mp {

/// The numbers of a loss scaler; the defaults are PyTorch's, with a floor.
struct LossScaleRule {
  float growthFactor = 2.0f;
  /// Clean steps in a row before the scale grows.
  int32_t growthInterval = 2000;
  float backoffFactor = 0.5f;
  /// Overflows before the scale backs off.
  int32_t hysteresis = 1;
  /// Whether a clean step leaves the overflows counted so far (DeepSpeed, Megatron) or forgets them
  /// (Paddle).
  bool cumulative = false;
  float floor = 1.0f;
  /// The largest finite f32: the scale stays finite. Infinity: no ceiling, it may become infinite.
  float ceiling = std::numeric_limits<float>::max();
};

/// What a loss scaler carries from step to step.
struct LossScaleState {
  float scale;
  /// Clean steps since the last overflow or growth.
  int32_t growthTracker;
  /// Overflows left until the scale backs off; starts at `hysteresis`.
  int32_t hysteresisTracker;

  bool operator==(const LossScaleState &) const = default;
};

/// The state after a step whose gradients were all finite or, if `bad`, were not.
// init 8, growth interval 2, `...X`: 8 16 16 8.
inline LossScaleState updateLossScale(const LossScaleRule &rule, LossScaleState state, bool bad) {
  if (bad) {
    if (state.hysteresisTracker > 1)
      return {state.scale, 0, state.hysteresisTracker - 1};
    float lower = state.scale * rule.backoffFactor;
    // Counted per backoff, or until the scale grows again.
    int32_t left = rule.cumulative ? 1 : rule.hysteresis;
    return {lower < rule.floor ? rule.floor : lower, 0, left};
  }
  int32_t clean = state.growthTracker + 1;
  if (clean < rule.growthInterval)
    return {state.scale, clean, rule.cumulative ? state.hysteresisTracker : rule.hysteresis};
  constexpr float infinity = std::numeric_limits<float>::infinity();
  float higher = state.scale * rule.growthFactor;
  // Growth that would pass the range of f32 does not happen, unless there is no ceiling at all.
  if (higher == infinity && rule.ceiling != infinity)
    higher = state.scale;
  else if (higher > rule.ceiling)
    higher = rule.ceiling;
  return {higher, 0, rule.hysteresis};
}

/// Whether an overflow now would back off although the scale is at the floor: where DeepSpeed gives
/// up.
inline bool isAtLossScaleFloor(const LossScaleRule &rule, const LossScaleState &state) {
  return state.hysteresisTracker <= 1 && state.scale <= rule.floor;
}

} // namespace mp

#endif // MP_NUMERICS_LOSSSCALE_H
