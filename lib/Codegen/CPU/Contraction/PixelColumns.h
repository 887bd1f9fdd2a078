// Pixels that are columns of a product.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_CPU_CONTRACTION_PIXELCOLUMNS_H
#define MP_LIB_CODEGEN_CPU_CONTRACTION_PIXELCOLUMNS_H

#include "Codegen/CPU/CPUFunction.h"
#include "Codegen/Emit/MappedOperand.h"
#include "mp/Analysis/PixelRows.h"

namespace mp {

/// The rows of an image that a block of a product reads, as PixelRows.h tells, with channels apart: a row of pixels for
/// each unit of channels, which is a word. Vectors are then neighbouring pixels, for every tap.
class PixelColumns {
public:
  /// Of images that `map` walks, pixels by its rows and their taps by its depth: so many pixels at once as PixelRows
  /// wants them, of which vectors of `vector` divide a row.
  PixelColumns(CPUFunction &f, Elements &values, mlir::Value images, const IndexMap &map, const PixelRows &rows,
               int64_t pixels, mlir::Type word, int64_t vector);

  /// Copies what the pixels from `first` need, channel by channel.
  llvm::LogicalResult emit(mlir::Value first);
  /// The units of k of a tap.
  int64_t unitsOfTap() const { return units; }
  /// A tile of so many vectors, from the pixel `column` behind the first, comes to `k`, which begins a tap, at the unit
  /// `first` of its chunk.
  void beginTap(mlir::Value first, mlir::Value k, mlir::Value column, int64_t vectors);
  /// A vector of the tile's words at a unit of that tap.
  mlir::Value wordsAt(mlir::Value number, int64_t vectorOfTile);

private:
  /// Words from the first that is kept.
  mlir::Value wordsOf(const MappedOperand::Sums &sums);
  llvm::LogicalResult copyRow(mlir::Value row, mlir::Value target);
  void clear(mlir::Value target, int64_t from, int64_t to);

  CPUFunction &f;
  LaneBuilder &b;
  Elements &values;
  const PixelRows rows;
  MappedOperand image;
  const mlir::Type word;
  const int64_t vector, unit;
  const int64_t units, width; ///< of a pixel: words; of a row that is kept: pixels
  const int64_t keptRows;     ///< for so many pixels
  mlir::Value kept;
  mlir::Value firstOfTap;
  llvm::SmallVector<mlir::Value> pieces; ///< of the tap: where each vector begins
};

} // namespace mp

#endif // MP_LIB_CODEGEN_CPU_CONTRACTION_PIXELCOLUMNS_H
