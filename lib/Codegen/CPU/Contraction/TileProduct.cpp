// The register tile of a product.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/CPU/Contraction/TileProduct.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>
#include <string>

using namespace mlir;
using namespace mp;

/// Half of the lanes, the lower or the upper.
static Value halfOf(LaneBuilder &b, Value lanes, bool isUpper) {
  const int64_t half = laneCount(lanes.getType()) / 2;
  SmallVector<int64_t> own(half);
  std::iota(own.begin(), own.end(), isUpper ? half : 0);
  return vector::ShuffleOp::create(b, lanes, lanes, own);
}

/// The processor's own conversion to bf16 flushes subnormal numbers: where there are none it is exact.
Value TileProduct::roundSums(LaneBuilder &b, Value sums, Type type) const {
  const int64_t lanes = laneCount(sums.getType());
  if (!flushesSums() || !type.isBF16() || (lanes != 8 && lanes != 16 && lanes != 32))
    return roundTo(b, sums, type);
  // Two vectors become one.
  SmallVector<Value> operands = {sums};
  std::string instruction = "cvtneps2bf16." + std::to_string(32 * lanes);
  if (lanes == 32) {
    operands = {halfOf(b, sums, true), halfOf(b, sums, false)};
    instruction = "cvtne2ps2bf16.512";
  }
  auto name = b.getStringAttr("llvm.x86.avx512bf16." + instruction);
  Value narrow = LLVM::CallIntrinsicOp::create(b, withLanes(type, lanes), name, operands).getResult(0);
  return arith::ExtFOp::create(b, sums.getType(), narrow);
}
