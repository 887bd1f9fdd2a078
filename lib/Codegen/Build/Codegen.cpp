// Kernels to native code.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Codegen/Build/Codegen.h"

#include "Codegen/Build/Backend.h"
#include "Codegen/CPU/CPUFunction.h"
#include "Codegen/Lower/Native/Native.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mp;

void mp::registerCodegenDialects(DialectRegistry &registry) { registerEmittedDialects(registry); }

static FailureOr<int64_t> emitBody(CPUFunction &f) {
  std::optional<Attribute> schedule = f.kernel.getSchedule();
  if (!schedule)
    return f.kernel.emitOpError("has no schedule: run mp-schedule first");
  return llvm::TypeSwitch<Attribute, FailureOr<int64_t>>(*schedule)
      .Case([&](ContractionScheduleAttr attr) { return emitContraction(f, attr); })
      .Case([&](MapScheduleAttr attr) { return emitMap(f, attr); })
      .Case([&](RowScheduleAttr attr) { return emitRow(f, attr); })
      .Case([&](ColumnScheduleAttr attr) { return emitColumn(f, attr); })
      .Case([&](PartialScheduleAttr attr) { return emitPartial(f, attr); })
      .Case([&](SerialScheduleAttr attr) { return emitSerial(f, attr); })
      .Default([&](Attribute other) { return f.kernel.emitOpError("has a schedule without emitter: ") << other; });
}

FailureOr<CompiledCode> mp::compileKernels(ArrayRef<KernelOp> kernels, const CPULevel &target,
                                           const CodegenOptions &options) {
  Backend backend;
  backend.target = ("cpu:" + Twine(target.name)).str();
  backend.translate = [&](KernelOp kernel, CompiledKernel &compiled) -> std::unique_ptr<TranslatedModule> {
    CPUFunction f(kernel, compiled.symbol, target);
    FailureOr<int64_t> grid = emitBody(f);
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
