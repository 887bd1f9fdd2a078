// Make a function's types those of a plan.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_TRANSFORMS_AUTOCAST_REWRITE_H
#define MP_LIB_TRANSFORMS_AUTOCAST_REWRITE_H

#include "Transforms/Autocast/ProgramGraph.h"

namespace mp {

/// Gives operands and results the types of the plan, which has no problems, and inserts casts: one for each value and
/// type, before its first use. Constants are rounded instead.
void rewrite(const ProgramGraph &program, const PrecisionPlan &plan);

} // namespace mp

#endif // MP_LIB_TRANSFORMS_AUTOCAST_REWRITE_H
