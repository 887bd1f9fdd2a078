// From an emitted function to optimized LLVM IR.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_LOWER_TRANSLATE_H
#define MP_LIB_CODEGEN_LOWER_TRANSLATE_H

#include "Codegen/Lower/Legalize.h"

#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>

namespace mp {

/// One kernel on its way to machine code, in its own context so that several can be on their way at once.
struct TranslatedModule {
  std::string kernel; ///< for people
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::Module> module;
};

/// What a target made of one kernel.
struct KernelCode {
  std::string code;           ///< an object file, or PTX
  std::string llvm, assembly; ///< text, optimized; only where it is asked for
};

/// The dialects that emitters build and that can be lowered and translated, with what that needs of them.
void registerEmittedDialects(mlir::DialectRegistry &registry);
/// Loads them.
void loadEmittedDialects(mlir::MLIRContext *context);

/// Lowers `module` (func, scf, arith, math, vector and LLVM ops) to the LLVM dialect in place; ops of NVVM stay. Emits
/// an error if anything remains that has no lowering.
llvm::LogicalResult lowerToLLVM(mlir::ModuleOp module, const NativeArithmetic &native);

/// Translates a lowered module to LLVM IR; emits an error and returns null if that is impossible.
std::unique_ptr<TranslatedModule> translateToLLVMIR(mlir::ModuleOp module, llvm::StringRef kernel);

/// O2 without the vectorizers: what is wide was emitted wide. No loop becomes a call. Sets triple and data layout.
void optimize(llvm::Module &module, llvm::TargetMachine &machine);

/// The module's IR as text.
std::string printIR(const llvm::Module &module);

/// What the target makes of a module, which it changes.
llvm::Error emitFile(llvm::Module &module, llvm::TargetMachine &machine, llvm::SmallVectorImpl<char> &out,
                     llvm::CodeGenFileType type);

} // namespace mp

#endif // MP_LIB_CODEGEN_LOWER_TRANSLATE_H
