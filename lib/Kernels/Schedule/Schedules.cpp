// The numbers of schedules, from shapes and hardware.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Kernels/Schedule/Schedules.h"

#include "Kernels/Schedule/DepthBlocks.h"
#include "Kernels/Schedule/TransposedBlocks.h"
#include "Kernels/Schedule/WindowBlocks.h"

#include "mp/IR/TileRegisters.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

using namespace mp;

/// Steps of k between two visits of the partial sums, in which blocks are larger the shorter they are: an operand that
/// no cache holds is then read by fewer blocks. Tile registers are so fast that panels must leave room in the first
/// cache for what is on its way, and visits count.
static constexpr std::array<int64_t, 3> kSteps = {384, 192, 128};
static constexpr std::array<int64_t, 1> kStepsOfTiles = {256};
/// By how much blocks of shorter steps, or of more than half of the cache, have to be better than others: the model is
/// not as exact as that.
static constexpr double kMargin = 1.05;
/// Where tiles read pixels, which lie close together for all taps, a panel of rhs may have so much of the first cache.
static constexpr int64_t kPixelPanelBytes = 40 << 10;
/// The same where rhs is streamed, and its rows are read side by side: what the first cache holds of them, and no fewer
/// or more. What fetches ahead follows eight of them, but not 32 that are long.
static constexpr int64_t kFewestStreamedRows = 8, kMostStreamedRows = 32, kStreamedBytes = 32 << 10;
/// Vectors of columns that are read of one row before the next: 256 bytes with AVX-512.
static constexpr int64_t kMostStreamedVectors = 4;
/// How much faster whole rows of rhs are read, which follow each other, than pieces of them.
static constexpr double kWholeRowsSpeed = 1.6;
/// The least of rhs that is worth a part of k, the more so the more sums each part has.
static constexpr int64_t kLeastPartBytes = 1 << 20, kPartBytesPerSum = 16;
/// Tiles of rows up to which rhs is streamed: each reads it again, from the cache.
static constexpr int64_t kMostStreamingTiles = 4;

/// Seconds of the whole grid on `cores` cores, where its blocks are equal.
static double gridSeconds(int64_t grid, double blockSeconds, int64_t cores) {
  return static_cast<double>(llvm::divideCeil(grid, cores)) * blockSeconds;
}

/// Seconds to split so many elements into parts.
static double splitSeconds(double elements, const ContractionSize &size, const CPULevel &level) {
  constexpr double kOperations = 8; // for each part: a cast there and back, a difference, a test, shuffles
  const double operations = size.parts > 1 ? kOperations * static_cast<double>(size.parts) * elements : 0;
  return operations / level.mapRates[static_cast<size_t>(ArithmeticType::F32)];
}

/// Seconds to pack so many elements: from memory, to the cache and back.
static double packSeconds(double elements, const ContractionSize &size, const CPULevel &level) {
  const double bytes = elements * static_cast<double>(size.wordBytes);
  return bytes / level.memoryBandwidth + 2 * bytes / level.cacheBandwidth + splitSeconds(elements, size, level);
}

/// How much longer a tile takes than its arithmetic: each step of k loads its vectors of rhs and an element of lhs for
/// each row, and a tile of one vector loads more than it multiplies. Dot products of pairs wait for the last one of
/// their sum, so that a tile of few sums does not keep their units busy; so do tile registers.
static double tileOverhead(int64_t rows, int64_t columns, const ContractionSize &size, const CPULevel &level) {
  if (!size.tiles.empty()) {
    // Cycles, of Intel's Optimization Reference Manual ("Intel AMX Instruction Throughput and Latency"). Measured:
    // loads and products take turns. The rate is that of a load for each product.
    constexpr double kLoad = 8, kProduct = 16, kProductUnderWay = 52;
    const double ofRows = static_cast<double>(llvm::divideCeil(rows, kTileRows)),
                 ofColumns = static_cast<double>(llvm::divideCeil(columns, kTileColumns));
    const double products = ofRows * ofColumns;
    return std::max(kLoad * (ofRows + ofColumns) + kProduct * products, kProductUnderWay) /
           ((kLoad + kProduct) * products);
  }
  constexpr double kLoadCycles = 1.2, kPairsUnderWay = 16; // measured: of a multiplication's
  const double vectors = static_cast<double>(llvm::divideCeil(columns, level.lanes()));
  const double multiplies = static_cast<double>(rows) * vectors, loads = static_cast<double>(rows) + vectors;
  const bool isPair = size.unit == 2;
  return std::max({1.0, kLoadCycles * loads / multiplies, isPair ? kPairsUnderWay / multiplies : 1.0});
}

