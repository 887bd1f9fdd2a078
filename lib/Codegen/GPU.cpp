//===- GPU.cpp - kernels to code for GPUs ---------------------------------------------------------------------===//

#include "mp/Codegen/GPU.h"

#include "Codegen/CPU/Native.h"
#include "Codegen/NVVM/GPUFunction.h"
#include "Codegen/PTX/PTX.h"
#include "Codegen/SIMT/Simulate.h"
#include "Codegen/UniqueKernels.h"

#include "mlir/IR/Threading.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mp;

/// The threads of a block, as the schedule says them.
static FailureOr<int64_t> threadsOf(KernelOp kernel) {
  std::optional<Attribute> schedule = kernel.getSchedule();
  if (!schedule)
    return kernel.emitOpError("has no schedule: run mp-schedule-kernels first");
  const int64_t threads =
      llvm::TypeSwitch<Attribute, int64_t>(*schedule)
          .Case<MapScheduleAttr, RowScheduleAttr, ColumnScheduleAttr, PartialScheduleAttr, SerialScheduleAttr>(
              [](auto attr) { return attr.getThreads(); })
          .Default([](Attribute) { return 0; });
  if (threads == 0)
    return kernel.emitOpError("has a schedule that is not for a GPU: ") << *schedule;
  if (threads % Chip::kWarp != 0 || threads > Chip::kThreadsPerBlock)
    return kernel.emitOpError("has ") << threads << " threads in a block; a GPU takes a multiple of " << Chip::kWarp
                                      << " up to " << Chip::kThreadsPerBlock;
  return threads;
}

/// The emitter of each schedule. Matrix products stand here with a schedule of their own.
static FailureOr<int64_t> emitBody(GPUFunction &f) {
  return llvm::TypeSwitch<Attribute, FailureOr<int64_t>>(*f.kernel.getSchedule())
      .Case([&](MapScheduleAttr attr) { return emitGPUMap(f, attr); })
      .Case([&](RowScheduleAttr attr) { return emitGPURow(f, attr); })
      .Case([&](ColumnScheduleAttr attr) { return emitGPUColumn(f, attr); })
      .Case([&](PartialScheduleAttr attr) { return emitGPUPartial(f, attr); })
      .Case([&](SerialScheduleAttr attr) { return emitGPUSerial(f, attr); })
      .Default([&](Attribute other) { return f.kernel.emitOpError("no GPU code yet for ") << other; });
}

/// Emits one kernel as a module of the LLVM and NVVM dialects: where PTX and simulator part.
static std::unique_ptr<GPUFunction> lowerKernel(KernelOp kernel, CompiledKernel &compiled, const Chip &chip) {
  FailureOr<int64_t> threads = threadsOf(kernel);
  if (failed(threads))
    return nullptr;
  auto f = std::make_unique<GPUFunction>(kernel, compiled.symbol, chip, *threads);
  FailureOr<int64_t> grid = emitBody(*f);
  if (failed(grid) || failed(f->finish(*grid)) || failed(lowerToLLVM(*f->module, nativeArithmetic(chip))) ||
      failed(verifyNVVM(*f->module)) || failed(verifyInstructions(*f->module, chip)))
    return nullptr;
  compiled.grid = *grid;
  compiled.threads = f->threads;
  compiled.sharedBytes = f->sharedBytes();
  return f;
}

static FailureOr<CompiledCode> compileForSimulator(ArrayRef<KernelOp> kernels, const Chip &chip,
                                                   const CodegenOptions &options) {
  SmallVector<std::unique_ptr<NativeModule>> modules;
  auto prepare = [&](KernelOp kernel, CompiledKernel &compiled) -> LogicalResult {
    std::unique_ptr<GPUFunction> f = lowerKernel(kernel, compiled, chip);
    if (!f || failed(lowerToSimulator(*f->module, SimulatorChecks{options.reportAccesses})))
      return failure();
    auto translated = translateToLLVMIR(*f->module, kernel.getKernelName());
    if (!translated)
      return failure();
    modules.push_back(std::make_unique<NativeModule>(std::move(*translated)));
    return success();
  };
  FailureOr<std::vector<CompiledKernel>> prepared = forUniqueKernels(kernels, prepare);
  if (failed(prepared))
    return failure();
  KernelOp first = kernels.front();
  return linkModules(first.getLoc(), modules, std::move(*prepared), simulatorTarget(), options);
}

static FailureOr<CompiledCode> compileToPTX(ArrayRef<KernelOp> kernels, const Chip &chip,
                                            const CodegenOptions &options) {
  SmallVector<std::unique_ptr<PTXModule>> modules;
  auto prepare = [&](KernelOp kernel, CompiledKernel &compiled) -> LogicalResult {
    std::unique_ptr<GPUFunction> f = lowerKernel(kernel, compiled, chip);
    auto translated = f ? translateToLLVMIR(*f->module, kernel.getKernelName()) : nullptr;
    if (!translated)
      return failure();
    modules.push_back(std::make_unique<PTXModule>(std::move(*translated)));
    return success();
  };
  FailureOr<std::vector<CompiledKernel>> prepared = forUniqueKernels(kernels, prepare);
  if (failed(prepared))
    return failure();

  // Each module has its own LLVM context.
  KernelOp first = kernels.front();
  LogicalResult compiled = failableParallelForEach(first->getContext(), modules, [&](auto &module) {
    llvm::Error error = compilePTX(*module, chip, options.keepText);
    return error ? LogicalResult(emitError(first.getLoc(), llvm::toString(std::move(error)))) : success();
  });
  if (failed(compiled))
    return failure();

  CompiledCode code;
  code.kernels = std::move(*prepared);
  for (auto &module : modules)
    code.llvm += module->llvmText;
  const std::string text =
      joinPTX(llvm::map_to_vector(modules, [](const auto &module) { return StringRef(module->ptx); }));
  auto *bytes = reinterpret_cast<const std::byte *>(text.data());
  code.library.assign(bytes, bytes + text.size());
  if (options.keepText)
    code.assembly = text;
  return code;
}

FailureOr<CompiledCode> mp::compileGPUKernels(ArrayRef<KernelOp> kernels, const Chip &chip, GPUBackend backend,
                                              const CodegenOptions &options) {
  if (kernels.empty())
    return CompiledCode();
  KernelOp first = kernels.front();
  loadEmittedDialects(first->getContext());
  switch (backend) {
  case GPUBackend::PTX:
    return compileToPTX(kernels, chip, options);
  case GPUBackend::Simulator:
    return compileForSimulator(kernels, chip, options);
  }
  llvm_unreachable("unknown backend");
}
