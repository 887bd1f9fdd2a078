// Kernels to the code of one target.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_BUILD_BACKEND_H
#define MP_LIB_CODEGEN_BUILD_BACKEND_H

#include "Codegen/Lower/Translate.h"
#include "mp/Codegen/Build/Codegen.h"

#include <functional>

namespace mp {

/// How a target makes code of kernels.
struct Backend {
  /// Everything about the target that changes code: what the compile cache knows it by.
  std::string target;
  /// Emits, lowers and translates one kernel, whose symbol is set, and completes `compiled`. Emits an error and gives
  /// null where it cannot.
  std::function<std::unique_ptr<TranslatedModule>(KernelOp kernel, CompiledKernel &compiled)> translate;
  /// Makes code of a translated kernel; called for several at once.
  std::function<llvm::Expected<KernelCode>(TranslatedModule &module)> compile;
  /// Makes one library of the code of all kernels.
  std::function<llvm::Expected<std::vector<std::byte>>(llvm::ArrayRef<llvm::StringRef> codes)> link;
};

/// Compiles kernels, several at once, those once that differ in nothing but their names, and none whose code
/// `options.cacheDirectory` has. Errors get a note that names the kernel; the first that fails ends it.
mlir::FailureOr<CompiledCode> compileWith(const Backend &backend, llvm::ArrayRef<KernelOp> kernels,
                                          const CodegenOptions &options);

} // namespace mp

#endif // MP_LIB_CODEGEN_BUILD_BACKEND_H
