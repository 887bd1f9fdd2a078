// Sums over a block's rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/NVVM/Contraction/TileReduction.h"

using namespace mlir;
using namespace mp;

namespace {

class TileSums final : public TileReduction {
public:
  TileSums(GPUFunction &f, const TileWalk &walk, unsigned result)
      : f(f), b(f.b), f32(f.b.getF32Type()), walk(walk), result(result) {}

  Values start() override { return Values(walk.phases, floatConstant(b, withLanes(f32, walk.width), 0)); }

  void add(int64_t phase, Value value, Value, MutableArrayRef<Value> soFar) override {
    soFar[phase] = arith::AddFOp::create(b, soFar[phase], value);
  }

  LogicalResult finish(ValueRange seen, const TilePosition &position) override {
    const int64_t columns = walk.tiles.schedule.getBlockN(), warps = walk.tiles.schedule.getWarpsM();
    // A row of sums for each row of warps.
    Value own = f.add(f.mul(position.warpM, columns), position.warpColumn);
    for (auto [phase, lanes] : llvm::enumerate(seen)) {
      Value combined = combine(lanes);
      Value column = f.mul(f.add(f.lane, f.i64(static_cast<int64_t>(phase) * Chip::kWarp)), walk.width);
      auto store = [&] {
        LLVM::StoreOp::create(b, combined, f.offset(position.ring, f32, f.add(own, column)), 4 * walk.width);
        return success();
      };
      if (failed(walk.ofRow < Chip::kWarp ? f.when(f.isBelow(f.lane, f.i64(walk.ofRow)), store) : store()))
        return failure();
    }
    f.barrier();
    return forTileColumns(f, walk, position, [&](Value column, Value target) {
      Value sum;
      for (int64_t warp = 0; warp < warps; ++warp) {
        Value at = f.offset(position.ring, f32, f.add(column, f.i64(warp * columns)));
        Value next = LLVM::LoadOp::create(b, f32, at);
        sum = sum ? Value(arith::AddFOp::create(b, sum, next)) : next;
      }
      Value place = f.add(f.mul(position.blockM, walk.product.n), target);
      LLVM::StoreOp::create(b, sum, f.offset(f.result(result), f32, place));
      return success();
    });
  }

private:
  /// Added up over the lanes of one column.
  Value combine(Value lanes) {
    for (int64_t apart = Chip::kWarp / 2; apart >= walk.lanesOfRow; apart /= 2)
      lanes = arith::AddFOp::create(b, lanes, shuffleLanes(f, lanes, apart));
    return lanes;
  }

  GPUFunction &f;
  LaneBuilder &b;
  Type f32;
  const TileWalk &walk;
  const unsigned result;
};

} // namespace

std::unique_ptr<TileReduction> mp::makeTileSums(GPUFunction &f, const TileWalk &walk, unsigned result) {
  return std::make_unique<TileSums>(f, walk, result);
}