/// How many rows so many bytes apart lie in `ways` ways of a cache at once: those a power of two apart share few sets.
static int64_t rowsOfCache(int64_t pitchBytes, int64_t wayBytes, int64_t ways) {
  return ways * (wayBytes / std::gcd(wayBytes, pitchBytes));
}

/// The same of the first cache, whose lines vectors read an element at a time.
static int64_t rowsOfFirstCache(int64_t pitchBytes) {
  constexpr int64_t kWayBytes = 4096, kWaysForRows = 7; // rhs has the others
  return rowsOfCache(pitchBytes, kWayBytes, kWaysForRows);
}

/// Whether blocks may read the rows of lhs where they lie: the second-level cache holds those of a block, the first
/// those of a tile of vectors.
static bool mayReadLhs(const ContractionBlocks &blocks, const ContractionSize &size, const CPULevel &level) {
  constexpr int64_t kWays = 16, kWaysForRows = 4; // other operands and sums have most
  const int64_t pitchBytes = (size.lhsPitch ? size.lhsPitch : size.k) * size.wordBytes;
  const bool fitsFirst = !size.tiles.empty() || blocks.tileM <= rowsOfFirstCache(pitchBytes);
  return size.mayReadLhs && size.m >= blocks.tileM && fitsFirst &&
         std::min(blocks.blockM, size.m) <= rowsOfCache(pitchBytes, level.cacheBytes / kWays, kWaysForRows);
}

/// Seconds of one block: full tiles, whether the matrix fills them or not, and what it packs.
static double contractionBlockSeconds(const ContractionBlocks &blocks, const ContractionSize &size,
                                      const CPULevel &level) {
  const auto k = static_cast<double>(llvm::alignTo(llvm::divideCeil(size.k, blocks.parts), size.unit));
  double operations = 2.0 * static_cast<double>(blocks.blockM * blocks.blockN) * k *
                      tileOverhead(blocks.tileM, blocks.tileN, size, level);
  if (blocks.readsLhs && size.pixels &&
      !size.tiles.empty()) // registers of fewer rows are multiplied in the time of whole ones
    operations *= kTileRows / static_cast<double>(size.pixels->tileRows(kTileRows));
  // Rows of taps without pixels are left out. What that is worth to units is not measured: it chooses none of their
  // tiles.
  if (blocks.readsLhs && size.pixels && size.tiles.empty() && !blocks.transposed)
    operations *= size.pixels->partWithPixels;
  // What is packed comes from the second-level cache, or from behind it where that does not hold all of an operand.
  auto operandSeconds = [&](int64_t rows, int64_t rowsOfAll, bool isPacked) -> double {
    const double elements = static_cast<double>(rows) * k;
    const bool isFar = rowsOfAll * size.k * size.wordBytes > level.cacheBytes;
    constexpr double kFarBandwidth = 2; // times memory's
    const double bandwidth = isFar ? kFarBandwidth * level.memoryBandwidth : level.cacheBandwidth;
    return isPacked ? elements * static_cast<double>(size.wordBytes) / bandwidth : packSeconds(elements, size, level);
  };
  double rhsSeconds = operandSeconds(blocks.blockN, size.n, blocks.packsRhs);
  if (blocks.streamsRhs) {
    const double bytes = static_cast<double>(blocks.blockN * size.rhsBytes) * k;
    const int64_t tiles = blocks.blockM / blocks.tileM;
    // Of a transposed product a tile's columns stay in the first cache for all rows of a chunk.
    const auto again = blocks.transposed ? 0 : static_cast<double>(tiles - 1);
    const double bandwidth = level.memoryBandwidth * (blocks.blockN < size.n ? 1 : kWholeRowsSpeed);
    rhsSeconds = bytes / bandwidth + again * bytes / level.cacheBandwidth;
    // Of a transposed product each tile widens what fma does not multiply as it lies; of few rows memory is slower.
    constexpr double kWidening = 0.6; // measured: of the time of a multiplication
    if (blocks.transposed && size.rhsBytes < size.wordBytes)
      rhsSeconds += kWidening * 2 * static_cast<double>(blocks.blockN * tiles) * k / size.rate;
  }
  auto depthSeconds = [&] {
    const CopiedElements copied = copiedElements(size, blocks.blockK, blocks.blockN);
    const double bytes = k * copied.withinCache * static_cast<double>(size.wordBytes);
    return packSeconds(k * copied.packed, size, level) + 2 * bytes / level.cacheBandwidth;
  };
  auto keptSeconds = [&](const PixelRows &pixels, int64_t count) {
    return packSeconds(static_cast<double>(pixels.keptRows(count) * pixels.keptWidth()), size, level);
  };
  if (blocks.readsRhs)
    rhsSeconds = blocks.transposed ? keptSeconds(*size.pixelColumns, blocks.blockN) : depthSeconds();
  // Rows that are kept, and panels of them from the cache.
  auto stretchSeconds = [&] {
    const double bytes = static_cast<double>(blocks.blockM * size.wordBytes) * k;
    return keptSeconds(*size.pixelStretches, blocks.blockM) + 2 * bytes / level.cacheBandwidth;
  };
  const double lhsSeconds = blocks.transposed && blocks.readsLhs     ? depthSeconds()
                            : blocks.readsLhs && size.pixelStretches ? stretchSeconds()
                            : blocks.readsLhs && size.pixels
                                ? keptSeconds(*size.pixels, blocks.blockM)
                                : operandSeconds(blocks.blockM, size.m, blocks.packsLhs || blocks.readsLhs);
  // Each step but the first finds the sums of the one before; those of units have one length, but where k are pixels.
  double visits = size.tiles.empty() ? std::ceil(k / static_cast<double>(blocks.blockK)) - 1 : 0;
  if (!size.tiles.empty() && blocks.readsRhs)
    visits = k / static_cast<double>(blocks.blockK) - k / static_cast<double>(kStepsOfTiles.front());
  const double sumBytes = 2 * sizeof(float) * static_cast<double>(blocks.blockM * blocks.blockN);
  return operations / size.rate + lhsSeconds + rhsSeconds + visits * sumBytes / level.cacheBandwidth +
         level.blockSeconds;
}

