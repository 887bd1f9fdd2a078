// From a warp's sums to results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/NVVM/Contraction/SumsEpilogue.h"

#include <numeric>

using namespace mlir;
using namespace mp;

SumsEpilogue::SumsEpilogue(GPUFunction &f, Elements &values, const Product &product, const MatrixTiles &tiles,
                           const IndexMap *place, const Pooled *ofRows)
    : f(f), values(values), product(product), tiles(tiles), epilogue(f, values, product) {
  if (tiles.passed != tiles.sum)
    epilogue.takeFinishedSums();
  if (place)
    rowsInResult.emplace(f, Value(), *place);
  if (!ofRows)
    return;
  pooled.emplace(f, values, *ofRows, product, tiles);
  epilogue.handOver(ofRows->image(), ofRows->results);
}

Type SumsEpilogue::findPassed(const Product &product, const MatrixTiles &tiles, const Pooled *pooled) {
  Type result = typeOf(product.result).getElementType();
  // The bias behind the last column is not there to be added.
  const bool readsBeyond = product.bias && product.n % tiles.schedule.getBlockN() != 0;
  const bool isHalf = tiles.sum.isF32() && result.getIntOrFloatBitWidth() == 16;
  // Of fewer columns there is little to save, and ptxas has made the loop in front of it longer.
  constexpr int64_t kLeastColumns = 32;
  return isHalf && tiles.schedule.getWarpN() >= kLeastColumns && tiles.info.pairs && !readsBeyond && !pooled
             ? result
             : tiles.sum;
}

LogicalResult SumsEpilogue::prepare() {
  if (failed(epilogue.prepare()) || (pooled && failed(pooled->prepare())))
    return failure();
  const int64_t bytes = std::max<int64_t>(epilogue.leastBits() / 8, 2);
  width = epilogue.isEven() && (!pooled || pooled->isEven()) ? std::gcd(product.n, Chip::kAccessBytes / bytes) : 1;
  results.emplace(f, product, tiles, width);
  return results->prepare(epilogue.tileOps());
}

int64_t SumsEpilogue::vectorsAtOnce() const {
  constexpr int64_t kMost = 4;
  const bool areSumsGone = tiles.epilogueRows() == tiles.schedule.getWarpM();
  const int64_t ofLane = tiles.epilogueRows() * tiles.schedule.getWarpN() / width / Chip::kWarp;
  return std::max(areSumsGone && !pooled ? std::gcd(std::max<int64_t>(ofLane / 2, 1), kMost) : 1, results->phases());
}

FailureOr<ProductEpilogue::Computed> SumsEpilogue::compute(const Vector &at, const Tile &tile, Values &seen) {
  LaneBuilder &b = f.b;
  const unsigned bytes = tiles.passed.getIntOrFloatBitWidth() / 8;
  const unsigned alignment = std::min<unsigned>(bytes * width, Chip::kAccessBytes);
  Value source = f.offset(tile.memory, tiles.passed, f.add(f.mul(at.row, tiles.epiloguePitch()), at.column));
  Value sums = LLVM::LoadOp::create(b, withLanes(memoryType(tiles.passed), width), source, alignment);
  // What is pooled takes the place of its sums.
  auto onTile = [&](size_t index, Value value) {
    if (index == epilogue.tileOps().size())
      LLVM::StoreOp::create(b, toMemory(b, value, tiles.passed), source, alignment);
    else
      results->add(index, at.phase, value, at.isFirst, seen);
  };
  Value ofProduct = f.add(tile.row, at.row);
  Value inResult =
      rowsInResult ? rowsInResult->at(rowsInResult->movedBy(rowsInResult->map.row, ofProduct)).column : ofProduct;
  return epilogue.compute(f.add(epilogue.firstRowOf(tile.outer), inResult),
                          f.add(f.add(tile.column, at.column), epilogue.firstColumnOf(tile.outer)),
                          toRegister(b, sums, tiles.passed), width, onTile);
}

Value SumsEpilogue::isInside(const Vector &at, const Tile &tile) {
  Value inside;
  if (product.m % tiles.schedule.getBlockM() != 0)
    inside = f.isBelow(f.add(tile.row, at.row), f.i64(product.m));
  if (product.n % tiles.schedule.getBlockN() != 0) {
    Value isColumn = f.isBelow(f.add(tile.column, at.column), f.i64(product.n));
    inside = inside ? f.b.createOrFold<arith::AndIOp>(inside, isColumn) : isColumn;
  }
  return inside;
}

