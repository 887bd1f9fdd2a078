// What a target has no instruction for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_LOWER_LEGALIZE_H
#define MP_LIB_CODEGEN_LOWER_LEGALIZE_H

#include "mlir/IR/BuiltinOps.h"

namespace mp {

/// What a target does by an instruction of its own, exactly as the op says.
struct NativeArithmetic {
  bool halfConversions;  ///< f32 to f16 and back
  bool bfloatConversion; ///< f32 to bf16
  bool fma;
};

/// Replaces in `module` what LLVM would turn into calls, or round twice: conversions of bf16 and f16, and fma where
/// there is no instruction, and f64 to f16 and bf16. Every replacement gives the bits of the original. Emits an error
/// for an fma of f64 where there is none.
llvm::LogicalResult legalizeArithmetic(mlir::ModuleOp module, const NativeArithmetic &native);

} // namespace mp

#endif // MP_LIB_CODEGEN_LOWER_LEGALIZE_H
