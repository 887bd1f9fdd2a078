// Blocks of products that are pooled.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_KERNELS_SCHEDULE_WINDOWBLOCKS_H
#define MP_LIB_KERNELS_SCHEDULE_WINDOWBLOCKS_H

#include "mp/Kernels/Schedule/Schedules.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mp {

/// consider(blocks) for those that pack their rows in chunks of `blockK`, and have whole windows and all channels: with
/// tiles of fewer rows where those of a tile do not divide a block's.
void tryWindows(const ContractionSize &size, const CPULevel &level, llvm::ArrayRef<RegisterTile> tiles, int64_t blockK,
                llvm::function_ref<void(const ContractionBlocks &)> consider);

/// Seconds of one core to store the result and to read it again, where it is pooled: within the cache where blocks pool
/// it, by another kernel else.
double poolSeconds(const ContractionBlocks &blocks, const ContractionSize &size, const CPULevel &level);

} // namespace mp

#endif // MP_LIB_KERNELS_SCHEDULE_WINDOWBLOCKS_H
