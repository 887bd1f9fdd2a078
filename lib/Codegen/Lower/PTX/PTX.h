// From LLVM IR to PTX text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_LOWER_PTX_PTX_H
#define MP_LIB_CODEGEN_LOWER_PTX_PTX_H

#include "Codegen/Lower/Translate.h"
#include "mp/Hardware/ChipTable.h"

#include "mlir/IR/BuiltinOps.h"

namespace mp {

/// Emits an error for every NVVM op of a lowered module that `chip` has no instruction for: LLVM would abort.
llvm::LogicalResult verifyInstructions(mlir::ModuleOp lowered, const Chip &chip);

/// What the chip has instructions for.
NativeArithmetic nativeArithmetic(const Chip &chip);

/// Optimizes and compiles to PTX. Fails naming the kernel and the function where code calls one that it does not hold.
/// Safe to call for several modules at once.
llvm::Expected<KernelCode> compilePTX(TranslatedModule &module, const Chip &chip, bool keepText);

/// One text of several made for one chip: one header, then their kernels.
std::string joinPTX(llvm::ArrayRef<llvm::StringRef> texts);

} // namespace mp

#endif // MP_LIB_CODEGEN_LOWER_PTX_PTX_H
