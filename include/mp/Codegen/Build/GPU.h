// Kernels to code for GPUs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_CODEGEN_BUILD_GPU_H
#define MP_CODEGEN_BUILD_GPU_H

#include "mp/Codegen/Build/Codegen.h"
#include "mp/Hardware/ChipTable.h"

namespace mp {

/// What the same functions of a GPU become.
enum class GPUBackend {
  PTX,      ///< PTX text, which the chip's driver compiles
  Simulator ///< an ELF shared object for this host, which the simulated device runs
};

/// Compiles kernels that are scheduled for `chip`, several at once. Kernels equal but for their names are compiled
/// once. Emits an error at the op that has no code, or that the chip cannot run, and fails.
mlir::FailureOr<CompiledCode> compileGPUKernels(llvm::ArrayRef<KernelOp> kernels, const Chip &chip, GPUBackend backend,
                                                const CodegenOptions &options = {});

} // namespace mp

#endif // MP_CODEGEN_BUILD_GPU_H
