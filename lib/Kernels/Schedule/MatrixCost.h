// What a matrix product takes on a GPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_KERNELS_SCHEDULE_MATRIXCOST_H
#define MP_LIB_KERNELS_SCHEDULE_MATRIXCOST_H

#include "mp/Analysis/MatrixTiles.h"

namespace mp {

/// The k of a part where k is cut into `parts`: whole steps of `block_k`.
int64_t depthOfParts(int64_t k, int64_t parts, int64_t blockK);

/// Blocks that a multiprocessor holds at once: as many as registers, shared memory and threads leave room for.
int64_t residentBlocks(const MatrixTiles &tiles, const Contraction &product, const Chip &chip);

/// Seconds of a product by the schedule of `tiles`. Where that cuts k, with the kernel that adds up the parts, whose
/// elements have type `part`.
double estimateSeconds(const MatrixTiles &tiles, const Contraction &product, mlir::Type part, const Chip &chip);

} // namespace mp

#endif // MP_LIB_KERNELS_SCHEDULE_MATRIXCOST_H