FailureOr<SumsEpilogue::Values> SumsEpilogue::emitVectors(Value first, int64_t count, bool isFirst, const Tile &tile,
                                                          ValueRange soFar) {
  const int64_t ofRow = tiles.schedule.getWarpN() / width, phases = results->phases();
  Value startsHere = isFirst ? Value(arith::CmpIOp::create(f.b, arith::CmpIPredicate::eq, first, f.i64(0))) : Value();
  Values seen(soFar);
  ProductEpilogue::Computed computed;
  for (int64_t index = 0; index < count; ++index) {
    Value number = f.add(f.add(first, f.i64(index * Chip::kWarp)), f.lane);
    const Vector vector = {f.div(number, ofRow), f.mul(f.rem(number, ofRow), width), index % phases,
                           index < phases ? startsHere : Value()};
    auto finish = [&]() -> FailureOr<Values> {
      Values next(seen);
      FailureOr<ProductEpilogue::Computed> own = compute(vector, tile, next);
      if (failed(own))
        return failure();
      computed.append(*own);
      return next;
    };
    // Beyond an edge there is nothing to store, so that what is there is stored where that is known.
    auto finishAndStore = [&]() -> FailureOr<Values> {
      FailureOr<Values> next = finish();
      epilogue.store(computed);
      computed.clear();
      return next;
    };
    Value inside = isInside(vector, tile);
    FailureOr<Values> next = inside ? f.when(inside, seen, finishAndStore) : finish();
    if (failed(next))
      return failure();
    seen = std::move(*next);
  }
  epilogue.store(computed);
  return seen;
}

FailureOr<SumsEpilogue::Values> SumsEpilogue::emitTile(const Tile &tile, bool isFirst, ValueRange soFar) {
  const int64_t vectors = tiles.epilogueRows() * tiles.schedule.getWarpN() / width, atOnce = vectorsAtOnce();
  // Unrolled by ptxas, it takes more registers than the sums leave.
  return f.forEach(
      f.i64(0), f.i64(vectors), Chip::kWarp * atOnce, soFar,
      [&](Value first, ValueRange before) { return emitVectors(first, atOnce, isFirst, tile, before); },
      /*staysRolled=*/true);
}

FailureOr<SumsEpilogue::Values> SumsEpilogue::finishPairs(WarpProduct &warp, ValueRange sums, Value outer,
                                                          Value column) {
  Value first = f.add(column, epilogue.firstColumnOf(outer));
  return warp.finishPairs(sums, [&](ValueRange pairs, Value inTile) -> FailureOr<Values> {
    Elements::Scope scope(values);
    Value at = f.add(first, inTile); // once, so that what is read there is read once
    Values finished;
    for (Value pair : pairs) {
      FailureOr<Value> own = epilogue.finishSums(at, pair, 2);
      if (failed(own))
        return failure();
      finished.push_back(toMemory(f.b, *own, tiles.passed));
    }
    return finished;
  });
}

LogicalResult SumsEpilogue::emit(WarpProduct &warp, ValueRange sums, Value epilogueTile, const TilePosition &position) {
  const int64_t rows = tiles.epilogueRows();
  Value row = f.add(position.firstRow, position.warpRow), column = f.add(position.firstColumn, position.warpColumn);
  Values finished(sums);
  if (tiles.passed != tiles.sum) {
    FailureOr<Values> rounded = finishPairs(warp, sums, position.outer, column);
    if (failed(rounded))
      return failure();
    finished = std::move(*rounded);
  }
  Values reduced = results->start();
  for (int64_t first = 0; first < tiles.schedule.getWarpM(); first += rows) {
    if (first != 0)
      f.barrierOfWarp(); // the epilogue tile before has been read
    warp.store(finished, first, rows, epilogueTile, tiles.epiloguePitch());
    f.barrierOfWarp();
    const Tile tile = {epilogueTile, position.outer, f.add(row, f.i64(first)), column};
    FailureOr<Values> next = emitTile(tile, /*isFirst=*/first == 0, reduced);
    if (failed(next))
      return failure();
    reduced = std::move(*next);
    if (!pooled)
      continue;
    f.barrierOfWarp();
    if (failed(pooled->emit(epilogueTile, tile.row, column, width)))
      return failure();
  }
  return results->finish(reduced, position);
}
