// What a GPU kernel may contain.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Lower/SIMT/Simulate.h"
#include "Codegen/Lower/SIMT/Table.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mp;

/// f16 and bf16 are for memory, fragments and casts; sums and products are f32.
static bool isNarrow(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isF16() || element.isBF16();
}

static bool isArithmetic(Operation *op) {
  return isa<LLVM::FAddOp, LLVM::FSubOp, LLVM::FMulOp, LLVM::FDivOp, LLVM::FRemOp, LLVM::FMAOp, LLVM::FMulAddOp,
             LLVM::SqrtOp, LLVM::MaxNumOp, LLVM::MinNumOp, LLVM::MaximumOp, LLVM::MinimumOp, LLVM::SIToFPOp,
             LLVM::UIToFPOp>(op);
}

static bool involvesNarrow(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), isNarrow) || llvm::any_of(op->getResultTypes(), isNarrow);
}

static bool isFloatAtomic(LLVM::AtomicBinOp kind) {
  using enum LLVM::AtomicBinOp;
  return kind == fadd || kind == fsub || kind == fmax || kind == fmin || kind == fmaximum || kind == fminimum;
}

/// What is wrong with an op of the LLVM dialect.
static std::string rejectLLVM(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case([](LLVM::InlineAsmOp text) {
        // A text without instructions only hides where its value comes from.
        return text.getAsmString().empty() ? "" : "inline assembly has no meaning on the simulated device";
      })
      .Case([](LLVM::CallOp) { return "a GPU kernel calls no function"; })
      .Case([](LLVM::CallIntrinsicOp call) -> std::string {
        return call.getIntrin().starts_with("llvm.nvvm.") ? "an NVVM intrinsic by name: use the op of the nvvm dialect"
                                                          : "";
      })
      .Case([](LLVM::AtomicRMWOp atomic) -> std::string {
        return isFloatAtomic(atomic.getBinOp()) ? "no kernel has atomics on floats: their sums depend on thread order"
                                                : "";
      })
      .Default([](Operation *other) -> std::string {
        return isArithmetic(other) && involvesNarrow(other) ? "arithmetic in f16 or bf16: widen to f32 and round once"
                                                            : "";
      });
}

/// What is wrong with any op; empty for what a kernel may contain.
static std::string reject(Operation *op) {
  StringRef dialect = op->getName().getDialectNamespace();
  if (dialect == "llvm")
    return rejectLLVM(op);
  if (dialect == "builtin")
    return "";
  if (dialect != "nvvm")
    return "is not lowered: only llvm and nvvm ops may be left";
  const NVVMRow *row = findRow(op);
  if (!row)
    return "is not in the table of NVVM ops that kernels may contain (lib/Codegen/Lower/SIMT/Table.cpp)";
  return row->reject ? row->reject(op) : "";
}

LogicalResult mp::verifyNVVM(ModuleOp module) {
  bool isLegal = true;
  module->walk([&](Operation *op) {
    std::string reason = reject(op);
    if (reason.empty())
      return;
    op->emitOpError() << reason;
    isLegal = false;
  });
  return success(isLegal);
}
