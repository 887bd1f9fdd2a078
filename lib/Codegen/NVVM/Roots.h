// What the blocks of a merged kernel compute.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A merged kernel has roots: results that some blocks compute and others do not, one root behind another in the grid.
// A kernel of few buffers has code for each. In one of many, whose buffers lie in memory, roots that are alike have one
// body between them, and a table:
//
//   first block of the root | its size | numbers of its buffers
//
// A block finds its row by its number, the pointers by the row, and runs the body on them. So neither parameters nor
// code grow with the roots.

#ifndef MP_LIB_CODEGEN_NVVM_ROOTS_H
#define MP_LIB_CODEGEN_NVVM_ROOTS_H

#include "Codegen/NVVM/GPUFunction.h"

#include "llvm/ADT/SetVector.h"

namespace mp {

/// Adds the values of its kernel that `value` is made of, itself among them.
void appendSources(mlir::Value value, llvm::SetVector<mlir::Value> &sources);

struct Root {
  llvm::SmallVector<unsigned> results;
  /// Of a root all of whose ops are elementwise, what it may differ in from others that are alike: elements, columns.
  int64_t size = 0;
  int64_t blocks = 0;
  /// What roots that are alike have in common, besides their ops and element types.
  std::string kind = {};
};

/// emit(root, size, block of the root) for every root, in so many blocks; for those that are alike once, for the
/// largest. `size` is null where it is that of `root`, else an i64. What roots set aside in shared memory they share.
/// Gives the number of blocks.
mlir::FailureOr<int64_t>
forRoots(GPUFunction &f, llvm::ArrayRef<Root> roots,
         llvm::function_ref<mlir::LogicalResult(unsigned root, mlir::Value size, mlir::Value block)> emit);

} // namespace mp

#endif // MP_LIB_CODEGEN_NVVM_ROOTS_H
