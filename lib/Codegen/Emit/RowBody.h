// A row kernel, for one row.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_EMIT_ROWBODY_H
#define MP_LIB_CODEGEN_EMIT_ROWBODY_H

#include "Codegen/Emit/RowOps.h"

namespace mp {

/// Each row op in order, its one value in a register, its row in memory from `allocate` or, without, computed where it
/// is read; then what is yielded, all of it read before any of it is written.
class RowBody {
public:
  RowBody(KernelFunction &f, Elements &values, ThreadGroup &group, const Allocate &allocate)
      : f(f), values(values), group(group), allocate(allocate), rowOps(f, values, group, allocate) {}

  /// Binds the inputs and builds what all rows need. Emits an error where the kernel is not by rows.
  mlir::LogicalResult prepare();
  /// One row. Nothing is written where `isValid`, if not null, is false.
  mlir::LogicalResult emit(mlir::Value row, mlir::Value isValid = {});

  int64_t rows = -1;

private:
  mlir::LogicalResult emitOp(mlir::Operation &op, mlir::Value row);
  mlir::LogicalResult bindRow(mlir::Operation &op, mlir::Value row);
  mlir::LogicalResult emitYields(mlir::Value row);
  mlir::LogicalResult storeColumns(llvm::ArrayRef<unsigned> results, int64_t columns, mlir::Value row);

  KernelFunction &f;
  Elements &values;
  ThreadGroup &group;
  Allocate allocate;
  RowOps rowOps;
  llvm::DenseMap<mlir::Operation *, mlir::Value> rowStorage;
  llvm::DenseSet<mlir::Value> ofRow; ///< what has one value per row
};

} // namespace mp

#endif // MP_LIB_CODEGEN_EMIT_ROWBODY_H
