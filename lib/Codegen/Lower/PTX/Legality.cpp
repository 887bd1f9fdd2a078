// Which chip has which instruction.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Lower/PTX/PTX.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mp;

/// What an instruction that MLIR itself does not check needs of a chip, or nothing where every chip has it.
static std::optional<ChipFeature> neededFeature(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<ChipFeature>>(op)
      .Case<NVVM::WMMALoadOp, NVVM::WMMAMmaOp, NVVM::WMMAStoreOp>([](auto) { return ChipFeature::Wmma; })
      .Case([](NVVM::LdMatrixOp) { return ChipFeature::LdMatrix; })
      .Case([](NVVM::StMatrixOp) { return ChipFeature::StMatrix; })
      .Case<NVVM::CpAsyncOp, NVVM::CpAsyncCommitGroupOp, NVVM::CpAsyncWaitGroupOp>(
          [](auto) { return ChipFeature::CpAsync; })
      .Case([](NVVM::MmaOp mma) -> std::optional<ChipFeature> {
        const auto type = mma.getMultiplicandAPtxType();
        if (type == NVVM::MMATypes::bf16)
          return ChipFeature::BF16;
        if (type == NVVM::MMATypes::tf32)
          return ChipFeature::TF32;
        return mma.getShape().getK() == 16 ? ChipFeature::MmaM16N8K16 : ChipFeature::MmaM16N8K8;
      })
      .Default([](Operation *) { return std::nullopt; });
}

LogicalResult mp::verifyInstructions(ModuleOp lowered, const Chip &chip) {
  const auto version = NVVM::NVVMCheckSMVersion::getTargetSMVersionFromStr(chip.name);
  WalkResult walked = lowered.walk([&](Operation *op) {
    bool isLegal = true;
    if (auto needing = dyn_cast<NVVM::RequiresSMInterface>(op))
      isLegal = needing.getRequiredMinSMVersion().isCompatibleWith(version);
    if (std::optional<ChipFeature> feature = neededFeature(op))
      isLegal &= chip.has(*feature);
    if (isLegal)
      return WalkResult::advance();
    op->emitOpError("is an instruction that ") << chip.name << " does not have";
    return WalkResult::interrupt();
  });
  return failure(walked.wasInterrupted());
}
