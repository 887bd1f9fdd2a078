//===- Codegen.cpp - kernels to native code -----------------------------------------------------------------===//

#include "mp/Codegen/Codegen.h"

#include "Codegen/CPU/CPUFunction.h"
#include "Codegen/CPU/Native.h"
#include "Codegen/UniqueKernels.h"

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

/// Emits, lowers and translates one kernel.
static std::unique_ptr<NativeModule> prepareKernel(KernelOp kernel, const TargetInfo &target,
                                                   CompiledKernel &compiled) {
  CPUFunction f(kernel, compiled.symbol, target);
  FailureOr<int64_t> grid = emitBody(f);
  if (failed(grid) || failed(lowerToLLVM(*f.module, nativeArithmetic(target))))
    return nullptr;
  compiled.grid = *grid;
  compiled.scratchBytes = f.scratchBytes;
  auto translated = translateToLLVMIR(*f.module, kernel.getKernelName());
  return translated ? std::make_unique<NativeModule>(std::move(*translated)) : nullptr;
}

FailureOr<CompiledCode> mp::compileKernels(ArrayRef<KernelOp> kernels, const TargetInfo &target,
                                           const CodegenOptions &options) {
  if (kernels.empty())
    return CompiledCode();
  KernelOp first = kernels.front();
  loadEmittedDialects(first->getContext());

  SmallVector<std::unique_ptr<NativeModule>> modules;
  auto prepare = [&](KernelOp kernel, CompiledKernel &compiled) {
    modules.push_back(prepareKernel(kernel, target, compiled));
    return success(modules.back() != nullptr);
  };
  FailureOr<std::vector<CompiledKernel>> prepared = forUniqueKernels(kernels, prepare);
  if (failed(prepared))
    return failure();
  return linkModules(first.getLoc(), modules, std::move(*prepared), target, options);
}