/// Seconds of `cores` cores for the whole product, times cores: the kernels that pack operands, the product's, and the
/// one that pools the result.
static double totalSeconds(const ContractionBlocks &blocks, const ContractionSize &size, int64_t cores,
                           const CPULevel &level) {
  const int64_t grid =
      blocks.parts * size.batch * llvm::divideCeil(size.m, blocks.blockM) * llvm::divideCeil(size.n, blocks.blockN);
  double seconds = gridSeconds(grid, contractionBlockSeconds(blocks, size, level), cores);
  auto addPack = [&](int64_t rows, bool isPacked, bool isKept) {
    const double elements = static_cast<double>(size.batch * rows) * static_cast<double>(size.k);
    if (isPacked && isKept) // by what computes it, beside its own work
      seconds += splitSeconds(elements, size, level) / static_cast<double>(cores);
    else if (isPacked)
      seconds += packSeconds(elements, size, level) / static_cast<double>(cores) + level.launchSeconds;
  };
  addPack(size.m, blocks.packsLhs, size.keepsLhs);
  addPack(size.n, blocks.packsRhs, size.keepsRhs);
  if (blocks.parts > 1) {
    const double sums = static_cast<double>(blocks.parts * size.batch * size.m * size.n * sizeof(float));
    const double perCore = sums / level.cacheBandwidth + sums / level.memoryBandwidth;
    seconds += perCore / static_cast<double>(cores) + level.launchSeconds;
  }
  return seconds * static_cast<double>(cores) + poolSeconds(blocks, size, level);
}

/// The tiles, and the same with fewer rows where those leave less of the last tile empty: 13 for 128. A unit's have
/// the rows of its registers.
static llvm::SmallVector<RegisterTile> findTiles(const ContractionSize &size, const CPULevel &level) {
  if (!size.tiles.empty())
    return {size.tiles.begin(), size.tiles.end()};
  llvm::SmallVector<RegisterTile> tiles(level.tiles.begin(), level.tiles.end());
  for (const RegisterTile &tile : level.tiles)
    if (const int64_t rows = llvm::divideCeil(size.m, llvm::divideCeil(size.m, tile.rows)); rows < tile.rows)
      tiles.push_back({rows, tile.columns});
  // Half as many rows in memory may lie in the first cache where all do not.
  if (size.mayReadLhs)
    for (const RegisterTile &tile : level.tiles)
      if (tile.rows % 2 == 0 && tile.rows > kTileRows)
        tiles.push_back({tile.rows / 2, tile.columns});
  return tiles;
}

