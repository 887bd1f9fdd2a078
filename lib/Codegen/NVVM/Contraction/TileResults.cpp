// What a block says of its tile as a whole.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/NVVM/Contraction/TileResults.h"

#include "mp/IR/Tiles.h"

using namespace mlir;
using namespace mp;

static std::unique_ptr<TileReduction> makeReduction(GPUFunction &f, const ProductEpilogue::ReducedTile &tile,
                                                    const TileWalk &walk) {
  if (isa<SumRowBlocksOp>(tile.op))
    return makeTileSums(f, walk, tile.results.front());
  if (isa<RowBlockMomentsOp>(tile.op))
    return makeTileMoments(f, walk, tile.results);
  return makeTileFlags(f, tile.results.front());
}

TileResults::TileResults(GPUFunction &f, ArrayRef<ProductEpilogue::ReducedTile> ops, const Product &product,
                         const MatrixTiles &tiles, int64_t width)
    : f(f), ops(ops), product(product), tiles(tiles), walk(product, tiles, width) {
  for (const ProductEpilogue::ReducedTile &tile : ops)
    reductions.push_back(makeReduction(f, tile, walk));
}

/// The rows of a block by which an op gives a row of results; none where it does not.
static std::optional<int64_t> blockOf(Operation *op) {
  if (auto sums = dyn_cast<SumRowBlocksOp>(op))
    return static_cast<int64_t>(sums.getBlock());
  if (auto moments = dyn_cast<RowBlockMomentsOp>(op))
    return static_cast<int64_t>(moments.getBlock());
  return std::nullopt;
}

LogicalResult TileResults::verify() {
  const int64_t rows = tiles.schedule.getBlockM(), columns = tiles.schedule.getBlockN();
  for (const ProductEpilogue::ReducedTile &tile : ops) {
    if (product.parts > 1)
      return tile.op->emitOpError("reads a product whose k is in parts");
    const std::optional<int64_t> block = blockOf(tile.op);
    if (block && (*block != rows || product.batch > 1))
      return tile.op->emitOpError("takes blocks of ") << *block << " rows, its product has tiles of " << rows;
    if (auto flags = dyn_cast<NonfiniteTilesOp>(tile.op);
        flags && (static_cast<int64_t>(flags.getRows()) != rows || static_cast<int64_t>(flags.getColumns()) != columns))
      return flags.emitOpError("takes tiles of ") << flags.getRows() << " x " << flags.getColumns()
                                                  << ", its product has tiles of " << rows << " x " << columns;
    // Each block stores one flag, or a row of sums: fewer would be left over, more would be beyond the end.
    const int64_t found = cast<RankedTensorType>(tile.op->getResult(0).getType()).getDimSize(0);
    const int64_t made = block ? countBlocks(product.m, rows) : product.countTiles(rows, columns);
    if (found != made)
      return tile.op->emitOpError("has ") << found << " results, its product has " << made << " tiles for them";
  }
  return success();
}

TileResults::Values TileResults::start() {
  Values nothing;
  counts.clear();
  for (const auto &reduction : reductions) {
    const Values own = reduction->start();
    counts.push_back(own.size());
    llvm::append_range(nothing, own);
  }
  return nothing;
}

void TileResults::add(size_t op, int64_t phase, Value value, Value isFirst, MutableArrayRef<Value> soFar) {
  size_t first = 0;
  for (size_t before = 0; before < op; ++before)
    first += counts[before];
  reductions[op]->add(phase, value, isFirst, soFar.slice(first, counts[op]));
}

LogicalResult TileResults::finish(ValueRange seen, const TilePosition &position) {
  for (auto [reduction, count] : llvm::zip_equal(reductions, counts)) {
    // Epilogue tiles and what the op before left have been read.
    f.barrier();
    if (failed(reduction->finish(seen.take_front(count), position)))
      return failure();
    seen = seen.drop_front(count);
  }
  return success();
}
