//===- Native.h - from the LLVM dialect to a shared object ------------------*- C++ -*-===//

#ifndef MP_CODEGEN_CPU_NATIVE_H
#define MP_CODEGEN_CPU_NATIVE_H

#include "mp/Codegen/TargetInfo.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"

#include <memory>
#include <string>
#include <vector>

namespace mp {

/// One kernel on its way to machine code, in its own context so that several can be on their way at once.
struct NativeModule {
  std::string kernel; ///< for people
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
  std::string llvmText, assembly; ///< filled when asked for
  llvm::SmallVector<char, 0> object;
};

/// Lowers `module` (func, scf, arith, math, vector and LLVM ops) to the LLVM dialect in place. Emits an error if
/// anything remains that has no lowering.
llvm::LogicalResult lowerToLLVM(mlir::ModuleOp module, const TargetInfo &target);

/// Translates a lowered module to LLVM IR; emits an error and returns null if that is impossible.
std::unique_ptr<NativeModule> translateToNative(mlir::ModuleOp module, llvm::StringRef kernel);

/// Optimizes and compiles to an object (and text, with `keepText`). Fails naming the kernel if the object refers to a
/// symbol other than memcpy, memmove and memset. Safe to call for several modules at once.
llvm::Error compileNative(NativeModule &native, const TargetInfo &target, bool keepText);

/// The module with memcpy, memmove and memset, which LLVM may call for any code.
std::unique_ptr<NativeModule> makeMemoryFunctions();

/// Links objects to a shared object without undefined symbols by LLVM's linker (`ld.lld-22` or `ld.lld`, from LLVM's
/// own folder or PATH).
llvm::Expected<std::vector<std::byte>> linkObjects(llvm::ArrayRef<llvm::StringRef> objects);

} // namespace mp

#endif // MP_CODEGEN_CPU_NATIVE_H
