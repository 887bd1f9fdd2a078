// Kernels to native code.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Codegen/Build/Codegen.h"

#include "Codegen/Build/Backend.h"
#include "Codegen/Build/Emitters.h"
#include "Codegen/CPU/CPUFunction.h"
#include "Codegen/Lower/Native/Native.h"

using namespace mlir;
using namespace mp;

void mp::registerCodegenDialects(DialectRegistry &registry) { registerEmittedDialects(registry); }

/// By kind.
static constexpr Emitter<CPUFunction> kEmitters[] = {EmitterOf<emitContraction>::run, EmitterOf<emitMap>::run,
                                                     EmitterOf<emitRow>::run,         EmitterOf<emitColumn>::run,
                                                     EmitterOf<emitPartial>::run,     EmitterOf<emitSerial>::run,
                                                     EmitterOf<emitPack>::run,        EmitterOf<emitAttention>::run};

FailureOr<CompiledCode> mp::compileKernels(ArrayRef<KernelOp> kernels, const CPULevel &target,
                                           const CodegenOptions &options) {
  Backend backend;
  backend.target = ("cpu:" + Twine(target.name)).str();
  backend.translate = [&](KernelOp kernel, CompiledKernel &compiled) -> std::unique_ptr<TranslatedModule> {
    CPUFunction f(kernel, compiled.symbol, target);
    FailureOr<int64_t> grid = emitKernel(f, kEmitters);
    if (failed(grid) || failed(lowerToLLVM(*f.module, nativeArithmetic(target))))
      return nullptr;
    compiled.grid = *grid;
    compiled.scratchBytes = f.scratchBytes;
    return translateToLLVMIR(*f.module, kernel.getKernelName());
  };
  backend.compile = [&](TranslatedModule &module) { return compileNative(module, target, options.keepText); };
  backend.link = [&](ArrayRef<StringRef> objects) { return linkNative(objects, target); };
  return compileWith(backend, kernels, options);
}
