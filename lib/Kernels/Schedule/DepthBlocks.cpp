// Blocks of products whose k are pixels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/Schedule/DepthBlocks.h"

#include "Kernels/Schedule/TransposedBlocks.h"
#include "mp/IR/TileRegisters.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mp;

static constexpr int64_t kPair = 2;
/// What a second set of panels takes of the time of the first; measured.
static constexpr double kSecondSet = 0.75;
/// What the panels of a unit's tile may have of the first cache.
static constexpr int64_t kFirstCacheBytes = 40 << 10;

CopiedElements mp::copiedElements(const ContractionSize &size, int64_t blockK, int64_t blockN) {
  const auto depth = static_cast<double>(blockK);
  if (size.stretchesOfDepth) {
    const PixelRows &pixels = *size.stretchesOfDepth;
    const auto kept = static_cast<double>(pixels.keptRows(blockK) * pixels.keptWidth()) / depth;
    return {kept, kPair * kept + static_cast<double>(size.n)};
  }
  if (!size.tapPanels) {
    const PixelRows &pixels = *size.pixelsOfDepth;
    return {static_cast<double>(pixels.keptRows(blockK) * pixels.keptWidth() * size.unit) / depth, 0};
  }
  const TapPanels &panels = *size.tapPanels;
  const auto pixels = static_cast<double>(panels.pixels());
  const bool isEven = panels.startsWithImages && (panels.pixels() % blockK == 0 || blockK % panels.pixels() == 0);
  // Chunks that images do not end with are, on an average, of fewer than the most.
  const double images =
      isEven ? static_cast<double>(panels.mostImages(blockK)) : 1 + (depth - static_cast<double>(kTileDepth)) / pixels;
  const double packed =
      static_cast<double>(panels.kinds()) * (1 + images * static_cast<double>(panels.pixelsBelow()) / depth);
  const double meetings = panels.meetsImages() ? static_cast<double>(panels.tapRows * kTileDepth) / pixels : 0;
  const auto columns = static_cast<double>(std::min(panels.columns, blockN / panels.tapRows));
  const double ofSets = 1 + kSecondSet * static_cast<double>(panels.sets() - 1);
  return {columns * (packed * ofSets + meetings), 0};
}

/// consider(blocks) for those of `tile`, so many columns and chunks of `blockK` that leave the cache room beside
/// `keptBytes`, in parts, too.
static void tryBlocks(const ContractionSize &size, const CPULevel &level, const RegisterTile &tile, int64_t blockN,
                      int64_t blockK, int64_t keptBytes, llvm::function_ref<void(const ContractionBlocks &)> consider) {
  constexpr int64_t kBytesOfSum = sizeof(float);
  const int64_t mostRows = llvm::divideCeil(size.m, tile.rows);
  for (int64_t rows = 1; rows < 2 * mostRows; rows *= 2) {
    ContractionBlocks blocks = {std::min(rows, mostRows) * tile.rows, blockN, blockK, tile.rows, tile.columns};
    const int64_t bytes = keptBytes + size.wordBytes * blocks.blockM * blockK + kBytesOfSum * blocks.blockM * blockN;
    if (bytes > level.cacheBytes / 8 * 5)
      continue;
    blocks.readsRhs = true;
    consider(blocks);
    for (int64_t parts = 2; size.mayCut && parts <= std::min(size.granules, kMostParts); parts *= 2) {
      blocks.parts = parts;
      consider(blocks);
    }
  }
}

