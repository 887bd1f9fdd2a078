// The numbers of schedules, from shapes and hardware.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_KERNELS_SCHEDULE_SCHEDULES_H
#define MP_KERNELS_SCHEDULE_SCHEDULES_H

#include "mp/Analysis/PixelRows.h"
#include "mp/Analysis/PooledPixels.h"
#include "mp/Analysis/TapPanels.h"
#include "mp/Hardware/CPULevels.h"

#include <cstdint>
#include <optional>

namespace mp {

/// The result of a contraction that is pooled and read by nothing else, and its bytes.
struct PooledResult {
  PooledPixels pixels;
  int64_t bytes;
};

/// What the blocks of a contraction are chosen by: `batch` products [m x k] x [k x n] at `rate` operations per second.
struct ContractionSize {
  int64_t batch, m, n, k;
  double rate;
  int64_t wordBytes = 4; ///< of an operand's element, packed
  int64_t unit = 1;      ///< neighbours in k that an instruction takes at once
  int64_t run = 1;       ///< neighbours in k that a chunk is not to cut
  int64_t parts = 1;     ///< that each element is split into as it is packed
  /// Whether an operand may be packed by a kernel of its own.
  bool mayPackLhs = false, mayPackRhs = false;
  /// Whether it then lies packed between runs, as weights do: packing costs nothing.
  bool keepsLhs = false, keepsRhs = false;
  /// Whether tiles may read lhs where it lies, if it has the rows of one, and how far these are apart; 0 for k.
  bool mayReadLhs = false;
  int64_t lhsPitch = 0;
  /// Of an lhs of images the rows of pixels that tiles may read, if whole registers fill those of a block.
  std::optional<PixelRows> pixels = std::nullopt;
  /// The same where registers are of several rows of taps, which a block packs from the rows that it keeps.
  std::optional<PixelRows> pixelStretches = std::nullopt;
  /// Of an rhs of images whose pixels are k the rows of pixels that vectors may read.
  std::optional<PixelRows> pixelsOfDepth = std::nullopt;
  /// The same where a block packs panels of a unit's registers from them.
  std::optional<PixelRows> stretchesOfDepth = std::nullopt;
  /// The panels of them that a unit may read for all rows of taps.
  std::optional<TapPanels> tapPanels = std::nullopt;
  /// Of an lhs of images the rows of pixels that vectors may lie along when operands change places.
  std::optional<PixelRows> pixelColumns = std::nullopt;
  /// The result, where blocks that have its windows whole may pool it.
  std::optional<PooledResult> pooled = std::nullopt;
  /// Whether rhs may be read where it lies, along its rows.
  bool mayStreamRhs = false;
  /// Whether k may be cut into parts, and what it has of images, so many at once as a part may end behind.
  bool mayCut = false;
  int64_t granules = 1;
  int64_t rhsBytes = 4; ///< of an element of rhs in memory
  /// The same of lhs: rhs streams it where they change places.
  bool mayStreamLhs = false;
  int64_t lhsBytes = 4;
  std::span<const RegisterTile> tiles = {}; ///< the instruction's; the level's where there is none
};

/// Blocks and register tile of a contraction, and which operands are packed once for all blocks. Of a streamed rhs k
/// may be cut: the rows of a part lie together, and are read at the speed of memory by a thread of their own. So may k
/// of many images: results are small beside them, and blocks that are a part of the result each would pack them again.
struct ContractionBlocks {
  int64_t blockM, blockN, blockK, tileM, tileN;
  bool packsLhs = false, packsRhs = false, streamsRhs = false, readsLhs = false, readsRhs = false;
  bool transposed = false; ///< lhs and rhs have changed places
  int64_t parts = 1;
  double seconds = 0; ///< modelled, on 1, 2, 4 and 8 cores taken together, to be compared alone
};

/// The fastest blocks by the cost model: of all that fit the second-level cache, those whose grid takes the least time
/// on 1, 2, 4 and 8 cores taken together. [1024 x 1024] -> a grid of some dozens. An operand is packed once where that
/// is faster than packing it in every block that reads it.
ContractionBlocks chooseContractionBlocks(const ContractionSize &size, const CPULevel &level);

/// How many of `total` equal items of work, each `secondsPerItem`, one block takes: enough to outweigh starting it,
/// few enough to leave work for several cores, and a multiple of `granule`. (1000000, 1e-9, 1024) -> 19456.
int64_t chooseItemsPerBlock(int64_t total, double secondsPerItem, int64_t granule, const CPULevel &level);

} // namespace mp

#endif // MP_KERNELS_SCHEDULE_SCHEDULES_H
