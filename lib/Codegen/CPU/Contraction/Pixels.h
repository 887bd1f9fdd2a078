// Rows of pixels that tiles read.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_CPU_CONTRACTION_PIXELS_H
#define MP_LIB_CODEGEN_CPU_CONTRACTION_PIXELS_H

#include "Codegen/CPU/Contraction/Packing.h"
#include "Codegen/Emit/Product.h"
#include "mp/Analysis/PixelRows.h"

namespace mp {

/// The rows of an image that a block of a product reads, in scratch memory as PixelRows.h tells.
class Pixels {
public:
  /// Of a block of `blockRows` rows of the product's lhs, as PixelRows wants them, for tiles that read words.
  Pixels(CPUFunction &f, Elements &values, const Product &product, const PixelRows &rows, int64_t blockRows,
         mlir::Type word, int64_t vector);

  /// Copies what the rows from `firstRow` of lhs need.
  llvm::LogicalResult emit(mlir::Value firstRow);
  /// Where the block's row `row` has the element that its first tap takes.
  mlir::Value at(mlir::Value row);
  /// Elements from one row to the next, of the same row of pixels.
  int64_t step() const { return rows.columnStep; }
  /// So many neighbours in k, from a multiple of that, lie side by side: a few.
  int64_t together() const;
  /// Elements from a row's element at k of 0 to that at `k`.
  mlir::Value alongDepth(mlir::Value k);

private:
  mlir::Value elementsOf(const MappedOperand::Sums &sums);
  void clearEdges();

  CPUFunction &f;
  LaneBuilder &b;
  Elements &values;
  const PixelRows rows;
  const int64_t keptRows; ///< of a block
  MappedOperand image;
  const mlir::Type element; ///< in memory
  Packing copy;             ///< of rows of the image without what is beside them
  mlir::Value kept;
};

} // namespace mp

#endif // MP_LIB_CODEGEN_CPU_CONTRACTION_PIXELS_H
