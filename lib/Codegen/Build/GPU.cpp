// Kernels to code for GPUs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Codegen/Build/GPU.h"

#include "Codegen/Build/Backend.h"
#include "Codegen/Build/Emitters.h"
#include "Codegen/Lower/Native/Native.h"
#include "Codegen/Lower/PTX/PTX.h"
#include "Codegen/Lower/SIMT/Simulate.h"
#include "Codegen/NVVM/GPUFunction.h"

using namespace mlir;
using namespace mp;

/// The threads of a block, as the schedule says them.
static FailureOr<int64_t> threadsOf(KernelOp kernel) {
  std::optional<ScheduleInterface> schedule = kernel.getSchedule();
  if (!schedule)
    return kernel.emitOpError("has no schedule; run mp-schedule-kernels first");
  if (!schedule->isForGPU())
    return kernel.emitOpError("has a schedule that is not for a GPU: ") << *schedule;
  const int64_t threads = schedule->getThreads();
  if (threads % Chip::kWarp != 0 || threads > Chip::kThreadsPerBlock)
    return kernel.emitOpError("has ") << threads << " threads in a block; a GPU takes a multiple of " << Chip::kWarp
                                      << " up to " << Chip::kThreadsPerBlock;
  return threads;
}

/// Products on a GPU pack nothing.
static FailureOr<int64_t> refusePack(GPUFunction &f) {
  return f.kernel.emitOpError("packs an operand, which only products on a CPU read");
}

/// mp-decompose leaves none for a GPU.
static FailureOr<int64_t> refuseAttention(GPUFunction &f) {
  return f.kernel.emitOpError("walks the keys of attention, which only kernels on a CPU do");
}

/// By kind. Matrix products stand here with a schedule of their own.
static constexpr Emitter<GPUFunction> kEmitters[] = {EmitterOf<emitGPUContraction>::run,
                                                     EmitterOf<emitGPUMap>::run,
                                                     EmitterOf<emitGPURow>::run,
                                                     EmitterOf<emitGPUColumn>::run,
                                                     EmitterOf<emitGPUPartial>::run,
                                                     EmitterOf<emitGPUSerial>::run,
                                                     refusePack,
                                                     refuseAttention};

/// Emits one kernel as a module of the LLVM and NVVM dialects: where PTX and simulator part.
static std::unique_ptr<GPUFunction> lowerKernel(KernelOp kernel, CompiledKernel &compiled, const Chip &chip) {
  FailureOr<int64_t> threads = threadsOf(kernel);
  if (failed(threads))
    return nullptr;
  auto f = std::make_unique<GPUFunction>(kernel, compiled.symbol, chip, *threads);
  FailureOr<int64_t> grid = emitKernel(*f, kEmitters);
  if (failed(grid) || failed(f->finish(*grid)) || failed(lowerToLLVM(*f->module, nativeArithmetic(chip))) ||
      failed(verifyNVVM(*f->module)) || failed(verifyInstructions(*f->module, chip)))
    return nullptr;
  compiled.grid = *grid;
  compiled.threads = f->threads;
  compiled.sharedBytes = f->sharedBytes();
  compiled.buffersInMemory = f->buffersInMemory;
  return f;
}

FailureOr<CompiledCode> mp::compileGPUKernels(ArrayRef<KernelOp> kernels, const Chip &chip, GPUBackend kind,
                                              const CodegenOptions &options) {
  Backend backend;
  if (kind == GPUBackend::PTX) {
    backend.target = ("nvptx:" + Twine(chip.name)).str();
    backend.translate = [&](KernelOp kernel, CompiledKernel &compiled) {
      std::unique_ptr<GPUFunction> f = lowerKernel(kernel, compiled, chip);
      return f ? translateToLLVMIR(*f->module, kernel.getKernelName()) : nullptr;
    };
    backend.compile = [&](TranslatedModule &module) { return compilePTX(module, chip, options.keepText); };
    backend.link = [&](ArrayRef<StringRef> texts) -> llvm::Expected<std::vector<std::byte>> {
      const std::string text = joinPTX(texts);
      auto *bytes = reinterpret_cast<const std::byte *>(text.data());
      return std::vector<std::byte>(bytes, bytes + text.size());
    };
  } else {
    backend.target = ("simt:" + Twine(chip.name) + (options.reportAccesses ? ":accesses" : "")).str();
    backend.translate = [&](KernelOp kernel, CompiledKernel &compiled) -> std::unique_ptr<TranslatedModule> {
      std::unique_ptr<GPUFunction> f = lowerKernel(kernel, compiled, chip);
      if (!f || failed(lowerToSimulator(*f->module, SimulatorChecks{options.reportAccesses})))
        return nullptr;
      return translateToLLVMIR(*f->module, kernel.getKernelName());
    };
    backend.compile = [&](TranslatedModule &module) {
      return compileNative(module, simulatorLevel(), options.keepText);
    };
    backend.link = [&](ArrayRef<StringRef> objects) { return linkNative(objects, simulatorLevel()); };
  }
  FailureOr<CompiledCode> code = compileWith(backend, kernels, options);
  if (succeeded(code) && kind == GPUBackend::PTX && options.keepText)
    code->assembly.assign(reinterpret_cast<const char *>(code->library.data()), code->library.size());
  return code;
}
