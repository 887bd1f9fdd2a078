// Panels of pixels that tile registers read for all rows of taps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_CPU_CONTRACTION_PIXELPANELS_H
#define MP_LIB_CODEGEN_CPU_CONTRACTION_PIXELPANELS_H

#include "Codegen/CPU/Contraction/Packing.h"
#include "mp/Analysis/TapPanels.h"

namespace mp {

/// The pixels that a chunk of k needs, packed as TapPanels.h tells: panels of one register's columns or several's,
/// whose rows are the words of a pair of pixels, and a second set of the pairs between. What a register has of two
/// images is packed for each row of taps besides.
class PixelPanels {
public:
  /// Of images that `map` walks (mapOfTapPanels), for chunks of so many of k and so many columns of each row of taps,
  /// of `word`s of pairs. `vector` is a register's columns.
  PixelPanels(CPUFunction &f, Elements &values, mlir::Value images, const IndexMap &map, const TapPanels &panels,
              int64_t chunk, int64_t columns, mlir::Type word, int64_t vector);

  /// Packs what k in [from, to) needs of rows of taps from `column`.
  llvm::LogicalResult emit(mlir::Value column, mlir::Value from, mlir::Value to);

  /// Where registers with some columns of the product begin in the panels and among what is of two images.
  struct Register {
    mlir::Value inPanels, ofTwoImages;
  };
  Register find(mlir::Value column);
  /// Where each of them is for the register's k from `k` of the chunk, row after row.
  llvm::SmallVector<mlir::Value> at(llvm::ArrayRef<Register> registers, mlir::Value k);
  /// Words from one of its rows to the next.
  int64_t step() const { return wide; }

private:
  /// Pixels of the panels from that of the chunk's first k to that of `k`, which lies in the image `number`.
  mlir::Value along(mlir::Value k, mlir::Value number);
  /// Words before those that a row of taps has of a panel for the first k.
  mlir::Value wordsOf(mlir::Value row, mlir::Value panel);
  int64_t panelsOfTaps() const { return columns / wide; }
  int64_t wordsOfSet() const { return panels.kinds() * panelsOfTaps() * order.wordsOfPanel(); }
  llvm::LogicalResult shiftPairs(mlir::Value count);
  llvm::LogicalResult copyMeeting(mlir::Value number, mlir::Value to);

  CPUFunction &f;
  LaneBuilder &b;
  Elements &values;
  const TapPanels panels;
  const int64_t columns; ///< of a row of taps
  const mlir::Type word;
  const int64_t vector, wide; ///< columns of a register and of a panel
  const PanelOrder order;
  Packing packing;
  mlir::Value packed, meetings;
  mlir::Value firstColumn;       ///< of the running block, in each row of taps
  mlir::Value first, firstImage; ///< of the running chunk
};

} // namespace mp

#endif // MP_LIB_CODEGEN_CPU_CONTRACTION_PIXELPANELS_H
