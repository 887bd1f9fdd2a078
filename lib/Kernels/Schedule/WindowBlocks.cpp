// Blocks of products that are pooled.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/Schedule/WindowBlocks.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mp;

void mp::tryWindows(const ContractionSize &size, const CPULevel &level, llvm::ArrayRef<RegisterTile> tiles,
                    int64_t blockK, llvm::function_ref<void(const ContractionBlocks &)> consider) {
  const int64_t rowsOfWindows = size.pooled->pixels.image;
  auto tryRows = [&](const RegisterTile &tile, int64_t rows) {
    ContractionBlocks blocks = {rows, static_cast<int64_t>(llvm::alignTo(size.n, tile.columns)), blockK, tile.rows,
                                tile.columns};
    // Sums, and what is made of them and pooled.
    const int64_t results = 2 * static_cast<int64_t>(sizeof(float)) * blocks.blockM * blocks.blockN;
    if (size.wordBytes * (blocks.blockM + blocks.blockN) * blockK + results > level.cacheBytes / 2)
      return;
    for (bool packsRhs : {false, true})
      if (packsRhs <= size.mayPackRhs) {
        blocks.packsRhs = packsRhs;
        consider(blocks);
      }
  };
  if (rowsOfWindows == 0) // of images of nothing
    return;
  const int64_t mostRows = level.cacheBytes / (2 * size.wordBytes * blockK);
  for (const RegisterTile &tile : tiles) {
    const int64_t whole = std::lcm(rowsOfWindows, tile.rows);
    for (int64_t rows = whole; rows <= mostRows && rows < size.m + whole; rows *= 2)
      tryRows(tile, rows);
    // A unit's registers are multiplied in one time, whatever rows they have.
    if (!size.tiles.empty() || whole == rowsOfWindows)
      continue;
    for (int64_t rows = rowsOfWindows; rows <= mostRows && rows < size.m + rowsOfWindows; rows *= 2) {
      RegisterTile own = tile;
      while (rows % own.rows != 0)
        --own.rows;
      tryRows(own, rows);
    }
  }
}

double mp::poolSeconds(const ContractionBlocks &blocks, const ContractionSize &size, const CPULevel &level) {
  if (!size.pooled)
    return 0;
  const double bytes = 2 * static_cast<double>(size.pooled->bytes);
  const bool isPooledInBlocks =
      !blocks.transposed && size.pooled->pixels.areWholeIn(blocks.blockM, blocks.blockN, size.m, size.n);
  return isPooledInBlocks ? bytes / level.cacheBandwidth : bytes / level.memoryBandwidth + level.launchSeconds;
}
