// Maps that transpose matrices.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_ANALYSIS_TRANSPOSEDNEST_H
#define MP_ANALYSIS_TRANSPOSEDNEST_H

#include "mp/IR/MP.h"

namespace mp {

/// The results of one shape of a map kernel as `batch` matrices of `rows` x `columns`, and the transposes that exchange
/// these around: result [b, r, c] is operand [b, c, r]. Dimensions that move together count as one: [8 x 5 x 7 x 3]
/// permuted to [8 x 3 x 5 x 7] is 8 matrices of 3 x 35.
struct TransposedNest {
  int64_t batch = 1, rows = 0, columns = 0;
  /// Those whose values only go to elementwise ops on the same elements.
  llvm::SmallVector<TransposeOp> transposes;

  /// Bytes of an element of the widest transpose.
  int64_t elementBytes() const;
  /// Shared memory that tiles of all transposes take, rows of which are one element longer than the tile.
  int64_t sharedBytes(int64_t tile) const;
  /// Tiles that cover all matrices.
  int64_t tiles(int64_t tile) const;
};

/// Of the results of this shape. Nothing where no transpose is of this kind, or the matrices are so small that most of
/// a tile would lie beyond their edges.
std::optional<TransposedNest> findTransposedNest(KernelOp kernel, llvm::ArrayRef<int64_t> shape);

} // namespace mp

#endif // MP_ANALYSIS_TRANSPOSEDNEST_H
