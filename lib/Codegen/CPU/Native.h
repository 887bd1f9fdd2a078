//===- Native.h - from LLVM IR to a shared object ------------------*- C++ -*-===//

#ifndef MP_CODEGEN_CPU_NATIVE_H
#define MP_CODEGEN_CPU_NATIVE_H

#include "Codegen/Translate.h"
#include "mp/Codegen/Codegen.h"

#include "llvm/Support/SmallVectorMemoryBuffer.h"

#include <memory>
#include <string>
#include <vector>

namespace mp {

/// One kernel on its way to an object.
struct NativeModule : TranslatedModule {
  std::string llvmText, assembly; ///< filled when asked for
  llvm::SmallVector<char, 0> object;
};

/// What `target` has instructions for; f32 to bf16 is always made of integer operations.
NativeArithmetic nativeArithmetic(const TargetInfo &target);

/// Optimizes and compiles to an object (and text, with `keepText`). Fails naming the kernel if the object refers to a
/// symbol other than memcpy, memmove and memset. Safe to call for several modules at once.
llvm::Error compileNative(NativeModule &native, const TargetInfo &target, bool keepText);

/// The module with memcpy, memmove and memset, which LLVM may call for any code.
std::unique_ptr<NativeModule> makeMemoryFunctions();

/// Links objects to a shared object without undefined symbols by LLVM's linker (`ld.lld-22` or `ld.lld`, from LLVM's
/// own folder or PATH).
llvm::Expected<std::vector<std::byte>> linkObjects(llvm::ArrayRef<llvm::StringRef> objects);

/// Compiles modules, several at once, and links them with the memory functions: the code of `kernels`. Emits an error
/// at `loc` where that fails.
mlir::FailureOr<CompiledCode> linkModules(mlir::Location loc,
                                          llvm::SmallVectorImpl<std::unique_ptr<NativeModule>> &modules,
                                          std::vector<CompiledKernel> kernels, const TargetInfo &target,
                                          const CodegenOptions &options);

} // namespace mp

#endif // MP_CODEGEN_CPU_NATIVE_H
