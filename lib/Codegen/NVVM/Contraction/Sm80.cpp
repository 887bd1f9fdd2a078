//===- Sm80.cpp - mma.sync m16n8k16 --------------------------------------------------------------------------===//

#include "Codegen/NVVM/Contraction/MmaSync.h"

using namespace mlir;
using namespace mp;

namespace {

struct Mma16x8x16 : MmaSync {
  using MmaSync::MmaSync;

  // The quarters of 16 x 16 and the halves of 16 x 8 are the operands, in this order.
  void multiplyTile(ValueRange lhs, ValueRange rhs, MutableArrayRef<Value> sums) override { mma(lhs, rhs, 16, sums); }
};

} // namespace

std::unique_ptr<WarpProduct> mp::makeMma16x8x16(GPUFunction &f, const WarpTile &warp) {
  return std::make_unique<Mma16x8x16>(f, warp);
}
