// Finite checks of a product's tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/CPU/Contraction/TileChecks.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mp;

LogicalResult TileChecks::prepare() {
  for (const ProductEpilogue::TileCheck &tile : epilogue.tileOps())
    if (!isa<NonfiniteTilesOp>(tile.op))
      return tile.op->emitOpError("is of the tiles of a product, which are those of a GPU");
  if (!empty())
    lanes = f.allocate(b.getF64Type(), static_cast<int64_t>(epilogue.tileOps().size()) * width);
  return success();
}

Type TileChecks::lanesOf(Operation *op) const { return withLanes(registerType(elementOf(op->getOperand(0))), width); }

Value TileChecks::lanesAt(size_t number) {
  return f.offset(lanes, b.getF64Type(), static_cast<int64_t>(number) * width);
}

SmallVector<Value> TileChecks::none(int64_t vectors) {
  SmallVector<Value> zeros;
  for (const ProductEpilogue::TileCheck &tile : epilogue.tileOps())
    zeros.append(vectors, floatConstant(b, lanesOf(tile.op), 0));
  return zeros;
}

// x - x is 0 or NaN.
Value TileChecks::gathered(Value soFar, Value value) {
  return arith::AddFOp::create(b, soFar, arith::SubFOp::create(b, value, value));
}

void TileChecks::start() {
  for (auto [number, zeros] : llvm::enumerate(none(1)))
    LLVM::StoreOp::create(b, zeros, lanesAt(number), 8);
}

void TileChecks::note(size_t number, Value value) {
  Value before = LLVM::LoadOp::create(b, value.getType(), lanesAt(number), 8);
  LLVM::StoreOp::create(b, gathered(before, value), lanesAt(number), 8);
}

void TileChecks::finish(Value block) {
  for (auto [number, tile] : llvm::enumerate(epilogue.tileOps())) {
    Value sum = LLVM::LoadOp::create(b, lanesOf(tile.op), lanesAt(number), 8);
    Value isBad = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, sum, sum);
    if (width > 1)
      isBad = vector::ReductionOp::create(b, vector::CombiningKind::OR, isBad);
    Value flag = arith::ExtUIOp::create(b, b.getI32Type(), isBad);
    LLVM::StoreOp::create(b, flag, f.offset(f.result(tile.result), b.getI32Type(), block), 4);
  }
}
