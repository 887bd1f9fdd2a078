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

Status mp::checkOptions(const OptimizerPassOptions &options) {
  for (auto [name, value] : {Named{"learning-rate", options.learningRate}, Named{"momentum", options.momentum},
                             Named{"weight-decay", options.weightDecay}, Named{"epsilon", options.epsilon},
                             Named{"clip-norm", options.clipNorm}})
    if (!std::isfinite(value) || value < 0)
      return makeError(name, "=", value, ": expected a finite number of at least 0");
  for (auto [name, value] : {Named{"beta1", options.beta1}, Named{"beta2", options.beta2}})
    if (!(value >= 0 && value < 1))
      return makeError(name, "=", value, ": expected at least 0 and less than 1");
  if (options.nesterov && options.momentum == 0)
    return makeError("nesterov=true: needs a momentum greater than 0");
  if (options.kind != OptimizerKind::SGD && options.momentum != 0)
    return makeError("momentum=", options.momentum, ": is of sgd; Adam has beta1");
  if (options.accumulate < 1)
    return makeError("accumulate=", options.accumulate, ": expected at least 1");
  return Status::success();
}
