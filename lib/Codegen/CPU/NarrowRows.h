// Rows of few columns, a row in each lane.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_CPU_NARROWROWS_H
#define MP_LIB_CODEGEN_CPU_NARROWROWS_H

#include "Codegen/CPU/CPUFunction.h"

namespace mp {

/// A row kernel whose rows have fewer columns than sums have lanes, for as many rows at once as a register has lanes:
/// each column is a register, and what is reduced over columns is added up in order, as a row alone has it.
class NarrowRows {
public:
  /// Of `rows` rows, `width` of them at once.
  NarrowRows(CPUFunction &f, int64_t rows, int64_t width);

  /// Whether the kernel is such a one: every value is of the rows, of so few columns, and walks evenly from row to row,
  /// and the code is not too long, since columns are written out.
  bool applies();
  /// Rows [row, row + width).
  mlir::LogicalResult emit(mlir::Value row);

private:
  int64_t columnsOf(mlir::Value value) const;
  /// Column `column` of the rows from `row`, of rows of `columns`.
  Lanes at(mlir::Value row, int64_t column, int64_t columns);
  mlir::LogicalResult emitOp(mlir::Operation *op, mlir::Value row);
  mlir::FailureOr<mlir::Value> reduce(ReductionFormInterface op, llvm::ArrayRef<mlir::Value> columns);
  mlir::Value findLargest(ArgmaxOp op, llvm::ArrayRef<mlir::Value> columns);
  mlir::LogicalResult store(unsigned result, mlir::Value row);

  CPUFunction &f;
  Elements values;
  const int64_t rows, width;
  llvm::SmallVector<mlir::Value> numbers; ///< of columns, each one value, by which elements are remembered
};

} // namespace mp

#endif // MP_LIB_CODEGEN_CPU_NARROWROWS_H
