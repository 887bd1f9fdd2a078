// The blocks of a product.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_CPU_CONTRACTION_BLOCKS_H
#define MP_LIB_CODEGEN_CPU_CONTRACTION_BLOCKS_H

#include "Codegen/CPU/CPUFunction.h"
#include "Codegen/Emit/Product.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace mp {

/// The sizes of what a block does of a product, whose operands are in each other's place if the schedule says so.
struct Sizing : Product {
  int64_t tileM, tileN, blockM, blockN, blockK;
  bool isTransposed;
  /// Columns of a block that follow one another, and how far the next of its columns are from those: where tiles read
  /// panels for all rows of taps, a block has as many of each row.
  int64_t columnRun, columnStep;

  Sizing(const Product &product, ContractionScheduleAttr schedule);

  int64_t blocksM() const { return llvm::divideCeil(m, blockM); }
  int64_t blocksN() const { return llvm::divideCeil(n, blockN); }
  int64_t grid() const { return parts * batch * blocksM() * blocksN(); }
  bool isChunked() const { return std::min(depth, k) > blockK; }
};

/// Where the running block is.
struct BlockPlace {
  mlir::Value outer;                 ///< its part and batch
  mlir::Value blockRow, blockColumn; ///< among blocks
  mlir::Value firstRow, firstColumn, rows, columns;

  BlockPlace() = default;
  /// Of the block of that number. Where all columns of rhs are more than a cache holds, blocks of some columns come
  /// before those of the next, for all rows: rows of blocks would each read the whole of rhs from memory.
  BlockPlace(CPUFunction &f, const Sizing &s, mlir::Value block);

  /// The product's column that is the block's `column`, from a tile's first.
  mlir::Value columnAt(CPUFunction &f, mlir::Value column) const;

private:
  int64_t columnRun = 0, columnStep = 0; ///< the product's, where a block has several runs
};

} // namespace mp

#endif // MP_LIB_CODEGEN_CPU_CONTRACTION_BLOCKS_H
