// Ops that look at more than one element.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_EMIT_REDUCE_H
#define MP_LIB_CODEGEN_EMIT_REDUCE_H

#include "Codegen/Emit/ThreadGroup.h"

namespace mp {

/// One lane of several, which are a power of two: halves are combined until one is left.
mlir::Value combineLanes(LaneBuilder &b, mlir::Value lanes,
                         llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> combine);

/// How a thread group combines the terms of `op`.
Combination combinationOf(LaneBuilder &b, ReductionFormInterface op);

/// Whether an op looks at whole rows or columns, whatever it makes of them.
bool isRowOp(mlir::Operation *op);

/// Elements of a tensor of `elements` that a thread group may take at once in blocks of `block`: a divisor of both, at
/// most 64.
int64_t blockGranule(int64_t block, int64_t elements);

/// Result `index` of a blocks op, in registers. `elements`, unless it is null, are those of the operand, which must
/// walk evenly and have the granule of the op's own.
mlir::FailureOr<mlir::Value> buildBlockOf(KernelFunction &f, ThreadGroup &group, Elements &values,
                                          BlocksFormInterface op, mlir::Value index, mlir::Value elements = {});

/// The results of one reduction over dimensions that follow each other, [matrices, rows, columns] to [matrices,
/// columns], with what is yielded of it.
struct ColumnRoot {
  ReductionFormInterface op;
  llvm::SmallVector<unsigned> results;
  int64_t matrices = 1, rows = 1, columns = 1;

  /// The number of row `row` of matrix `matrix`, whose first is `first`, among the rows of all.
  mlir::Value numberOf(KernelFunction &f, Elements &values, mlir::Value matrix, mlir::Value first,
                       mlir::Value row) const;
  /// How many blocks of `size` columns a matrix has.
  int64_t blocksOfMatrix(int64_t size) const { return static_cast<int64_t>(llvm::divideCeil(columns, size)); }
};

/// The roots of a column kernel, or an error where a yield depends on none, or an op is none that such a kernel makes.
mlir::FailureOr<llvm::SmallVector<ColumnRoot>> findColumnRoots(KernelFunction &f);

/// emit(root, block of the root) for every root of a column kernel, in so many blocks. Gives the number of blocks, or
/// fails as findColumnRoots does.
mlir::FailureOr<int64_t>
forColumnRoots(KernelFunction &f, llvm::function_ref<int64_t(const ColumnRoot &root)> countBlocks,
               llvm::function_ref<mlir::LogicalResult(const ColumnRoot &root, mlir::Value block)> emit);

/// Builds what the root needs once, and says whether its columns can be walked.
mlir::FailureOr<bool> prepareColumns(KernelFunction &f, Elements &values, const ColumnRoot &root);

/// Stores what is yielded of a root whose combined lanes are at `here`.
mlir::LogicalResult finishColumns(KernelFunction &f, Elements &values, const ColumnRoot &root, mlir::Value combined,
                                  const Lanes &here);

/// The op that yields result `index` of a kernel of partial results, or an error where it is another.
mlir::FailureOr<BlocksFormInterface> findBlocksOp(KernelFunction &f, unsigned index);

/// Block `block` of result `index` of a kernel of partial results, by a thread group; `elements` as buildBlockOf has
/// them.
mlir::LogicalResult emitPartialResult(KernelFunction &f, ThreadGroup &group, unsigned index, mlir::Value block,
                                      mlir::Value elements = {});

/// A kernel of partial results: a thread group for each block of the grid. Gives the number of blocks.
mlir::FailureOr<int64_t> emitPartialResults(KernelFunction &f, ThreadGroup &group);

} // namespace mp

#endif // MP_LIB_CODEGEN_EMIT_REDUCE_H
