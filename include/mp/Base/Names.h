// What compiler, runtime and checkpoints know programs, state, results and metadata by.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_BASE_NAMES_H
#define MP_BASE_NAMES_H

#include <string>
#include <string_view>

namespace mp {

/// The programs of a training job.
namespace programs {
inline constexpr char trainStep[] = "train_step";
inline constexpr char accumulate[] = "accumulate";
inline constexpr char apply[] = "apply";
inline constexpr char eval[] = "eval";
inline constexpr char infer[] = "infer";
inline constexpr char derive[] = "derive";
} // namespace programs

/// The state of training.
namespace states {
inline constexpr char lossScale[] = "loss_scale";
inline constexpr char growthTracker[] = "growth_tracker";
inline constexpr char hysteresisTracker[] = "hysteresis_tracker";
inline constexpr char skippedSteps[] = "skipped_steps";
inline constexpr char consecutiveSkips[] = "consecutive_skips";
inline constexpr char learningRate[] = "learning_rate";
inline constexpr char rng[] = "rng";
} // namespace states

/// Results: the loss, and those for the log.
namespace results {
inline constexpr char loss[] = "loss";
} // namespace results
namespace logs {
inline constexpr char bad[] = "bad";
inline constexpr char lossScale[] = "loss_scale";
inline constexpr char hysteresisTracker[] = "hysteresis_tracker";
inline constexpr char gradientNorm[] = "gradient_norm";
} // namespace logs

/// Keys of an executable's metadata.
namespace metadata {
inline constexpr char skipLimit[] = "skip_limit";
inline constexpr char raiseErrorAtMinScale[] = "raise_error_at_min_scale";
inline constexpr char microBatches[] = "micro_batches";
/// Of the hash of the file whose rates types depend on; absent where those are the table's.
inline constexpr char tuning[] = "tuning";
/// Of the number of classes of a label: "classes:y".
inline std::string classesOf(std::string_view label) { return "classes:" + std::string(label); }
/// Of the label that marks rows that do not count: "ignored:y".
inline std::string ignoredOf(std::string_view label) { return "ignored:" + std::string(label); }
} // namespace metadata

} // namespace mp

#endif // MP_BASE_NAMES_H
