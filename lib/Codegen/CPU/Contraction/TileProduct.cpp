// The register tile of a product.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/CPU/Contraction/TileProduct.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mp;

/// The processor's own conversion to bf16 flushes subnormal numbers: where there are none it is exact.
Value TileProduct::roundSums(LaneBuilder &b, Value sums, Type type) const {
  const int64_t lanes = laneCount(sums.getType());
  if (!flushesSums() || !type.isBF16() || (lanes != 8 && lanes != 16))
    return roundTo(b, sums, type);
  auto name = b.getStringAttr("llvm.x86.avx512bf16.cvtneps2bf16." + Twine(32 * lanes));
  Value narrow = LLVM::CallIntrinsicOp::create(b, withLanes(type, lanes), name, sums).getResult(0);
  return arith::ExtFOp::create(b, sums.getType(), narrow);
}