/// Tiles for a streamed rhs: as many columns, which divide it, as registers hold sums of so few rows.
static llvm::SmallVector<RegisterTile> findStreamingTiles(const ContractionSize &size, const CPULevel &level) {
  llvm::SmallVector<RegisterTile> tiles;
  const int64_t lanes = level.lanes(), vectors = size.n / lanes;
  if (size.n % lanes != 0)
    return tiles;
  int64_t mostRows = 0;
  for (const RegisterTile &tile : level.tiles)
    mostRows = std::max(mostRows, tile.rows);
  for (int64_t count = 1; count <= kMostStreamingTiles; ++count) {
    const int64_t rows = llvm::divideCeil(size.m, count);
    if (rows > mostRows)
      continue;
    // Sums, a vector of rhs for each column of them, a factor of lhs.
    int64_t most = std::min(kMostStreamedVectors, (level.vectorRegisters - 1) / (rows + 1));
    while (most > 1 && vectors % most != 0)
      --most;
    // Narrower ones make more blocks.
    for (; most >= 1 && vectors % most == 0; most /= 2)
      tiles.push_back({rows, most * lanes});
  }
  return tiles;
}

/// Steps of k for a streamed rhs of `columns` columns.
static int64_t streamedStep(int64_t columns, const ContractionSize &size) {
  const int64_t rows = kStreamedBytes / (columns * size.rhsBytes);
  return llvm::alignTo(std::clamp(rows, kFewestStreamedRows, kMostStreamedRows), size.unit);
}

/// Parts of k for a streamed rhs, each worth a block.
static int64_t countStreamedParts(const ContractionSize &size) {
  const int64_t bytes = size.n * size.k * size.rhsBytes;
  const int64_t sums = size.m * size.n * static_cast<int64_t>(sizeof(float));
  const int64_t worthwhile = bytes / std::max(kLeastPartBytes, kPartBytesPerSum * sums);
  return std::clamp<int64_t>(std::min(worthwhile, kMostParts / std::max<int64_t>(size.batch, 1)), 1, kMostParts);
}

int64_t mp::chooseStep(const ContractionSize &size, int64_t longest) {
  int64_t granule = std::lcm(std::max<int64_t>(size.run, 1), size.unit);
  if (granule > longest)
    granule = size.unit;
  const int64_t granules = llvm::divideCeil(size.k, granule);
  const int64_t steps = llvm::divideCeil(granules, std::max<int64_t>(longest / granule, 1));
  return std::min<int64_t>(llvm::divideCeil(granules, steps) * granule, llvm::alignTo(size.k, size.unit));
}

/// Blocks of whole rows of pixels of one image, or of whole images: consider(blocks) for each.
static void tryPixels(const ContractionSize &asked, const CPULevel &level,
                      llvm::function_ref<void(const ContractionBlocks &)> consider) {
  const PixelRows &pixels = *asked.pixels;
  const bool isUnit = !asked.tiles.empty();
  // Chunks of k do not cut what is read side by side.
  ContractionSize size = asked;
  size.unit = pixels.neighbours(asked.unit);
  if (isUnit) // registers read pixels wherever a chunk begins
    size.run = size.unit;
  const int64_t mostBytes = level.cacheBytes / 2, rowBytes = size.wordBytes * pixels.keptWidth();
  auto fits = [&](int64_t keptRows) { return keptRows <= mostBytes / rowBytes; };
  auto tryRows = [&](const RegisterTile &tile, int64_t blockRows) {
    const int64_t keptBytes = rowBytes * pixels.keptRows(blockRows);
    if (keptBytes == 0 || blockRows % tile.rows != 0)
      return;
    const int64_t blockK = chooseStep(size, kPixelPanelBytes / (tile.columns * size.wordBytes));
    const int64_t mostColumns = llvm::divideCeil(size.n, tile.columns);
    for (int64_t columns = 1; columns < 2 * mostColumns; columns *= 2) {
      ContractionBlocks blocks = {blockRows, std::min(columns, mostColumns) * tile.columns, blockK, tile.rows,
                                  tile.columns};
      const int64_t sums = static_cast<int64_t>(sizeof(float)) * blocks.blockM * blocks.blockN;
      if (keptBytes + size.wordBytes * blocks.blockN * blockK + sums > mostBytes)
        continue;
      blocks.readsLhs = true;
      for (bool packsRhs : {false, true})
        if (packsRhs <= size.mayPackRhs) {
          blocks.packsRhs = packsRhs;
          consider(blocks);
        }
    }
  };
  for (const RegisterTile &tile : isUnit ? size.tiles : level.tiles) {
    const int64_t registers = isUnit ? tile.rows / kTileRows : 1;
    const int64_t most = isUnit ? kTileRows : std::min(tile.rows, rowsOfFirstCache(pixels.columnStep * size.wordBytes));
    const RegisterTile own = {registers * pixels.tileRows(most), tile.columns};
    if (isUnit && own.rows <= (registers - 1) * kTileRows) // as many registers as hold its rows
      continue;
    for (int64_t rows = 1; rows <= pixels.rows && fits(pixels.rowsFor(rows)); ++rows)
      tryRows(own, rows * pixels.columns);
    for (int64_t images = 2; images <= pixels.images && fits(images * pixels.rowsFor(pixels.rows)); images *= 2)
      tryRows(own, images * pixels.rows * pixels.columns);
  }
}

