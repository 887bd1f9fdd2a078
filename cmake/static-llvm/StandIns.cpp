// Functions that LLVM's archives ask for and nobody here needs. lld can optimize bitcode for every target of LLVM, and
// runs Polly with it; it links objects here. With these the linker leaves those targets, and Polly, in their archives.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "llvm/Passes/PassBuilder.h"
#include "llvm/Plugins/PassPlugin.h"

// NOLINTBEGIN(readability-identifier-naming): LLVM's names.
#define STAND_IN(target)                                                                                               \
  extern "C" void LLVMInitialize##target##TargetInfo() {}                                                              \
  extern "C" void LLVMInitialize##target##Target() {}                                                                  \
  extern "C" void LLVMInitialize##target##TargetMC() {}                                                                \
  extern "C" void LLVMInitialize##target##AsmPrinter() {}                                                              \
  extern "C" void LLVMInitialize##target##AsmParser() {}                                                               \
  extern "C" void LLVMInitialize##target##Disassembler() {}

STAND_IN(AArch64)
STAND_IN(AMDGPU)
STAND_IN(ARM)
STAND_IN(AVR)
STAND_IN(BPF)
STAND_IN(Hexagon)
STAND_IN(Lanai)
STAND_IN(LoongArch)
STAND_IN(M68k)
STAND_IN(MSP430)
STAND_IN(Mips)
STAND_IN(PowerPC)
STAND_IN(RISCV)
STAND_IN(SPIRV)
STAND_IN(Sparc)
STAND_IN(SystemZ)
STAND_IN(VE)
STAND_IN(WebAssembly)
STAND_IN(XCore)
STAND_IN(Xtensa)

#undef STAND_IN

llvm::PassPluginLibraryInfo getPollyPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "none", "", [](llvm::PassBuilder &) {}};
}
// NOLINTEND(readability-identifier-naming)
