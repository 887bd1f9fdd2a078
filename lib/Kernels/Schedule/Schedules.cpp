// The numbers of schedules, from shapes and hardware.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Kernels/Schedule/Schedules.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <limits>

using namespace mp;

/// Steps of k between two visits of the partial sums: long enough that packing and the visits do not count.
static constexpr int64_t kLongestStep = 384;

/// Seconds of the whole grid on `cores` cores, where its blocks are equal.
static double gridSeconds(int64_t grid, double blockSeconds, int64_t cores) {
  return static_cast<double>(llvm::divideCeil(grid, cores)) * blockSeconds;
}

/// Seconds of one block: full tiles, whether the matrix fills them or not, and packing both operands: from memory, to
/// the cache and back.
static double contractionBlockSeconds(const ContractionBlocks &blocks, int64_t k, const CPULevel &level) {
  double operations = 2.0 * blocks.blockM * blocks.blockN * k;
  double packed = 1.0 * sizeof(float) * (blocks.blockM + blocks.blockN) * k;
  double rate = level.contractionRates[static_cast<size_t>(ArithmeticType::F32)];
  return operations / rate + packed / level.memoryBandwidth + 2 * packed / level.cacheBandwidth + level.blockSeconds;
}

ContractionBlocks mp::chooseContractionBlocks(int64_t batch, int64_t m, int64_t n, int64_t k, const CPULevel &level) {
  // Zero sizes need a legal schedule, too; their grid is empty.
  m = std::max<int64_t>(m, 1), n = std::max<int64_t>(n, 1), k = std::max<int64_t>(k, 1);
  int64_t steps = llvm::divideCeil(k, kLongestStep);
  int64_t blockK = llvm::divideCeil(k, steps);

  ContractionBlocks best = {};
  double bestSeconds = std::numeric_limits<double>::infinity();
  for (const RegisterTile &tile : level.tiles) {
    int64_t mostRows = llvm::divideCeil(m, tile.rows), mostColumns = llvm::divideCeil(n, tile.columns);
    for (int64_t rows = 1; rows < 2 * mostRows; rows *= 2)
      for (int64_t columns = 1; columns < 2 * mostColumns; columns *= 2) {
        ContractionBlocks blocks = {std::min(rows, mostRows) * tile.rows, std::min(columns, mostColumns) * tile.columns,
                                    blockK, tile.rows, tile.columns};
        int64_t bytes = sizeof(float) * ((blocks.blockM + blocks.blockN) * blockK + blocks.blockM * blocks.blockN);
        bool isSmallest = rows == 1 && columns == 1;
        if (bytes > level.cacheBytes / 2 && !isSmallest)
          continue;
        int64_t grid = batch * llvm::divideCeil(m, blocks.blockM) * llvm::divideCeil(n, blocks.blockN);
        double block = contractionBlockSeconds(blocks, k, level), seconds = 0;
        for (int64_t cores : {1, 2, 4, 8})
          seconds += gridSeconds(grid, block, cores) * cores;
        if (seconds < bestSeconds) {
          bestSeconds = seconds;
          best = blocks;
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
