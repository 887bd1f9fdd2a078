// Rows of a product that are pooled.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/NVVM/Contraction/PooledTile.h"

#include "mp/IR/ProductTiles.h"

using namespace mlir;
using namespace mp;

PooledTile::PooledTile(GPUFunction &f, Elements &values, const Pooled &pooled, const Product &product,
                       const MatrixTiles &tiles)
    : f(f), values(values), pooled(pooled), product(product), tiles(tiles), pixels(countPixels(pooled)),
      windows(tiles.epilogueRows() / pixels) {
  auto lines = RankedTensorType::get({windows, pixels, tiles.epiloguePitch()}, tiles.sum);
  Value argument = apart.addArgument(lines, pooled.op->getLoc());
  OpBuilder::InsertionGuard guard(f.b);
  f.b.setInsertionPointToEnd(&apart);
  op = cast<WinnerInterface>(*pooled.op).poolLines(f.b, argument);
  even =
      llvm::all_of(pooled.results, [&](unsigned number) { return values.isEvenAlong(f.yields()[number], product.n); });
}

LogicalResult PooledTile::prepare() {
  return values.prepare(
      llvm::map_to_vector(pooled.results, [&](unsigned number) -> Value { return f.yields()[number]; }));
}

LogicalResult PooledTile::emitVector(Value vector, Value row, Value column, int64_t width) {
  const int64_t ofRow = tiles.schedule.getWarpN() / width;
  Value inRow = f.mul(f.rem(vector, ofRow), width), window = f.div(vector, ofRow);
  auto finish = [&]() -> LogicalResult {
    Elements::Scope scope(values);
    const Lanes inTile = {window, tiles.epiloguePitch(), inRow, 1, width};
    const Lanes here = values.inRow(f.add(f.div(row, pixels), window), product.n, f.add(column, inRow), width, even);
    SmallVector<Value> winners;
    for (Value result : op->getResults()) {
      FailureOr<Value> winner = values.at(result, inTile);
      if (failed(winner))
        return failure();
      winners.push_back(*winner);
    }
    for (auto [result, winner] : llvm::zip_equal(pooled.op->getResults(), winners))
      values.bindLanes(result, winner, here);
    return f.storeResults(values, pooled.results, here);
  };
  Value inside;
  auto require = [&](Value condition) {
    inside = inside ? f.b.createOrFold<arith::AndIOp>(inside, condition) : condition;
  };
  if (windows * ofRow % Chip::kWarp != 0)
    require(f.isBelow(vector, f.i64(windows * ofRow)));
  if (product.m % tiles.schedule.getBlockM() != 0)
    require(f.isBelow(f.add(row, f.mul(window, pixels)), f.i64(product.m)));
  if (product.n % tiles.schedule.getBlockN() != 0)
    require(f.isBelow(f.add(column, inRow), f.i64(product.n)));
  return inside ? f.when(inside, finish) : finish();
}

LogicalResult PooledTile::emit(Value epilogueTile, Value row, Value column, int64_t width) {
  values.bindMemory(op->getOperand(0), epilogueTile);
  const int64_t vectors = windows * (tiles.schedule.getWarpN() / width);
  return f.forEach(f.i64(0), f.i64(vectors), Chip::kWarp,
                   [&](Value first) { return emitVector(f.add(first, f.lane), row, column, width); });
}