/// The same for blocks that pack panels from the rows that they keep, all of k at once.
static void tryPixelStretches(const ContractionSize &size, const CPULevel &level,
                              llvm::function_ref<void(const ContractionBlocks &)> consider) {
  const PixelRows &pixels = *size.pixelStretches;
  const auto blockK = static_cast<int64_t>(llvm::alignTo(size.k, size.unit));
  const int64_t mostBytes = level.cacheBytes / 2;
  const bool isUnit = !size.tiles.empty();
  auto tryRows = [&](const RegisterTile &tile, int64_t blockRows) {
    const int64_t keptRows = pixels.keptRows(blockRows), mostColumns = llvm::divideCeil(size.n, tile.columns);
    if (keptRows == 0 || blockRows % tile.rows != 0)
      return;
    for (int64_t columns = 1; columns < 2 * mostColumns; columns *= 2) {
      ContractionBlocks blocks = {blockRows, std::min(columns, mostColumns) * tile.columns, blockK, tile.rows,
                                  tile.columns};
      const int64_t elements = keptRows * pixels.keptWidth() + (blocks.blockM + blocks.blockN) * blockK;
      const int64_t sums = static_cast<int64_t>(sizeof(float)) * tile.rows * tile.columns;
      if (size.wordBytes * elements + sums > mostBytes)
        continue;
      blocks.readsLhs = true;
      for (bool packsRhs : {false, true})
        if (packsRhs <= size.mayPackRhs) {
          blocks.packsRhs = packsRhs;
          consider(blocks);
        }
    }
  };
  const int64_t mostRows = mostBytes / (size.wordBytes * blockK);
  for (RegisterTile tile : isUnit ? size.tiles : level.tiles) {
    if (!isUnit)
      tile.rows = pixels.tileRows(tile.rows);
    for (int64_t rows = 1; rows <= pixels.rows && rows * pixels.columns <= mostRows; ++rows)
      tryRows(tile, rows * pixels.columns);
    for (int64_t images = 2; images <= pixels.images && images * pixels.rows * pixels.columns <= mostRows; images *= 2)
      tryRows(tile, images * pixels.rows * pixels.columns);
  }
}

