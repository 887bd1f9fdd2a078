// Maps that transpose matrices, on a GPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_NVVM_TRANSPOSINGMAP_H
#define MP_LIB_CODEGEN_NVVM_TRANSPOSINGMAP_H

#include "Codegen/Emit/Nests.h"
#include "Codegen/NVVM/GPUFunction.h"
#include "mp/Analysis/TransposedNest.h"

namespace mp {

/// Computes tile number `block` of the results of one shape. Emits an error where the schedule's tile does not fit.
llvm::LogicalResult emitTransposedNest(GPUFunction &f, const Nest &results, const TransposedNest &nest,
                                       MapScheduleAttr schedule, mlir::Value block);

} // namespace mp

#endif // MP_LIB_CODEGEN_NVVM_TRANSPOSINGMAP_H
