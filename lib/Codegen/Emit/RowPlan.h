// The walks over a row that a row kernel makes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// softmax: x - max(x) needs a walk before it, exp(x - max(x)) / sum another.
//
//   walk 1: max(x)      walk 2: sum(exp(x - max))      then: exp(x - max) / sum
//
// The exponentials are read in walk 2 and after it. Where they are worth their memory, walk 2 keeps them.

#ifndef MP_LIB_CODEGEN_EMIT_ROWPLAN_H
#define MP_LIB_CODEGEN_EMIT_ROWPLAN_H

#include "mp/IR/MP.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace mp {

class RowPlan {
public:
  /// Plans a body whose reductions and row ops look at the last dimension of `rows` rows.
  RowPlan(mlir::Block &body, int64_t rows);

  /// How many walks there are; they count from 1.
  unsigned walks = 0;
  /// The walk of an op that looks at whole rows; for any other the walk after which it can be computed.
  unsigned walkOf(mlir::Operation *op) const { return walkOfOp.lookup(op); }
  /// Whether a value has one element for each row and is computed once for it.
  bool isOfRow(mlir::Value value) const { return ofRow.contains(value); }

  /// A row that a walk computes, and that it writes down for those that read it later.
  struct Kept {
    mlir::Value value;
    llvm::SmallVector<mlir::Operation *> writers; ///< reductions of that walk that compute it
  };
  /// The rows in memory that a value is computed of.
  llvm::SetVector<mlir::Value> rowsIn(mlir::Value value) const;

  /// Rows of more than `limit` operations for each element, from memory or from rows that are kept; read by a
  /// reduction, and again in a later walk or by a result; and by none but ops that `isEven` says walk along the row.
  llvm::SmallVector<Kept> findKept(int64_t limit, llvm::function_ref<bool(mlir::Value)> isEven) const;

private:
  using Readers = llvm::DenseMap<mlir::Value, llvm::SmallSetVector<mlir::Operation *, 4>>;

  bool isRow(mlir::Value value) const;
  bool isOfRowOp(mlir::Operation *op) const;
  unsigned walkOfReader(mlir::Operation *op) const;
  unsigned firstWalk(const Readers &readers, mlir::Value value) const;
  Readers findReaders(const llvm::DenseSet<mlir::Value> &kept) const;

  mlir::Block &body;
  int64_t rows;
  llvm::DenseMap<mlir::Operation *, unsigned> walkOfOp;
  llvm::DenseSet<mlir::Value> ofRow;
  llvm::SmallVector<llvm::SmallVector<int64_t>> leads; ///< the shapes of rows without their last dimension
};

} // namespace mp

#endif // MP_LIB_CODEGEN_EMIT_ROWPLAN_H
