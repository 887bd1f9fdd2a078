// Where elements of an operand's tile lie in shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/NVVM/Contraction/TileAddress.h"

using namespace mlir;
using namespace mp;

static constexpr int64_t kLineBytes = 128;

Value TileAddress::swizzleOf(Value row) {
  const int64_t rowBytes = tile.columns * tile.elementBytes;
  const int64_t chunks = std::min(rowBytes, kLineBytes) / Chip::kAccessBytes;
  const int64_t rowsOfLine = kLineBytes / (chunks * Chip::kAccessBytes);
  return f.mul(f.rem(f.div(row, rowsOfLine), chunks), Chip::kAccessBytes);
}

Value TileAddress::advance(Value pointer, int64_t bytes) {
  return bytes == 0 ? pointer : f.offset(pointer, f.b.getI8Type(), bytes);
}

Value TileAddress::at(Value stage, Value row, int64_t rowStep, Value column, int64_t columnStep) {
  Value inRow = f.mul(columnStep == 0 ? column : f.add(column, f.i64(columnStep)), tile.elementBytes);
  if (tile.swizzled) {
    Value swizzled = rowStep % rowPeriod() == 0 ? row : f.add(row, f.i64(rowStep));
    inRow = arith::XOrIOp::create(f.b, inRow, swizzleOf(swizzled));
  }
  const int64_t pitch = tile.pitch * tile.elementBytes;
  Value start = f.offset(stage, f.b.getI8Type(), f.add(f.mul(row, pitch), inRow));
  return advance(start, rowStep * pitch);
}

Value TileAddress::atStep(Value stage, Value row, int64_t rowStep, Value column, int64_t columnStep) {
  if (!tile.swizzled)
    return advance(at(stage, row, rowStep, column), columnStep * tile.elementBytes);
  const int64_t pitch = tile.pitch * tile.elementBytes;
  Value inRow = arith::XOrIOp::create(f.b, f.mul(column, tile.elementBytes), swizzleOf(row));
  inRow = arith::XOrIOp::create(f.b, inRow, f.i64(columnStep * tile.elementBytes));
  Value start = f.offset(stage, f.b.getI8Type(), f.add(f.mul(row, pitch), inRow));
  return advance(start, rowStep * pitch);
}
