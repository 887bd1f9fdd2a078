// Register tiles whose sums are vectors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/CPU/Contraction/TileProduct.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mp;

Value VectorTile::load(Type element, Value pointer, int64_t lanes) {
  return LLVM::LoadOp::create(b, withLanes(element, lanes), pointer, element.getIntOrFloatBitWidth() / 8);
}

FailureOr<SmallVector<Value>> VectorTile::forUnits(const TileOperands &operands, Value count, int64_t together,
                                                   ValueRange sums, Step step) {
  if (operands.unitsOfRow == 0)
    return f.forEach(f.i64(0), count, together, sums, step);
  return f.forEach(f.i64(0), count, operands.unitsOfRow, sums, [&](Value first, ValueRange soFar) {
    Value units = operands.beginRow(first);
    return f.forEach(f.i64(0), units, together, soFar,
                     [&](Value number, ValueRange next) { return step(f.add(first, number), next); });
  });
}

LogicalResult VectorTile::multiply(const TileOperands &operands, const TileSums &sums) {
  Value zeros = floatConstant(b, withLanes(shape.sum, shape.width), 0);
  const int64_t vectors = shape.rows * shape.vectorsOfRow();
  SmallVector<Value> start(vectors, zeros);
  if (sums.isFirst)
    for (auto [index, value] : llvm::enumerate(start)) {
      Value before = load(shape.sum, f.offset(sums.pointer, shape.sum, index * shape.width), shape.width);
      value = arith::SelectOp::create(b, sums.isFirst, zeros, before);
    }
  FailureOr<SmallVector<Value>> end = addProducts(operands, start);
  if (failed(end))
    return failure();
  for (auto [index, lanes] : llvm::enumerate(*end))
    LLVM::StoreOp::create(b, lanes, f.offset(sums.pointer, shape.sum, index * shape.width),
                          shape.sum.getIntOrFloatBitWidth() / 8);
  return success();
}
