// What tiles of a schedule read where it lies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_CPU_CONTRACTION_SCHEDULEDPIXELS_H
#define MP_LIB_CODEGEN_CPU_CONTRACTION_SCHEDULEDPIXELS_H

#include "Codegen/Emit/Product.h"
#include "mp/Analysis/PixelRows.h"
#include "mp/Analysis/TapPanels.h"

#include <optional>

namespace mp {

/// Whether tiles of this schedule read the rows of lhs, a matrix, in memory.
bool readsMatrix(const Product &product, ContractionScheduleAttr schedule);

/// The pixels that tiles of this schedule read of lhs, if it reads any and its blocks and tiles are such.
std::optional<PixelRows> pixelsOf(const Product &product, ContractionScheduleAttr schedule);

/// The pixels of lhs of which a block of this schedule packs the rows that it keeps, if it reads any and its blocks are
/// such, of all of k.
std::optional<PixelRows> pixelStretchesOf(const Product &product, ContractionScheduleAttr schedule);

/// The pixels of k that tiles of this schedule read of rhs, if it reads any and its steps and tiles are such: whole
/// rows of them, and columns that lie side by side in one. Transposed, these are rows of its tiles.
std::optional<PixelRows> pixelsOfDepthOf(const Product &product, ContractionScheduleAttr schedule);

/// The pixels that vectors of this transposed schedule lie along, if it reads any and its blocks and vectors are such:
/// of the product's lhs as `map` sees it.
std::optional<PixelRows> pixelColumnsOf(const Product &product, const IndexMap &map, ContractionScheduleAttr schedule);

/// The panels of pixels of k that tile registers of this schedule read of rhs, if it reads any and they may be: for
/// blocks of all columns, or of as many of each row of taps, in whole tiles.
std::optional<TapPanels> tapPanelsOf(const Product &product, ContractionScheduleAttr schedule);

/// The pixels of k of which a block of this schedule for tile registers packs the rows that it keeps of rhs, if it
/// reads any and its steps are whole registers and rows of them, and its columns all.
std::optional<PixelRows> pixelStretchesOfDepthOf(const Product &product, ContractionScheduleAttr schedule);

/// Emits an error where an operand is not as the schedule reads it. Of classes of rows some may have an lhs that is:
/// the others pack it.
llvm::LogicalResult verifyReads(const Product &product, ContractionScheduleAttr schedule);

} // namespace mp

#endif // MP_LIB_CODEGEN_CPU_CONTRACTION_SCHEDULEDPIXELS_H
