// How many ops compute in which type.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_ANALYSIS_PRECISIONSUMMARY_H
#define MP_ANALYSIS_PRECISIONSUMMARY_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mp {

/// Ops whose precision is a choice (their category is not fixed), by the type in which they compute, and the casts that
/// autocast inserted.
struct PrecisionSummary {
  unsigned f16 = 0, bf16 = 0, f32 = 0, f64 = 0;
  unsigned casts = 0;
};

/// Counts over a function, the inside of regions included. An op computes in the type of the first operand or result
/// that takes its precision, else in that of its first float.
PrecisionSummary summarizePrecision(mlir::FunctionOpInterface function);

} // namespace mp

#endif // MP_ANALYSIS_PRECISIONSUMMARY_H
