// Autocast that says what it decided.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TRANSFORMS_EXPLAIN_H
#define MP_TRANSFORMS_EXPLAIN_H

#include "mp/Analysis/PrecisionReport.h"
#include "mp/Transforms/Passes.h"

namespace mp {

/// mp-autocast, which adds each function that it works on to `report`.
std::unique_ptr<mlir::Pass> createAutocastPass(AutocastPassOptions options, PrecisionReport &report);

} // namespace mp

#endif // MP_TRANSFORMS_EXPLAIN_H
