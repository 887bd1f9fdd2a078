// The numbers of schedules, from shapes and hardware.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_KERNELS_SCHEDULE_SCHEDULES_H
#define MP_KERNELS_SCHEDULE_SCHEDULES_H

#include "mp/Hardware/CPULevels.h"

#include <cstdint>

namespace mp {

/// Blocks and register tile of a contraction.
struct ContractionBlocks {
  int64_t blockM, blockN, blockK, tileM, tileN;
};

/// The fastest blocks for `batch` products [m x k] x [k x n] by the cost model: of all that fit the second-level cache,
/// those whose grid takes the least time on 1, 2, 4 and 8 cores taken together. [1024 x 1024] -> a grid of some dozens.
ContractionBlocks chooseContractionBlocks(int64_t batch, int64_t m, int64_t n, int64_t k, const CPULevel &level);

/// How many of `total` equal items of work, each `secondsPerItem`, one block takes: enough to outweigh starting it,
/// few enough to leave work for several cores, and a multiple of `granule`. (1000000, 1e-9, 1024) -> 19456.
int64_t chooseItemsPerBlock(int64_t total, double secondsPerItem, int64_t granule, const CPULevel &level);

} // namespace mp

#endif // MP_KERNELS_SCHEDULE_SCHEDULES_H
