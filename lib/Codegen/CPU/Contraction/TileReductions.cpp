// Reductions of a product's tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/CPU/Contraction/TileReductions.h"

using namespace mlir;
using namespace mp;

/// Null for an op that there is no code for.
static std::unique_ptr<TileReduction> makeReduction(CPUFunction &f, const ProductEpilogue::ReducedTile &tile,
                                                    int64_t width, int64_t columns) {
  if (isa<NonfiniteTilesOp>(tile.op))
    return makeTileCheck(f, tile, width);
  if (isa<RowBlockMomentsOp>(tile.op))
    return makeTileMoments(f, tile, columns);
  return nullptr;
}

LogicalResult TileReductions::prepare(int64_t columns) {
  for (const ProductEpilogue::ReducedTile &tile : epilogue.tileOps()) {
    reductions.push_back(makeReduction(f, tile, width, columns));
    if (!reductions.back())
      return tile.op->emitOpError("reduces tiles of a product, for which a CPU has no code");
  }
  return success();
}

void TileReductions::start(Value blockRow) {
  for (const auto &reduction : reductions)
    reduction->start(blockRow);
}

void TileReductions::finish(Value block) {
  for (const auto &reduction : reductions)
    reduction->finish(block);
}

LogicalResult TileReductions::emit(const TileColumns &columns, Finish finish) {
  // What is known of each vector of each op, one op after the other.
  SmallVector<TileReduction::Values> known(reductions.size() * columns.vectors);
  auto columnOf = [&](int64_t vector) { return f.add(columns.column, f.i64(vector * columns.lanes)); };
  auto finishRow = [&](Value row, function_ref<void(size_t number, TileReduction::Values &, Value)> see) {
    for (int64_t vector = 0; vector < columns.vectors; ++vector) {
      auto onTile = [&](size_t number, Value value) { see(number, known[number * columns.vectors + vector], value); };
      if (failed(finish(row, columnOf(vector), columns.lanes, onTile)))
        return failure();
    }
    return success();
  };

  if (failed(finishRow(f.i64(0), [&](size_t number, TileReduction::Values &own, Value value) {
        own = reductions[number]->first(value);
      })))
    return failure();
  SmallVector<Value> before;
  for (const TileReduction::Values &own : known)
    llvm::append_range(before, own);
  auto takeFrom = [&](ValueRange values) {
    for (TileReduction::Values &own : known) {
      own.assign(values.begin(), values.begin() + own.size());
      values = values.drop_front(own.size());
    }
  };
  FailureOr<SmallVector<Value>> after =
      f.forEach(f.i64(1), columns.rows, 1, before, [&](Value row, ValueRange soFar) -> FailureOr<SmallVector<Value>> {
        takeFrom(soFar);
        if (failed(finishRow(row, [&](size_t number, TileReduction::Values &own, Value value) {
              own = reductions[number]->next(own, value);
            })))
          return failure();
        SmallVector<Value> values;
        for (const TileReduction::Values &own : known)
          llvm::append_range(values, own);
        return values;
      });
  if (failed(after))
    return failure();
  takeFrom(*after);
  for (auto [number, reduction] : llvm::enumerate(reductions))
    for (int64_t vector = 0; vector < columns.vectors; ++vector)
      reduction->keep(known[number * columns.vectors + vector],
                      {columns.row, columns.rows, columnOf(vector), 1, columns.lanes});
  return success();
}
