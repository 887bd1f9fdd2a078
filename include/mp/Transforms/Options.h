// What passes refuse among their options.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Apart from the passes, so that who names the options (a flag, a setting) can say what is wrong with one before a
// program is read.

#ifndef MP_TRANSFORMS_OPTIONS_H
#define MP_TRANSFORMS_OPTIONS_H

#include "mp/Analysis/Policy.h"
#include "mp/Transforms/Passes.h"

namespace mp {

/// Refuses numbers with which the scaler would not work; the message starts with the option, as in `init-scale=0`.
Status checkOptions(const LossScalingPassOptions &options);

/// Sets the hyperparameters that are `kOfKind` to what the kind of optimizer has.
void setOfKind(OptimizerPassOptions &options);

/// Refuses hyperparameters that no step could use, in the same way; `kOfKind` is none of them.
Status checkOptions(const OptimizerPassOptions &options);

/// The policy that options of mp-autocast ask for, with the user's type and lists; or what is wrong with them.
ErrorOr<PrecisionPolicy> loadPolicy(const AutocastPassOptions &options, const KnownOps &ops);

/// The same by the ops of the dialect, where no program is read.
ErrorOr<PrecisionPolicy> loadPolicy(const AutocastPassOptions &options);

} // namespace mp

#endif // MP_TRANSFORMS_OPTIONS_H
