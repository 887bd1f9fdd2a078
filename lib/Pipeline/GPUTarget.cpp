// Programs as code for GPUs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Pipeline/Targets.h"

#include "mp/Codegen/Build/GPU.h"

using namespace mlir;

namespace mp {

using executable::BlobKind;

bool isGPUTarget(StringRef target) { return target == "nvptx" || target == "simt"; }

FailureOr<CompiledCode> compileForGPU(ArrayRef<KernelOp> kernels, const CompileOptions &options,
                                      const CodegenOptions &codegen, VariantTarget &target) {
  const Chip &chip = *findChip(options.chips.front());
  const bool isSimulated = options.target == "simt";
  target = {options.target, {std::string(chip.name)}, isSimulated ? BlobKind::SimulatedCode : BlobKind::PTX};
  return compileGPUKernels(kernels, chip, isSimulated ? GPUBackend::Simulator : GPUBackend::PTX, codegen);
}

// What a chip lacks

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

LogicalResult checkChip(ModuleOp module, const CompileOptions &options) {
  if (!isGPUTarget(options.target))
    return success();
  const Chip &chip = *findChip(options.chips.front());
  if (chip.has(ChipFeature::BF16))
    return success();
  Operation *op = findBF16(module);
  if (!op)
    return success();
  return op->emitError("computes in bf16, which ")
         << chip.name << " (compute capability " << chip.capability()
         << ") has no units for: it would be slower than f32. Use policy mixed_float16, a chip from sm_80, or "
            "fallback=float32";
}

FailureOr<CompileOptions> applyFallback(ModuleOp module, const CompileOptions &options) {
  if (options.fallback.empty() || !isGPUTarget(options.target) ||
      findChip(options.chips.front())->has(ChipFeature::BF16))
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

} // namespace mp
