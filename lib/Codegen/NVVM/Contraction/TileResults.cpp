// What a block says of its tile as a whole.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/NVVM/Contraction/TileResults.h"

using namespace mlir;
using namespace mp;

/// Null for an op that there is no code for.
static std::unique_ptr<TileReduction> makeReduction(GPUFunction &f, const ProductEpilogue::ReducedTile &tile,
                                                    const TileWalk &walk) {
  if (isa<SumRowBlocksOp>(tile.op))
    return makeTileSums(f, walk, tile.results.front());
  if (isa<RowBlockMomentsOp>(tile.op))
    return makeTileMoments(f, walk, tile.results);
  if (isa<NonfiniteTilesOp>(tile.op))
    return makeTileFlags(f, tile.results.front());
  return nullptr;
}

TileResults::TileResults(GPUFunction &f, const Product &product, const MatrixTiles &tiles, int64_t width)
    : f(f), walk(product, tiles, width) {}

LogicalResult TileResults::prepare(ArrayRef<ProductEpilogue::ReducedTile> ops) {
  for (const ProductEpilogue::ReducedTile &tile : ops) {
    reductions.push_back(makeReduction(f, tile, walk));
    if (!reductions.back())
      return tile.op->emitOpError("reduces tiles of a product, for which a GPU has no code");
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
