// Mma.sync m16n8k16, and m16n8k8 of tf32.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/NVVM/Contraction/MmaSync.h"

using namespace mlir;
using namespace mp;

namespace {

// The quarters of 16 rows and the halves of 8 columns are the operands of both, in this order.

struct Mma16x8x16 : MmaSync {
  using MmaSync::MmaSync;

  void multiplyTile(ValueRange lhs, ValueRange rhs, MutableArrayRef<Value> sums) override {
    mma(warp.element.isF16() ? NVVM::MMATypes::f16 : NVVM::MMATypes::bf16, lhs, rhs, 16, sums);
  }
};

struct Mma16x8x8TF32 : MmaSync {
  using MmaSync::MmaSync;

  // The instruction would drop bits instead of rounding.
  Values load(Value lhsStage, Value rhsStage, int64_t number) override {
    Values loaded = MmaSync::load(lhsStage, rhsStage, number);
    for (Value &word : loaded) {
      Value single = LLVM::BitcastOp::create(b, b.getF32Type(), word);
      word = NVVM::ConvertFloatToTF32Op::create(b, b.getI32Type(), single, NVVM::FPRoundingMode::RNA);
    }
    return loaded;
  }

  void multiplyTile(ValueRange lhs, ValueRange rhs, MutableArrayRef<Value> sums) override {
    mma(NVVM::MMATypes::tf32, lhs, rhs, 8, sums);
  }
};

} // namespace

std::unique_ptr<WarpProduct> mp::makeMma16x8x16(GPUFunction &f, const WarpTile &warp) {
  return std::make_unique<Mma16x8x16>(f, warp);
}

std::unique_ptr<WarpProduct> mp::makeMma16x8x8TF32(GPUFunction &f, const WarpTile &warp) {
  return std::make_unique<Mma16x8x8TF32>(f, warp);
}
