// From a warp's sums to results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/NVVM/Contraction/SumsEpilogue.h"

#include <numeric>

using namespace mlir;
using namespace mp;

SumsEpilogue::SumsEpilogue(GPUFunction &f, Elements &values, const Product &product, const MatrixTiles &tiles,
                           const IndexMap *place, const Pooled *ofRows)
    : f(f), product(product), tiles(tiles), epilogue(f, values, product) {
  if (place)
    rowsInResult.emplace(f, Value(), *place);
  if (!ofRows)
    return;
  pooled.emplace(f, values, *ofRows, product, tiles);
  epilogue.handOver(ofRows->image(), ofRows->results);
}

LogicalResult SumsEpilogue::prepare() {
  if (failed(epilogue.prepare()) || (pooled && failed(pooled->prepare())))
    return failure();
  const int64_t bytes = std::max<int64_t>(epilogue.leastBits() / 8, 2);
  width = epilogue.isEven() && (!pooled || pooled->isEven()) ? std::gcd(product.n, Chip::kAccessBytes / bytes) : 1;
  results.emplace(f, product, tiles, width);
  return results->prepare(epilogue.tileOps());
}

FailureOr<SumsEpilogue::Values> SumsEpilogue::emitVector(const Vector &at, Value epilogueTile, Value outer, Value row,
                                                         Value column, ValueRange soFar) {
  LaneBuilder &b = f.b;
  const int64_t ofRow = tiles.schedule.getWarpN() / width;
  const unsigned sumBytes = tiles.sum.getIntOrFloatBitWidth() / 8;
  Value inRow = f.mul(f.rem(at.number, ofRow), width), rowHere = f.div(at.number, ofRow);
  auto finish = [&]() -> FailureOr<Values> {
    Value source = f.offset(epilogueTile, tiles.sum, f.add(f.mul(rowHere, tiles.epiloguePitch()), inRow));
    Value sums = LLVM::LoadOp::create(b, withLanes(tiles.sum, width), source,
                                      std::min<unsigned>(sumBytes * width, Chip::kAccessBytes));
    Values next(soFar);
    // What is pooled takes the place of its sums.
    auto onTile = [&](size_t index, Value value) {
      if (index == epilogue.tileOps().size())
        LLVM::StoreOp::create(b, toMemory(b, value, tiles.sum), source,
                              std::min<unsigned>(sumBytes * width, Chip::kAccessBytes));
      else
        results->add(index, at.phase, value, at.isFirst, next);
    };
    Value ofProduct = f.add(row, rowHere);
    Value inResult =
        rowsInResult ? rowsInResult->at(rowsInResult->movedBy(rowsInResult->map.row, ofProduct)).column : ofProduct;
    if (failed(epilogue.emit(f.add(epilogue.firstRowOf(outer), inResult),
                             f.add(f.add(column, inRow), epilogue.firstColumnOf(outer)), toRegister(b, sums, tiles.sum),
                             width, onTile)))
      return failure();
    return next;
  };
  Value inside;
  if (product.m % tiles.schedule.getBlockM() != 0)
    inside = f.isBelow(f.add(row, rowHere), f.i64(product.m));
  if (product.n % tiles.schedule.getBlockN() != 0) {
    Value isColumn = f.isBelow(f.add(column, inRow), f.i64(product.n));
    inside = inside ? b.createOrFold<arith::AndIOp>(inside, isColumn) : isColumn;
  }
  return inside ? f.when(inside, soFar, finish) : finish();
}

FailureOr<SumsEpilogue::Values> SumsEpilogue::emitTile(Value epilogueTile, bool isFirst, Value outer, Value row,
                                                       Value column, ValueRange soFar) {
  const int64_t vectors = tiles.epilogueRows() * tiles.schedule.getWarpN() / width;
  const int64_t phases = results->phases();
  auto emitVectors = [&](Value first, ValueRange before) -> FailureOr<Values> {
    Values next(before);
    Value startsHere = isFirst ? Value(arith::CmpIOp::create(f.b, arith::CmpIPredicate::eq, first, f.i64(0))) : Value();
    for (int64_t phase = 0; phase < phases; ++phase) {
      Value vector = f.add(f.add(first, f.i64(phase * Chip::kWarp)), f.lane);
      FailureOr<Values> after = emitVector({vector, phase, startsHere}, epilogueTile, outer, row, column, next);
      if (failed(after))
        return failure();
      next = std::move(*after);
    }
    return next;
  };
  // Unrolled by ptxas, it takes more registers than the sums leave.
  return f.forEach(f.i64(0), f.i64(vectors), Chip::kWarp * phases, soFar, emitVectors, /*staysRolled=*/true);
}

LogicalResult SumsEpilogue::emit(WarpProduct &warp, ValueRange sums, Value epilogueTile, const TilePosition &position) {
  const int64_t rows = tiles.epilogueRows();
  Value row = f.add(position.firstRow, position.warpRow), column = f.add(position.firstColumn, position.warpColumn);
  Values reduced = results->start();
  for (int64_t first = 0; first < tiles.schedule.getWarpM(); first += rows) {
    if (first != 0)
      f.barrierOfWarp(); // the epilogue tile before has been read
    warp.store(sums, first, rows, epilogueTile, tiles.epiloguePitch());
    f.barrierOfWarp();
    FailureOr<Values> next =
        emitTile(epilogueTile, /*isFirst=*/first == 0, position.outer, f.add(row, f.i64(first)), column, reduced);
    if (failed(next))
      return failure();
    reduced = std::move(*next);
    if (!pooled)
      continue;
    f.barrierOfWarp();
    if (failed(pooled->emit(epilogueTile, f.add(row, f.i64(first)), column, width)))
      return failure();
  }
  return results->finish(reduced, position);
}
