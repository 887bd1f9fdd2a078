// Passes from mp programs to mp programs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TRANSFORMS_PASSES_H
#define MP_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

#include "mp/Analysis/PrecisionPlan.h"
#include "mp/IR/Interfaces.h"

#include <limits>

namespace mp {

/// Whether and how the loss is scaled.
enum class LossScalingMode {
  /// Dynamic where a gradient passes through f16, else none.
  Auto,
  Dynamic,
  Static,
  None
};

/// The rule by which parameters are updated.
enum class OptimizerKind { SGD, RMSprop, Adagrad, Adam, AdamW, NAdam, LAMB, Lion };

/// A hyperparameter that is not said: each kind has a value of its own.
inline constexpr double kOfKind = std::numeric_limits<double>::quiet_NaN();

#define GEN_PASS_DECL
#include "mp/Transforms/Passes.h.inc"

/// Declares `registerTransformsPasses()`, which makes every pass of this room a flag of mp-opt.
#define GEN_PASS_REGISTRATION
#include "mp/Transforms/Passes.h.inc"

} // namespace mp

#endif // MP_TRANSFORMS_PASSES_H
