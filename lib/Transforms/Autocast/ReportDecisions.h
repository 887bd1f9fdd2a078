// A plan and what it made of a function, as rows of a report.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_TRANSFORMS_AUTOCAST_REPORTDECISIONS_H
#define MP_LIB_TRANSFORMS_AUTOCAST_REPORTDECISIONS_H

#include "Transforms/Autocast/ProgramGraph.h"

#include "mp/Analysis/PrecisionReport.h"

namespace mp {

/// The rows of `function`, which has been rewritten by `plan`.
ExplainedFunction reportDecisions(mlir::FunctionOpInterface function, const ProgramGraph &program,
                                  const PrecisionPlan &plan);

} // namespace mp

#endif // MP_LIB_TRANSFORMS_AUTOCAST_REPORTDECISIONS_H
