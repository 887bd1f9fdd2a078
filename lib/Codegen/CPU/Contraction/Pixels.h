// Rows of pixels that tiles read.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_CPU_CONTRACTION_PIXELS_H
#define MP_LIB_CODEGEN_CPU_CONTRACTION_PIXELS_H

#include "Codegen/CPU/Contraction/Packing.h"
#include "mp/Analysis/PixelRows.h"

namespace mp {

/// The rows of an image that a block of a product reads, in scratch memory as PixelRows.h tells.
class Pixels {
public:
  /// Of images that `map` walks, pixels by its rows and their taps by its depth: so many pixels at once as PixelRows
  /// wants them, for tiles that read words.
  Pixels(CPUFunction &f, Elements &values, mlir::Value images, const IndexMap &map, const PixelRows &rows,
         int64_t pixels, mlir::Type word, int64_t vector);

  /// Copies what the pixels from `first` need, as far as there are any.
  llvm::LogicalResult emit(mlir::Value first);
  /// Where the pixel `row` behind the first has the element that its first tap takes.
  mlir::Value at(mlir::Value row);
  /// Elements from one row to the next, of the same row of pixels.
  int64_t step() const { return rows.columnStep; }
  /// Neighbours in k that lie side by side, from a multiple of that.
  int64_t neighbours() const { return rows.neighbours(unit); }
  /// What of k in [from, to) has pixels in the image for a tile of so many rows from `row` of all: no row of taps that
  /// lies above or below it for all of them. That begins, and ends, with a row of taps.
  struct Depth {
    mlir::Value from, to;
  };
  Depth depthOf(mlir::Value row, int64_t tileRows, mlir::Value from, mlir::Value to);
  /// Elements from a row's element at k of 0 to that at `k`.
  mlir::Value alongDepth(mlir::Value k);
  /// Sets memory aside for what alongDepth gives for every multiple of `step`: a block looks it up, where finding it
  /// takes divisions.
  void tabulate(int64_t step);

private:
  friend class PixelWords;

  mlir::Value findAlongDepth(mlir::Value k) { return elementsOf(image.movedBy(image.map.depth, k)); }
  mlir::Value inTable(mlir::Value k);
  void fillTable();

  /// All of k, and that of a row of taps.
  int64_t wholeDepth() const;
  int64_t depthOfTaps() const;
  /// The row of an image that the first row of taps has for the row of pixels of that number.
  mlir::Value firstRowOf(mlir::Value row);

  mlir::Value elementsAt(mlir::Value row) { return elementsOf(image.movedBy(image.map.row, row)); }
  mlir::Value elementsOf(const MappedOperand::Sums &sums);
  void clearEdges();

  CPUFunction &f;
  LaneBuilder &b;
  Elements &values;
  const PixelRows rows;
  const int64_t keptRows; ///< for so many pixels
  MappedOperand image;
  const int64_t unit;       ///< elements in a word
  const mlir::Type element; ///< as it is kept: widened where a word is one
  Packing copy;             ///< of rows of the image without what is beside them
  mlir::Value kept;
  int64_t stepOfTable = 0;
  mlir::Value table; ///< null where nothing is looked up
};

/// The same where pixels are k, as words of an operand: each of an element and, for pairs, of that of the next pixel.
class PixelWords {
public:
  PixelWords(CPUFunction &f, Elements &values, mlir::Value images, const IndexMap &map, const PixelRows &rows,
             int64_t pixels, mlir::Type word, int64_t vector);

  /// Copies what the pixels from `first` need.
  llvm::LogicalResult emit(mlir::Value first);
  /// The units of k in a row of pixels, whose words are so many from each other.
  int64_t unitsOfRow() const { return rows.columns / unit; }
  int64_t step() const { return rows.columnStep * unit; }
  /// A tile of so many columns, from `column` of all, comes to the unit `first` behind the first, which begins a row of
  /// pixels. Where its columns do not lie side by side it has all there are. Gives how many units of that row it is to
  /// multiply: none where its row of taps lies above or below the image.
  mlir::Value beginRow(mlir::Value first, mlir::Value column, int64_t tileColumns, int64_t columns);
  /// Where the tile's first word is at a unit of that row; where its columns lie side by side, the others are behind.
  mlir::Value firstAt(mlir::Value number);
  /// A vector of the tile's words there.
  mlir::Value wordsAt(mlir::Value number, int64_t vectorOfTile);
  /// Where the words of the unit `number` behind the first are, for columns from `column`.
  mlir::Value at(mlir::Value number, mlir::Value column);

private:
  CPUFunction &f;
  LaneBuilder &b;
  const PixelRows rows;
  const mlir::Type word;
  const int64_t vector;
  Pixels pixels;
  const int64_t unit;     ///< elements in a word
  mlir::Value firstPixel; ///< of those that it is for
  mlir::Value paired;     ///< words, where those are pairs
  mlir::Value firstOfRow;
  /// Of the row, and how many columns each of them is for, which lie side by side.
  llvm::SmallVector<mlir::Value> pieces;
  int64_t columnsOfPiece = 0;

  /// How far the words of a unit of the row are from those of its first.
  mlir::Value alongRow(mlir::Value number) { return f.mul(f.sub(number, firstOfRow), step()); }
};

} // namespace mp

#endif // MP_LIB_CODEGEN_CPU_CONTRACTION_PIXELS_H
