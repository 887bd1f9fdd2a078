// How the register tiles of a CPU read their operands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_ANALYSIS_REGISTERTILES_H
#define MP_ANALYSIS_REGISTERTILES_H

#include "mp/Analysis/PixelRows.h"
#include "mp/Analysis/TapPanels.h"
#include "mp/IR/MP.h"

#include <optional>

namespace mp {

/// The neighbours in k that an instruction takes at once; those beyond the last k are 0.
int64_t depthGranule(ContractionScheduleAttr schedule);

/// Which parts of lhs and of rhs are multiplied with one another, from 0, the largest.
struct PartProduct {
  int64_t lhs, rhs;
};
/// The products of parts that are added for each 32 of k, the smallest first; just one, of 0 and 0, where nothing is
/// split. Whatever the number, the last of them are the same.
llvm::ArrayRef<PartProduct> productsOfParts(ContractionScheduleAttr schedule);

/// The panels of lhs, which lie as it lies in memory but for tile registers, and of rhs: by steps of k.
PanelsAttr lhsPanels(const Contraction &product, ContractionScheduleAttr schedule);
PanelsAttr rhsPanels(ContractionScheduleAttr schedule);

/// Whether tiles may read lhs where it lies, if it has the rows of one: a matrix in memory along k, whole words or
/// registers of it in each row, of elements that are multiplied as they are, by `products` for each.
bool mayReadInMemory(const Contraction &product, mlir::Value lhs, TileInstruction instruction, int64_t products);

/// `map` of images, with a dimension of them where it has one image alone and so none.
IndexMap withImages(const IndexMap &map);

/// The rows of pixels of an lhs that tiles may read as PixelRows.h tells: of images, each of whose pixels is a row's
/// for every tap; for tiles of a unit in memory, with whole registers of channels. None where it is anything else.
std::optional<PixelRows> findPixelRows(const Contraction &product, mlir::Value lhs, TileInstruction instruction,
                                       int64_t products);

/// The same of an lhs whose rows of taps are no whole registers of a unit, seen by `withJoinedPixels(lhsMap)`: a block
/// packs them from the rows that it keeps, all of k at once.
std::optional<PixelRows> findPixelStretches(const Contraction &product, mlir::Value lhs, TileInstruction instruction,
                                            int64_t products);
IndexMap withJoinedPixels(const IndexMap &map);

/// The rows of pixels of an lhs that walks images by `map`, the product's or a class's, where vectors may lie along
/// them when operands change places: as above, of whole units of channels, each pixel beside the next.
std::optional<PixelRows> findPixelColumns(const Contraction &product, const IndexMap &map, mlir::Value lhs,
                                          TileInstruction instruction);

/// `map` of images whose pixels are k, as one whose pixels are rows and whose columns are their taps.
IndexMap pixelsOfDepth(const IndexMap &map);

/// The rows of pixels of an rhs whose k are pixels, that tiles of vectors may read as PixelRows.h tells: of images in
/// memory, for pairs with rows of whole pairs. `together` columns lie side by side. None where it is anything else.
std::optional<PixelRows> findPixelRowsOfDepth(const Contraction &product, mlir::Value rhs, TileInstruction instruction);

/// The same of an rhs that a unit's registers may read from panels which a block packs of such rows: of images with or
/// without something in front of them, whose rows of taps are no whole registers. Those that are kept are whole words.
std::optional<PixelRows> findPixelStretchesOfDepth(const Contraction &product, mlir::Value rhs,
                                                   TileInstruction instruction, int64_t products);

/// The panels of an rhs whose k are pixels that a unit's registers may read for all rows of taps, as TapPanels.h tells:
/// rows of taps are whole registers, and an image has as many pixels as a register at least. None where it is anything
/// else.
std::optional<TapPanels> findTapPanels(const Contraction &product, mlir::Value rhs, TileInstruction instruction,
                                       int64_t products);
/// The map of those panels: rows are kinds of rows and what a row of taps has, k all pixels of the panels.
IndexMap mapOfTapPanels(const Contraction &product, const TapPanels &panels);

/// The type that elements are packed in: that of the sums where each is multiplied on its own, the operands' where a
/// word holds several, bf16 where they are split.
mlir::Type packedElement(const Contraction &product, ContractionScheduleAttr schedule);

} // namespace mp

#endif // MP_ANALYSIS_REGISTERTILES_H