void mp::tryPixelsOfDepth(const ContractionSize &size, const CPULevel &level, llvm::ArrayRef<RegisterTile> tiles,
                          llvm::function_ref<void(const ContractionBlocks &)> consider) {
  const PixelRows &pixels = *size.pixelsOfDepth;
  auto tryChunk = [&](const RegisterTile &tile, int64_t blockK) {
    if (pixels.keptRows(blockK) == 0)
      return;
    // Pairs lie there a second time, as words.
    const int64_t keptBytes = pixels.keptRows(blockK) * pixels.keptWidth() * size.wordBytes * (2 * size.unit - 1);
    const int64_t mostColumns = llvm::divideCeil(size.n, tile.columns);
    for (int64_t columns = 1; columns < 2 * mostColumns; columns *= 2)
      tryBlocks(size, level, tile, std::min(columns, mostColumns) * tile.columns, blockK, keptBytes, consider);
  };
  for (RegisterTile tile : tiles) {
    if (!mayHaveColumns(pixels, size.n, tile.columns, std::min(level.lanes(), tile.columns)))
      continue;
    // Pairs of lhs are packed for few products where one tile has all columns: by whole accesses, as many rows as an
    // access has words, if those keep the units of dot products busy.
    constexpr int64_t kRowsOfAccess = 8;
    if (size.unit == 2 && size.n <= tile.columns && size.m % kRowsOfAccess == 0 && tile.rows > kRowsOfAccess)
      tile.rows = kRowsOfAccess;
    for (int64_t rows = 1; rows < pixels.rows && rows * pixels.columns <= kMostOfChunk; ++rows)
      if (pixels.rows % rows == 0)
        tryChunk(tile, rows * pixels.columns);
    for (int64_t images = 1; images * pixels.rows * pixels.columns <= kMostOfChunk; images *= 2)
      tryChunk(tile, images * pixels.rows * pixels.columns);
  }
}

void mp::tryStretchesOfDepth(const ContractionSize &size, const CPULevel &level,
                             llvm::function_ref<void(const ContractionBlocks &)> consider) {
  const PixelRows &pixels = *size.stretchesOfDepth;
  for (const RegisterTile &tile : size.tiles) {
    const int64_t columns = llvm::alignTo(size.n, tile.columns);
    auto tryChunk = [&](int64_t blockK) {
      const int64_t keptRows = pixels.keptRows(blockK);
      if (keptRows == 0 || blockK % kTileDepth != 0 || size.k / std::max<int64_t>(size.granules, 1) % blockK != 0)
        return;
      // Rows, the words of their pairs, and panels of those.
      const int64_t elements = (1 + kPair) * keptRows * pixels.keptWidth() + columns * blockK;
      tryBlocks(size, level, tile, columns, blockK, size.wordBytes * elements, consider);
    };
    const int64_t most = kFirstCacheBytes / (size.wordBytes * (tile.rows + tile.columns));
    for (int64_t rows = 1; rows < pixels.rows && rows * pixels.columns <= most; ++rows)
      tryChunk(rows * pixels.columns);
    for (int64_t images = 1; images * pixels.rows * pixels.columns <= most; images *= 2)
      tryChunk(images * pixels.rows * pixels.columns);
  }
}

void mp::tryTapPanels(const ContractionSize &size, const CPULevel &level,
                      llvm::function_ref<void(const ContractionBlocks &)> consider) {
  const TapPanels &panels = *size.tapPanels;
  const auto most = static_cast<int64_t>(llvm::alignTo(size.k, kTileDepth));
  for (const RegisterTile &tile : size.tiles)
    // Of both operands one stays in the first cache, and the other passes by.
    for (int64_t blockK = kTileDepth; blockK * std::max(tile.rows, tile.columns) * size.wordBytes <= kFirstCacheBytes;
         blockK += kTileDepth) {
      if (blockK > most)
        break;
      const int64_t ofRegisters = panels.meetsImages() ? panels.mostImages(blockK) * panels.tapRows * kTileDepth : 0;
      const int64_t kept = panels.sets() * panels.kinds() * panels.depthFor(blockK) + ofRegisters;
      // Some columns of each row of taps, or all.
      for (int64_t run = tile.columns; run < panels.columns; run *= 2)
        if (panels.mayHaveColumns(panels.tapRows * run, tile.columns))
          tryBlocks(size, level, tile, panels.tapRows * run, blockK, size.wordBytes * run * kept, consider);
      const auto all = static_cast<int64_t>(llvm::alignTo(size.n, tile.columns));
      tryBlocks(size, level, tile, all, blockK, size.wordBytes * panels.columns * kept, consider);
    }
}
