// Whether a block's elements are finite.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Emit/Reduce.h"
#include "Codegen/NVVM/Contraction/TileReduction.h"

using namespace mlir;
using namespace mp;

namespace {

class TileFlags final : public TileReduction {
public:
  TileFlags(GPUFunction &f, unsigned result) : f(f), b(f.b), i32(f.b.getI32Type()), result(result) {}

  Values start() override { return {b.createOrFold<arith::ConstantOp>(b.getI32IntegerAttr(0))}; }

  void add(int64_t, Value value, Value, MutableArrayRef<Value> soFar) override {
    soFar[0] =
        either(soFar[0], mp::combineLanes(b, isNonfinite(b, value), [&](Value x, Value y) { return either(x, y); }));
  }

  LogicalResult finish(ValueRange seen, const TilePosition &position) override {
    Value own = seen.front();
    for (int64_t apart = Chip::kWarp / 2; apart > 0; apart /= 2)
      own = either(own, f.shuffleXor(own, apart));
    (void)f.when(isFirst(f.lane), [&] {
      LLVM::StoreOp::create(b, own, f.offset(position.ring, i32, position.warp));
      return success();
    });
    f.barrier();
    return f.when(isFirst(f.thread), [&] {
      Value flag;
      for (int64_t warp = 0; warp < f.threads / Chip::kWarp; ++warp) {
        Value next = LLVM::LoadOp::create(b, i32, f.offset(position.ring, i32, warp));
        flag = flag ? either(flag, next) : next;
      }
      Value row = f.add(f.mul(position.outer, position.blocksM), position.blockM);
      Value tile = f.add(f.mul(row, position.blocksN), position.blockN);
      LLVM::StoreOp::create(b, flag, f.offset(f.result(result), i32, tile));
      return success();
    });
  }

private:
  Value either(Value x, Value y) { return arith::OrIOp::create(b, x, y); }
  Value isFirst(Value number) { return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, number, f.i64(0)); }

  GPUFunction &f;
  LaneBuilder &b;
  Type i32;
  const unsigned result;
};

} // namespace

std::unique_ptr<TileReduction> mp::makeTileFlags(GPUFunction &f, unsigned result) {
  return std::make_unique<TileFlags>(f, result);
}
