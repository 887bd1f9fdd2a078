// The sizes of a matrix product.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_ANALYSIS_PRODUCTSHAPE_H
#define MP_ANALYSIS_PRODUCTSHAPE_H

#include "mp/IR/MP.h"

namespace mp {

/// `batch` products [m x k] x [k x n], each as `parts` sums over `depth` of k. Batches of rows that share one rhs count
/// as rows: [8 x 5 x 7] x [7 x 3] is one product of 40 rows.
struct ProductShape {
  int64_t batch = 1, m = 0, n = 0, k = 0, parts = 1, depth = 0;
  bool transposeLhs = false, transposeRhs = false;
  bool sharesRhs = false;                        ///< one rhs for every batch
  bool computesLhs = false, computesRhs = false; ///< an op makes the operand where it is read: it lies in no memory
  mlir::Type element, acc;

  /// Of mp.matmul or mp.matmul_parts, whose shapes are static.
  static ProductShape of(mlir::Operation *op);

  /// Tiles of `rows` x `columns` of its results, of one part.
  int64_t countTiles(int64_t rows, int64_t columns) const;
};

} // namespace mp

#endif // MP_ANALYSIS_PRODUCTSHAPE_H