ContractionBlocks mp::chooseContractionBlocks(const ContractionSize &asked, const CPULevel &level) {
  // Zero sizes need a legal schedule, too; their grid is empty.
  ContractionSize size = asked;
  size.m = std::max<int64_t>(size.m, 1), size.n = std::max<int64_t>(size.n, 1), size.k = std::max<int64_t>(size.k, 1);
  const bool isUnit = !size.tiles.empty();
  llvm::SmallVector<int64_t> steps;
  for (int64_t longest : isUnit ? llvm::ArrayRef<int64_t>(kStepsOfTiles) : llvm::ArrayRef<int64_t>(kSteps))
    if (const int64_t step = chooseStep(size, longest); !llvm::is_contained(steps, step))
      steps.push_back(step);
  // Panels and sums of a block; what its tiles read of them comes by lines, and finds room.
  const int64_t mostBytes = isUnit ? level.cacheBytes / 2 : level.cacheBytes / 8 * 5;

  const ContractionSize turned = transposed(size);
  ContractionBlocks best = {};
  double bestSeconds = std::numeric_limits<double>::infinity();
  double margin = 1;
  auto consider = [&](const ContractionBlocks &blocks) {
    double seconds = 0;
    for (int64_t cores : {1, 2, 4, 8})
      seconds += totalSeconds(blocks, blocks.transposed ? turned : size, cores, level);
    if (margin * seconds < bestSeconds) {
      best = blocks;
      best.seconds = seconds;
      bestSeconds = margin * seconds;
    }
  };
  auto tryTile = [&](const RegisterTile &tile, int64_t blockK) {
    const int64_t mostRows = llvm::divideCeil(size.m, tile.rows), mostColumns = llvm::divideCeil(size.n, tile.columns);
    for (int64_t rows = 1; rows < 2 * mostRows; rows *= 2)
      for (int64_t columns = 1; columns < 2 * mostColumns; columns *= 2) {
        ContractionBlocks blocks = {std::min(rows, mostRows) * tile.rows, std::min(columns, mostColumns) * tile.columns,
                                    blockK, tile.rows, tile.columns};
        const int64_t sums = static_cast<int64_t>(sizeof(float)) * blocks.blockM * blocks.blockN;
        const int64_t bytes = size.wordBytes * (blocks.blockM + blocks.blockN) * blockK + sums;
        const bool isSmallest = rows == 1 && columns == 1;
        if (bytes > mostBytes && !isSmallest)
          continue;
        margin = blockK == steps.front() && bytes <= level.cacheBytes / 2 ? 1 : kMargin;
        // An operand that one block reads is packed there, unless it is kept.
        const bool sharesLhs = size.mayPackLhs && (size.keepsLhs || columns < mostColumns),
                   sharesRhs = size.mayPackRhs && (size.keepsRhs || rows < mostRows);
        const bool readsLhs = mayReadLhs(blocks, size, level);
        for (bool packsLhs : {false, true})
          for (bool packsRhs : {false, true})
            if (packsLhs <= sharesLhs && packsRhs <= sharesRhs) {
              blocks.packsLhs = packsLhs;
              blocks.packsRhs = packsRhs;
              blocks.readsLhs = !packsLhs && readsLhs;
              consider(blocks);
            }
        for (int64_t parts = 2; size.mayCut && parts <= std::min(size.granules, kMostParts); parts *= 2) {
          blocks.packsLhs = blocks.packsRhs = blocks.readsLhs = false;
          blocks.parts = parts;
          consider(blocks);
        }
      }
  };
  for (const RegisterTile &tile : findTiles(size, level))
    for (int64_t step : steps)
      tryTile(tile, step);
  for (int64_t blockK : steps) {
    margin = blockK == steps.front() ? 1 : kMargin;
    if (size.pooled)
      tryWindows(size, level, findTiles(size, level), blockK, consider);
  }
  margin = 1;
  if (size.pixels)
    tryPixels(size, level, consider);
  if (size.pixelStretches)
    tryPixelStretches(size, level, consider);
  if (size.pixelsOfDepth)
    tryPixelsOfDepth(size, level, findTiles(size, level), consider);
  if (size.stretchesOfDepth)
    tryStretchesOfDepth(size, level, consider);
  if (size.tapPanels)
    tryTapPanels(size, level, consider);
  tryTransposed(turned, level, consider);
  if (!size.mayStreamRhs)
    return best;
  for (const RegisterTile &tile : findStreamingTiles(size, level)) {
    const int64_t mostColumns = size.n / tile.columns;
    ContractionBlocks blocks = {static_cast<int64_t>(llvm::alignTo(size.m, tile.rows)), 0, 0, tile.rows, tile.columns};
    blocks.streamsRhs = true;
    for (int64_t columns = 1; columns < 2 * mostColumns; columns *= 2)
      for (bool packsLhs : {false, true}) {
        blocks.blockN = std::min(columns, mostColumns) * tile.columns;
        blocks.blockK = streamedStep(blocks.blockN, size);
        blocks.packsLhs = packsLhs;
        const bool fits = static_cast<int64_t>(sizeof(float)) * blocks.blockM * blocks.blockN <= level.cacheBytes / 2;
        if ((fits || columns == 1) && packsLhs <= (size.mayPackLhs && columns < mostColumns))
          consider(blocks);
        if (fits && size.mayCut && columns >= mostColumns && !packsLhs) {
          blocks.parts = countStreamedParts(size);
          consider(blocks);
          blocks.parts = 1;
        }
      }
  }
  return best;
}

int64_t mp::chooseItemsPerBlock(int64_t total, double secondsPerItem, int64_t granule, const CPULevel &level) {
  // A hundred times what starting a block costs.
  int64_t worthwhile = static_cast<int64_t>(100 * level.blockSeconds / secondsPerItem);
  int64_t most = static_cast<int64_t>(llvm::alignTo(std::max<int64_t>(total, 1), granule));
  return std::clamp<int64_t>(worthwhile / granule * granule, granule, most);
}
