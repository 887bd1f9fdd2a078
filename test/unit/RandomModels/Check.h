// Whether every device computes a model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_RANDOMMODELS_CHECK_H
#define MP_TEST_RANDOMMODELS_CHECK_H

#include "RandomModels/Model.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace mp {

/// A device, and the chip that it plays.
struct Machine {
  std::string target, chip;

  /// Whether it multiplies f16 as sums of two bf16 each: a CPU whose tiles have bf16 alone.
  bool splitsF16() const;
};

/// What is wrong with a model.
struct Finding {
  std::string kind; ///< what stays the same while the model gets smaller
  std::string text;
};

/// What one check saw.
struct Seen {
  std::set<std::string> ops;
  unsigned steps = 0, skipped = 0;
};

/// Compiles a model, checks its gradients against differences, and on each machine runs two steps, of which one has an
/// infinite input: values, states and what a skipped step leaves. `seen` gets what was seen.
std::optional<Finding> checkModel(const RandomModel &model, const std::vector<Machine> &machines, Seen &seen);

/// The part of it that needs no device: gradients, in f64, against differences of the loss in a random direction.
std::optional<Finding> checkGradients(const RandomModel &model);

} // namespace mp

#endif // MP_TEST_RANDOMMODELS_CHECK_H
