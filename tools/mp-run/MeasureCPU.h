// What this machine's processor is measured to do.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TOOLS_MP_RUN_MEASURECPU_H
#define MP_TOOLS_MP_RUN_MEASURECPU_H

#include "mp/Analysis/Tuning.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace mp {

/// Measures every figure of a tuning file on one thread, by code that the compiler makes for `level`: the level with
/// what was measured. That takes about `seconds`, and some for compiling. `report` is called after each figure. Ends
/// the command where this machine does not run such code.
Tuning measureCPU(const CPULevel &level, double seconds,
                  llvm::function_ref<void(const TuningFigure &figure, double measured)> report);

} // namespace mp

#endif // MP_TOOLS_MP_RUN_MEASURECPU_H
