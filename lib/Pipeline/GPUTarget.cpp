// Programs as code for GPUs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Pipeline/Targets.h"

#include "mp/Codegen/Build/GPU.h"
#include "mp/Runtime/Core/BestChip.h"

using namespace mlir;

namespace mp {

// What a chip lacks

static const Chip &chipOf(const CompileOptions &options) { return *findChip(options.chips.front()); }

/// The first op that takes or gives bf16, or null.
static Operation *findBF16(ModuleOp module) {
  Operation *found = nullptr;
  auto isBF16 = [](Type type) { return getElementTypeOrSelf(type).isBF16(); };
  module.walk([&](Operation *op) {
    if (!llvm::any_of(op->getOperandTypes(), isBF16) && !llvm::any_of(op->getResultTypes(), isBF16))
      return WalkResult::advance();
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

FailureOr<CompileOptions> applyFallback(ModuleOp module, const CompileOptions &options) {
  if (options.fallback.empty() || !targetOf(options).isGPU() || chipOf(options).has(ChipFeature::BF16))
    return options;
  // Whether a policy gives bf16 is known once it has run.
  CompileOptions probe = options;
  probe.compileTo = Stage::Autocast;
  OwningOpRef<ModuleOp> copy = module.clone();
  PassManager manager(module.getContext());
  buildPipeline(manager, probe);
  if (failed(manager.run(*copy)))
    return failure();
  CompileOptions chosen = options;
  if (findBF16(*copy)) {
    chosen.autocast = AutocastPassOptions();
    chosen.autocast.policy = options.fallback;
  }
  return chosen;
}

// The targets

namespace {

class GPUTarget : public CodeTarget {
public:
  GPUTarget(StringRef name, GPUBackend backend) : CodeTarget(name), backend(backend) {}

  std::string getMachine(const CompileOptions &options) const override {
    return options.chips.empty() ? "" : options.chips.front();
  }

  LogicalResult checkUnits(ModuleOp module, const CompileOptions &options) const override {
    const Chip &chip = chipOf(options);
    Operation *op = chip.has(ChipFeature::BF16) ? nullptr : findBF16(module);
    if (!op)
      return success();
    return op->emitError("computes in bf16, which ")
           << chip.name << " (compute capability " << chip.capability()
           << ") has no units for: it would be slower than f32; use policy mixed_float16, a chip from sm_80, or "
              "fallback=float32";
  }

protected:
  std::vector<std::string> getFeatures(const CompileOptions &options) const override {
    return {std::string(chipOf(options).name)};
  }

  FailureOr<CompiledCode> compile(ArrayRef<KernelOp> kernels, const CompileOptions &options,
                                  const CodegenOptions &codegen) const override {
    return compileGPUKernels(kernels, chipOf(options), backend, codegen);
  }

private:
  GPUBackend backend;
};

class SIMTTarget final : public GPUTarget {
public:
  SIMTTarget() : GPUTarget(targets::simt, GPUBackend::Simulator) {}

  bool reportsAccesses() const override { return true; }
  StringRef getDefaultChip() const override { return kSimulatedChip; }
};

} // namespace

const Target &nvptxTarget() {
  static const GPUTarget target(targets::nvptx, GPUBackend::PTX);
  return target;
}

const Target &simtTarget() {
  static const SIMTTarget target;
  return target;
}

} // namespace mp
