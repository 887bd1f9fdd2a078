//===- UniqueKernels.h - equal kernels once, each with a symbol --------------------------------*- C++ -*-===//

#ifndef MP_CODEGEN_UNIQUEKERNELS_H
#define MP_CODEGEN_UNIQUEKERNELS_H

#include "mp/Codegen/Codegen.h"

namespace mp {

/// Calls `prepare` for each kernel that differs from all before it in more than its name, with a symbol of its own in
/// `compiled`, which `prepare` completes. Gives one CompiledKernel for each of `kernels`. Errors get a note that names
/// the kernel; the first that fails ends it.
mlir::FailureOr<std::vector<CompiledKernel>>
forUniqueKernels(llvm::ArrayRef<KernelOp> kernels,
                 llvm::function_ref<mlir::LogicalResult(KernelOp, CompiledKernel &compiled)> prepare);

} // namespace mp

#endif // MP_CODEGEN_UNIQUEKERNELS_H
