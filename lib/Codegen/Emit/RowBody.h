// A row kernel, for one row.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_EMIT_ROWBODY_H
#define MP_LIB_CODEGEN_EMIT_ROWBODY_H

#include "Codegen/Emit/Reduce.h"
#include "Codegen/Emit/RowPlan.h"

#include <functional>

namespace mp {

/// Where a thread group keeps rows between walks.
struct RowMemory {
  /// Memory of the thread group for `elements` values of an element type, where a thread finds what it stored itself;
  /// null where there is none left.
  std::function<mlir::Value(mlir::Type element, int64_t elements)> allocate;
  /// Arithmetic per element above which a row is kept and not computed again.
  int64_t limit = 0;
};

/// A row kernel, for one row: walks over the row in the order of its plan, all reductions of one walk at once; then
/// what is yielded, all of it read before any of it is written.
class RowBody {
public:
  RowBody(KernelFunction &f, Elements &values, ThreadGroup &group, RowMemory memory)
      : f(f), values(values), group(group), memory(std::move(memory)) {}

  /// Binds the inputs and builds what all rows need. Emits an error where the kernel is not by rows.
  mlir::LogicalResult prepare();
  /// One row. Nothing is written where `isValid`, if not null, is false.
  mlir::LogicalResult emit(mlir::Value row, mlir::Value isValid = {});

  int64_t rows = -1;

private:
  struct Storage {
    RowPlan::Kept row;
    mlir::Value pointer;
  };

  mlir::LogicalResult findRows();
  void planStorage();
  mlir::LogicalResult emitOfRow(unsigned walk, mlir::Value row);
  mlir::LogicalResult emitWalk(unsigned walk, mlir::Value row);
  mlir::LogicalResult emitReductions(llvm::ArrayRef<mlir::Operation *> ops, mlir::Value row, bool isEven);
  mlir::LogicalResult emitArgmax(ArgmaxOp op, mlir::Value row);
  mlir::LogicalResult emitYields(mlir::Value row);
  mlir::LogicalResult storeColumns(llvm::ArrayRef<unsigned> results, int64_t columns, mlir::Value row);
  void bindOfRow(mlir::Value result, mlir::Value value, mlir::Value row) {
    values.bindOfRow(result, value, {row, 1, values.zero, 0, 1});
  }

  KernelFunction &f;
  Elements &values;
  ThreadGroup &group;
  RowMemory memory;
  std::optional<RowPlan> plan;
  llvm::SmallVector<Storage> storage; ///< of rows that no walk has written yet
};

} // namespace mp

#endif // MP_LIB_CODEGEN_EMIT_ROWBODY_H
