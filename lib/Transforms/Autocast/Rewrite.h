//===- Rewrite.h - make a function's types those of a plan -----------------------------------------------*- C++
//-*-===//

#ifndef MP_TRANSFORMS_AUTOCAST_REWRITE_H
#define MP_TRANSFORMS_AUTOCAST_REWRITE_H

#include "ProgramGraph.h"

namespace mp {

/// Gives operands and results the types of the plan, which has no problems, and inserts casts: one for each value and
/// type, before its first use. Constants are rounded instead.
void rewrite(const ProgramGraph &program, const PrecisionPlan &plan);

} // namespace mp

#endif // MP_TRANSFORMS_AUTOCAST_REWRITE_H
