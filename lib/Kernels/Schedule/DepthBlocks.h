// Blocks of products whose k are pixels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_KERNELS_SCHEDULE_DEPTHBLOCKS_H
#define MP_LIB_KERNELS_SCHEDULE_DEPTHBLOCKS_H

#include "mp/Kernels/Schedule/Schedules.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace mp {

/// Elements of rhs that a block which reads them copies for each of k: of rows of pixels, with the words of pairs of
/// them, or of panels, with a second set of them and what registers have of two images; and those that it makes within
/// the cache, panels of rows of pixels.
struct CopiedElements {
  double packed, withinCache;
};
/// In chunks of so many, for blocks of so many columns.
CopiedElements copiedElements(const ContractionSize &size, int64_t blockK, int64_t blockN);

/// consider(blocks) for chunks of whole rows of pixels of one image, or of whole images, that vectors read.
void tryPixelsOfDepth(const ContractionSize &size, const CPULevel &level, llvm::ArrayRef<RegisterTile> tiles,
                      llvm::function_ref<void(const ContractionBlocks &)> consider);

/// The same for chunks of whole registers, too, of which blocks of all columns pack panels for a unit.
void tryStretchesOfDepth(const ContractionSize &size, const CPULevel &level,
                         llvm::function_ref<void(const ContractionBlocks &)> consider);

/// The same for chunks of whole registers of pixels, whose panels a unit reads for all rows of taps.
void tryTapPanels(const ContractionSize &size, const CPULevel &level,
                  llvm::function_ref<void(const ContractionBlocks &)> consider);

} // namespace mp

#endif // MP_LIB_KERNELS_SCHEDULE_DEPTHBLOCKS_H
