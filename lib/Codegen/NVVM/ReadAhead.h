// What a thread reads before it knows whether it needs it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An update waits for memory again and again: for the guard, for the step from which one thread makes what all share,
// for the elements. None of these reads needs another one, so that elements are asked for first, and waited for behind
// the barrier:
//
//   guard | pointers | elements | shared parts, barrier | test of the guard | results
//
// A step that is skipped reads in vain; few are.

#ifndef MP_LIB_CODEGEN_NVVM_READAHEAD_H
#define MP_LIB_CODEGEN_NVVM_READAHEAD_H

#include "Codegen/Emit/Nests.h"
#include "Codegen/NVVM/GPUFunction.h"

namespace mp {

/// Block `block` of a nest of which each thread has one vector, and the last block some threads an element of what is
/// left of the last one. `elements`, unless it is null, are how many the nest has.
class ReadAhead {
public:
  ReadAhead(GPUFunction &f, const Nest &nest, int64_t vector, mlir::Value block, mlir::Value elements);

  /// Reads the vectors of what the nest reads at each element of its own.
  mlir::LogicalResult read();
  /// The results, unless `guard` says that the step is skipped. `values` have their inputs bound, `body` is theirs.
  mlir::LogicalResult emit(Elements &values, NestBody &body, mlir::Value guard);

private:
  mlir::Value pointerOf(mlir::Value argument);
  mlir::Value noneOf(mlir::Value argument);

  GPUFunction &f;
  const int64_t vector;
  mlir::Value elements, whole, first, isOurs, isLast;
  llvm::SmallVector<mlir::Value> arguments, vectorsRead;
};

} // namespace mp

#endif // MP_LIB_CODEGEN_NVVM_READAHEAD_H
