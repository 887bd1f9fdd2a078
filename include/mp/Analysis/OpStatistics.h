// What a program computes in which types.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_ANALYSIS_OPSTATISTICS_H
#define MP_ANALYSIS_OPSTATISTICS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mp/IR/MP.h"

namespace mp {

/// Counts the ops of `program`, as they are now.
StatisticsAttr countOps(mlir::func::FuncOp program);

} // namespace mp

#endif // MP_ANALYSIS_OPSTATISTICS_H
