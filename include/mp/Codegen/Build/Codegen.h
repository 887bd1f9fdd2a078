// Kernels to native code.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_CODEGEN_BUILD_CODEGEN_H
#define MP_CODEGEN_BUILD_CODEGEN_H

#include "mp/Hardware/CPULevels.h"
#include "mp/IR/MP.h"

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace mp {

/// How one kernel is launched. On a CPU: blocks 0 to grid - 1 of `symbol`, `void symbol(void **buffers, int64_t
/// block)`, with the kernel's inputs, then its results, then (if not 0) `scratchBytes` bytes of memory private to the
/// running block. On a GPU: `grid` blocks of `threads` threads, a pointer parameter for each input and result (with
/// `buffersInMemory` one, to all those pointers), and `sharedBytes` bytes of shared memory, a multiple of 16.
struct CompiledKernel {
  std::string symbol;
  int64_t grid = 0;
  int64_t scratchBytes = 0;
  int64_t threads = 1;
  int64_t sharedBytes = 0;
  bool buffersInMemory = false;
};

/// Code of several kernels.
struct CompiledCode {
  std::vector<std::byte> library;      ///< an ELF shared object without undefined symbols, or PTX text
  std::vector<CompiledKernel> kernels; ///< one for each kernel asked for, in order; equal kernels share a symbol
  std::string llvm, assembly;          ///< text of all modules, optimized; only with keepText
};

struct CodegenOptions {
  /// Whether to fill CompiledCode's texts.
  bool keepText = false;
  /// Whether simulated code reports every access, so that its device can look for races and reads of what nobody wrote.
  bool reportAccesses = false;
  /// The folder of kernels compiled before, or empty. Where texts or remarks are asked for, all is compiled anew.
  std::string cacheDirectory = {};
  /// Told how many of how many different kernels are made, from any thread, one call at a time; null for nobody.
  std::function<void(size_t done, size_t count)> onProgress = {};
};

/// The dialects that compileKernels works in. It loads them itself; a pass that calls it must declare them.
void registerCodegenDialects(mlir::DialectRegistry &registry);

/// Compiles scheduled kernels to one shared object for `target`, several at once. Kernels equal but for their names are
/// compiled once. Emits an error at the op that has no native code, or that lacks a schedule, and fails.
mlir::FailureOr<CompiledCode> compileKernels(llvm::ArrayRef<KernelOp> kernels, const CPULevel &target,
                                             const CodegenOptions &options = {});

} // namespace mp

#endif // MP_CODEGEN_BUILD_CODEGEN_H
