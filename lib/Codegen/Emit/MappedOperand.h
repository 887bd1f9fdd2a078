// Where a product's operand has its elements, in code.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_EMIT_MAPPEDOPERAND_H
#define MP_LIB_CODEGEN_EMIT_MAPPEDOPERAND_H

#include "Codegen/Emit/KernelFunction.h"
#include "mp/IR/IndexMap.h"

namespace mp {

/// An operand, seen as rows of its last dimension, and the map that finds elements there.
class MappedOperand {
public:
  MappedOperand(KernelFunction &f, mlir::Value tensor, const IndexMap &map);

  /// `column` of `row`, counted over the whole tensor. `isThere` says whether the map has an element; it is null where
  /// that is certain. Where there is none, row and column are those of the first element.
  struct Element {
    mlir::Value row, column, isThere;
  };
  Element find(mlir::Value batch, mlir::Value row, mlir::Value k);

  // The same in steps, so that a loop does what changes in it alone.

  /// What numbers move, added up for each dimension of the operand; null where nothing moves it.
  using Sums = llvm::SmallVector<mlir::Value, 4>;
  /// What `number`, of these digits of the map, moves.
  Sums movedBy(llvm::ArrayRef<IndexMap::Digit> digits, mlir::Value number);
  Sums add(const Sums &a, const Sums &b);
  Element at(const Sums &sums);
  /// The same of all dimensions but the last: `column` may be beyond it, and `isThere` says nothing of that.
  Element lineAt(const Sums &sums);
  /// `sums`, so many elements further along memory.
  Sums along(const Sums &sums, mlir::Value elements);

  /// Numbers from `start + first` to below `start + last`, of which the last digit alone changes: it is `first` at
  /// first. `others` is what the other digits move.
  struct Run {
    mlir::Value start, first, last;
    Sums others;
  };
  /// body(run) for [from, to), cut where another digit changes.
  llvm::LogicalResult forRuns(llvm::ArrayRef<IndexMap::Digit> digits, mlir::Value from, mlir::Value to,
                              llvm::function_ref<llvm::LogicalResult(const Run &)> body);

  const mlir::Value tensor;
  const IndexMap map;
  const int64_t columns; ///< of a row in memory

private:
  Element findInMatrix(mlir::Value batch, mlir::Value row, mlir::Value k);
  Element elementAt(const Sums &sums, bool isAnywhere);
  mlir::Value indexIn(unsigned number, const Sums &sums, bool isAnywhere, Element &at);
  void addDigits(llvm::ArrayRef<IndexMap::Digit> digits, mlir::Value number, Sums &sums);

  KernelFunction &f;
};

} // namespace mp

#endif // MP_LIB_CODEGEN_EMIT_MAPPEDOPERAND_H
