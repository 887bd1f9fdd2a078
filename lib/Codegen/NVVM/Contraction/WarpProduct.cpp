// How the lanes of a warp multiply.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/NVVM/Contraction/WarpProduct.h"

using namespace mlir;
using namespace mp;

WarpProduct::Values WarpProduct::zeros() {
  const int64_t sumsOfLane = warp.rows() * warp.columns() / Chip::kWarp;
  return Values(sumsOfLane / sumsOfValue(), floatConstant(b, valueType(), 0));
}

FailureOr<WarpProduct::Values> WarpProduct::finishPairs(ValueRange, FinishPairs) {
  llvm_unreachable("an instruction whose lanes have no pairs");
}

Value WarpProduct::epilogueAt(Value epilogueTile, Value row, int64_t rowStep, Value column, int64_t columnStep,
                              int64_t pitch) {
  Value start = f.offset(epilogueTile, warp.tiles.passed, f.add(f.mul(row, pitch), column));
  const int64_t steps = rowStep * pitch + columnStep;
  return steps == 0 ? start : f.offset(start, warp.tiles.passed, steps);
}

std::unique_ptr<WarpProduct> mp::makeWarpProduct(GPUFunction &f, const WarpTile &warp) {
  switch (warp.tiles.info.instruction) {
  case MatrixInstruction::Wmma16x16x16:
    return makeWmma(f, warp);
  case MatrixInstruction::Mma16x8x8:
    return makeMma16x8x8(f, warp);
  case MatrixInstruction::Mma16x8x16:
    return makeMma16x8x16(f, warp);
  case MatrixInstruction::Mma16x8x8TF32:
    return makeMma16x8x8TF32(f, warp);
  case MatrixInstruction::Fma:
    return makeFma(f, warp);
  }
  llvm_unreachable("unknown instruction");
}
