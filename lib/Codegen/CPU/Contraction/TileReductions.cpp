// Reductions of a product's tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/CPU/Contraction/TileReductions.h"

#include "mp/Analysis/ProductRows.h"

#include <algorithm>

using namespace mlir;
using namespace mp;

LogicalResult TileReductions::prepare(const Product &product, int64_t blockM, bool isTransposed) {
  for (const ProductEpilogue::ReducedTile &tile : epilogue.tileOps()) {
    if (isa<NonfiniteTilesOp>(tile.op)) {
      reductions.push_back(makeTileCheck(f, tile, width));
      continue;
    }
    auto moments = dyn_cast<RowBlockMomentsOp>(tile.op);
    if (!moments)
      return tile.op->emitOpError("is of the tiles of a product, which are those of a GPU");
    if (isTransposed)
      return moments.emitOpError("is of rows that a transposed product has as columns");
    // A block stores one row of moments: fewer would be left over, more would be beyond the end.
    const auto block = static_cast<int64_t>(moments.getBlock());
    if (std::min(block, product.m) != std::min(blockM, product.m) || !areRowsOfOneMatrix(product))
      return moments.emitOpError("takes blocks of ")
             << block << " rows, its product has blocks of " << blockM << " in " << product.batch * product.parts
             << " parts and " << product.classes.size() << " classes";
    reductions.push_back(makeTileMoments(f, tile, product.n));
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
