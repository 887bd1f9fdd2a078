// A contraction as a value.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_IR_CONTRACTION_H
#define MP_IR_CONTRACTION_H

#include "mp/IR/IndexMap.h"

#include "mlir/IR/Types.h"

#include <vector>

namespace mp {

/// `batch` products [m x k] x [k x n], each as `parts` sums over `depth` of k. What is on which side, and where, is the
/// op's: the ops of images are products of matrices that lie nowhere.
///
///   matmul [m x k] x [k x n]                  m = rows, n = columns
///   matmul [8 x 5 x 7] x [7 x 3]              one product of 40 rows: batches that share their rhs
///   conv [N, H, W, C] * [K, R, S, C]          m = N * P * Q, n = K, k = R * S * C
struct Contraction {
  /// Some rows of the result, and what of k they have a factor for: the gradient of images under strides has as many
  /// kinds of pixels as a stride has steps, each of which sees its own taps of the filter.
  struct Class {
    int64_t m = 0, k = 0;
    IndexMap lhsMap, rhsMap;
    /// Where the rows are in the result: in one dimension, of all of its rows.
    IndexMap rows;
  };

  int64_t batch = 1, m = 0, n = 0, k = 0;
  int64_t parts = 1, depth = 0;
  bool takesParts = false; ///< an op sums parts of its k: cloneAsParts
  int64_t granule = 0;     ///< whole images, of which parts are made; 0 for parts of any length
  bool hasParts = false;   ///< the result has parts as its first dimension
  /// Row i of the result holds the columns of all batches, one after the other; otherwise each batch is a matrix.
  bool sharesRows = false;

  mlir::Type element, acc; ///< of both operands; of products and sums
  IndexMap lhsMap, rhsMap;
  /// The same product, cut by rows so that none multiplies what is nowhere; empty where that is so of the whole. Each
  /// adds its products in the order of the whole.
  std::vector<Class> classes;
  bool computesLhs = false, computesRhs = false; ///< an op makes the operand where it is read: it lies in no memory

  /// Tiles of `rows` x `columns` of its results, of one part.
  int64_t countTiles(int64_t rows, int64_t columns) const;
};

} // namespace mp

#endif // MP_IR_CONTRACTION_H
