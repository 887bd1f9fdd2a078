//===- Legalize.h - what a CPU cannot do by itself -----------------------------*- C++ -*-===//

#ifndef MP_CODEGEN_CPU_LEGALIZE_H
#define MP_CODEGEN_CPU_LEGALIZE_H

#include "mp/Codegen/TargetInfo.h"

#include "mlir/IR/BuiltinOps.h"

namespace mp {

/// Replaces in `module` what LLVM would turn into calls, or round twice: conversions to and from bf16 always, those of
/// f16 and fma where `target` has no instruction, and f64 to f16. Every replacement gives the bits of the original.
/// Emits an error for an fma of f64 on a target without fma.
llvm::LogicalResult legalizeForCPU(mlir::ModuleOp module, const TargetInfo &target);

} // namespace mp

#endif // MP_CODEGEN_CPU_LEGALIZE_H
