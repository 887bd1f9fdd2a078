// Finite checks of a product's tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/CPU/Contraction/TileReductions.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mp;

namespace {

/// So many lanes in scratch memory, which are NaN once a value was not finite.
class TileCheck final : public TileReduction {
public:
  TileCheck(CPUFunction &f, const ProductEpilogue::ReducedTile &tile, int64_t width)
      : f(f), b(f.b), result(tile.results.front()),
        type(withLanes(registerType(cast<RankedTensorType>(tile.op->getOperand(0).getType()).getElementType()), width)),
        lanes(f.allocate(laneType(type), width)) {}

  void start(Value) override { LLVM::StoreOp::create(b, floatConstant(b, type, 0), lanes, 4); }
  // x - x is 0 or NaN.
  Values first(Value value) override { return {arith::SubFOp::create(b, value, value)}; }
  Values next(ValueRange known, Value value) override {
    return {arith::AddFOp::create(b, known.front(), arith::SubFOp::create(b, value, value))};
  }
  void keep(ValueRange known, const TileColumns &) override {
    Value own = known.front(), before = LLVM::LoadOp::create(b, own.getType(), lanes, 4);
    LLVM::StoreOp::create(b, arith::AddFOp::create(b, before, own), lanes, 4);
  }
  void finish(Value block) override {
    Value sum = LLVM::LoadOp::create(b, type, lanes, 4);
    Value isBad = arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, sum, sum);
    if (laneCount(type) > 1)
      isBad = vector::ReductionOp::create(b, vector::CombiningKind::OR, isBad);
    Value flag = arith::ExtUIOp::create(b, b.getI32Type(), isBad);
    LLVM::StoreOp::create(b, flag, f.offset(f.result(result), b.getI32Type(), block), 4);
  }

private:
  CPUFunction &f;
  LaneBuilder &b;
  const unsigned result;
  Type type; ///< of the lanes
  Value lanes;
};

} // namespace

std::unique_ptr<TileReduction> mp::makeTileCheck(CPUFunction &f, const ProductEpilogue::ReducedTile &tile,
                                                 int64_t width) {
  return std::make_unique<TileCheck>(f, tile, width);
}
