// Blocks of products whose operands change places.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_KERNELS_SCHEDULE_TRANSPOSEDBLOCKS_H
#define MP_LIB_KERNELS_SCHEDULE_TRANSPOSEDBLOCKS_H

#include "mp/Kernels/Schedule/Schedules.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace mp {

/// The most parts of k.
inline constexpr int64_t kMostParts = 8;
/// The most pixels of k between two visits of the sums.
inline constexpr int64_t kMostOfChunk = 1024;

/// Steps of k of equal lengths, of whole runs where some fit.
int64_t chooseStep(const ContractionSize &size, int64_t longest);

/// `size` with operands in each other's place.
ContractionSize transposed(const ContractionSize &size);

/// consider(blocks) for each that computes the transpose, of which `size` is: the result of transposed().
void tryTransposed(const ContractionSize &size, const CPULevel &level,
                   llvm::function_ref<void(const ContractionBlocks &)> consider);

} // namespace mp

#endif // MP_LIB_KERNELS_SCHEDULE_TRANSPOSEDBLOCKS_H
