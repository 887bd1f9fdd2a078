// Products of matrices in a block's own memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/CPU/Attention/ScratchProduct.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mp;

LogicalResult ScratchProduct::emit(const ScratchFactor &lhs, const ScratchMatrix &rhs, const ScratchMatrix &sums,
                                   const Size &size, bool adds) {
  return f.forEach(f.i64(0), size.rows, tile, [&](Value row) {
    const int64_t wide = tileVectors * vector;
    Value end = f.mul(f.div(size.columns, wide), wide);
    auto tiles = [&](Value from, Value to, int64_t vectors) {
      return f.forEach(from, to, vectors * vector,
                       [&](Value column) { return emitTile(lhs, rhs, sums, row, column, vectors, size.depth, adds); });
    };
    if (failed(tiles(f.i64(0), end, tileVectors)))
      return failure();
    return tileVectors == 1 ? success() : tiles(end, size.columns, 1);
  });
}

LogicalResult ScratchProduct::emitTile(const ScratchFactor &lhs, const ScratchMatrix &rhs, const ScratchMatrix &sums,
                                       Value row, Value column, int64_t vectors, Value depth, bool adds) {
  constexpr unsigned kAligned = 4;
  const Type f32 = b.getF32Type(), lanes = withLanes(f32, vector);
  Value sumsAt = f.offset(sums.pointer, f32, f.add(f.mul(row, sums.stride), column));
  auto sumAt = [&](int64_t i) { return f.offset(sumsAt, f32, i / vectors * sums.stride + i % vectors * vector); };
  SmallVector<Value> start(tile * vectors, floatConstant(b, lanes, 0));
  for (auto [i, sum] : llvm::enumerate(start))
    if (adds)
      sum = LLVM::LoadOp::create(b, lanes, sumAt(i), kAligned);
  Value lhsAt = f.offset(lhs.pointer, f32, f.mul(row, lhs.rowStride)), rhsAt = f.offset(rhs.pointer, f32, column);
  auto end = f.forEach(f.i64(0), depth, 1, start, [&](Value k, ValueRange soFar) -> FailureOr<SmallVector<Value>> {
    SmallVector<Value> rows, next;
    Value rhsOfStep = f.offset(rhsAt, f32, f.mul(k, rhs.stride));
    for (int64_t i = 0; i < vectors; ++i)
      rows.push_back(LLVM::LoadOp::create(b, lanes, f.offset(rhsOfStep, f32, i * vector), kAligned));
    Value lhsOfStep = f.offset(lhsAt, f32, f.mul(k, lhs.depthStride));
    for (int64_t i = 0; i < tile; ++i) {
      Value factor = LLVM::LoadOp::create(b, f32, f.offset(lhsOfStep, f32, i * lhs.rowStride), kAligned);
      factor = splat(b, factor, vector);
      for (int64_t j = 0; j < vectors; ++j)
        next.push_back(math::FmaOp::create(b, factor, rows[j], soFar[i * vectors + j]));
    }
    return next;
  });
  if (failed(end))
    return failure();
  for (auto [i, sum] : llvm::enumerate(*end))
    LLVM::StoreOp::create(b, sum, sumAt(i), kAligned);
  return success();
}
