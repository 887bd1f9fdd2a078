// Mma.sync m16n8k8.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/NVVM/Contraction/MmaSync.h"

using namespace mlir;
using namespace mp;

namespace {

struct Mma16x8x8 : MmaSync {
  using MmaSync::MmaSync;

  // A half of k at a time: two quarters of 16 x 16, one half of 16 x 8.
  void multiplyTile(ValueRange lhs, ValueRange rhs, MutableArrayRef<Value> sums) override {
    for (int64_t half = 0; half < 2; ++half)
      mma(NVVM::MMATypes::f16, lhs.slice(2 * half, 2), rhs.slice(half, 1), 8, sums);
  }
};

} // namespace

std::unique_ptr<WarpProduct> mp::makeMma16x8x8(GPUFunction &f, const WarpTile &warp) {
  return std::make_unique<Mma16x8x8>(f, warp);
}
