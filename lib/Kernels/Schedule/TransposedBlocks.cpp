// Blocks of products whose operands change places.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/Schedule/TransposedBlocks.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <numeric>
#include <utility>

using namespace mp;

ContractionSize mp::transposed(const ContractionSize &size) {
  ContractionSize turned = size;
  std::swap(turned.m, turned.n);
  std::swap(turned.lhsBytes, turned.rhsBytes);
  std::swap(turned.mayStreamLhs, turned.mayStreamRhs);
  return turned;
}

/// Pixels of k are broadcast, neighbours in a row of taps as rows of a tile, and vectors lie along rows of the other
/// operand, where it lies.
static void tryTaps(const ContractionSize &size, const CPULevel &level,
                    llvm::function_ref<void(const ContractionBlocks &)> consider) {
  constexpr int64_t kFewestSums = 8;             // vectors, that keep two units busy
  constexpr int64_t kFirstCacheBytes = 32 << 10; // for what a tile streams of a chunk, for all rows of taps
  const PixelRows &pixels = *size.pixelsOfDepth;
  auto tryChunk = [&](const RegisterTile &tile, int64_t blockK) {
    const int64_t keptBytes = size.wordBytes * pixels.keptRows(blockK) * pixels.keptWidth(),
                  mostColumns = size.n / tile.columns;
    for (int64_t columns = 1; columns < 2 * mostColumns; columns *= 2) {
      ContractionBlocks blocks = {static_cast<int64_t>(llvm::alignTo(size.m, tile.rows)),
                                  std::min(columns, mostColumns) * tile.columns, blockK, tile.rows, tile.columns};
      const int64_t sums = static_cast<int64_t>(sizeof(float)) * blocks.blockM * blocks.blockN;
      if (keptBytes + size.wordBytes * blockK * blocks.blockN + sums > level.cacheBytes / 8 * 5)
        continue;
      blocks.streamsRhs = blocks.readsLhs = blocks.transposed = true;
      for (blocks.parts = 1; blocks.parts <= (size.mayCut ? std::min(size.granules, kMostParts) : 1); blocks.parts *= 2)
        consider(blocks);
    }
  };
  for (const RegisterTile &of : level.tiles) {
    RegisterTile tile = of;
    while (pixels.together % tile.rows != 0)
      --tile.rows;
    if (size.n % tile.columns != 0 || tile.rows * (tile.columns / level.lanes()) < kFewestSums)
      continue;
    const int64_t most = kFirstCacheBytes / (tile.columns * size.rhsBytes);
    for (int64_t rows = 1; rows <= pixels.rows && rows * pixels.columns <= most; ++rows)
      if (pixels.keptRows(rows * pixels.columns) > 0)
        tryChunk(tile, rows * pixels.columns);
  }
}

/// Few columns, which are half a vector at most, as the channels of a gradient of pictures are, are the rows of a tile,
/// and vectors lie along rows of pixels, each channel of which the block keeps apart.
static void tryPixelColumns(const ContractionSize &size, const CPULevel &level,
                            llvm::function_ref<void(const ContractionBlocks &)> consider) {
  constexpr int64_t kMostVectors = 8; // whose places are in registers
  const PixelRows &pixels = *size.pixelColumns;
  const int64_t lanes = level.lanes(), mostBytes = level.cacheBytes / 2, rowBytes = size.wordBytes * pixels.keptWidth();
  // Turned pixels and rows of few columns cost more than some empty lanes.
  if (pixels.columns % lanes != 0 || 2 * size.m > lanes)
    return;
  int64_t mostSums = 0; // vectors
  for (const RegisterTile &tile : level.tiles)
    mostSums = std::max(mostSums, tile.rows * tile.columns / lanes);
  ContractionSize steps = size;
  steps.unit = std::lcm(size.unit, pixels.together);
  const int64_t blockK = chooseStep(steps, kMostOfChunk);
  auto tryColumns = [&](int64_t columns) {
    if (pixels.keptRows(columns) == 0 || pixels.keptRows(columns) > mostBytes / rowBytes)
      return;
    int64_t vectors = std::min(kMostVectors, mostSums / size.m);
    while (vectors > 0 && columns % (vectors * lanes) != 0)
      --vectors;
    if (vectors == 0)
      return;
    ContractionBlocks blocks = {size.m, columns, blockK, size.m, vectors * lanes};
    blocks.readsRhs = blocks.transposed = true;
    consider(blocks);
  };
  for (int64_t rows = 1; rows <= pixels.rows; ++rows)
    tryColumns(rows * pixels.columns);
  for (int64_t images = 2; images <= pixels.images; images *= 2)
    tryColumns(images * pixels.rows * pixels.columns);
}

void mp::tryTransposed(const ContractionSize &size, const CPULevel &level,
                       llvm::function_ref<void(const ContractionBlocks &)> consider) {
  if (size.pixelsOfDepth && size.mayStreamRhs)
    tryTaps(size, level, consider);
  if (size.pixelColumns)
    tryPixelColumns(size, level, consider);
}
