//===- TransposingMap.h - maps that turn matrices around, on a GPU -----------------------------------*- C++ -*-===//

#ifndef MP_CODEGEN_NVVM_TRANSPOSINGMAP_H
#define MP_CODEGEN_NVVM_TRANSPOSINGMAP_H

#include "Codegen/NVVM/GPUFunction.h"
#include "Codegen/Nests.h"
#include "mp/Analysis/TransposedNest.h"

namespace mp {

/// Computes tile number `block` of the results of one shape. Emits an error where the schedule's tile does not fit.
llvm::LogicalResult emitTransposedNest(GPUFunction &f, const Nest &results, const TransposedNest &nest,
                                       MapScheduleAttr schedule, mlir::Value block);

} // namespace mp

#endif // MP_CODEGEN_NVVM_TRANSPOSINGMAP_H
