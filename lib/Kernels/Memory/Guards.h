// Kernels that a skipped step need not run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_KERNELS_MEMORY_GUARDS_H
#define MP_LIB_KERNELS_MEMORY_GUARDS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mp/IR/MP.h"

namespace mp {

/// Finds kernels of one function that leave their results as they are on a skipped step.
class GuardFinder {
public:
  explicit GuardFinder(mlir::func::FuncOp func);

  /// The number of the input of `kernel` that is at least 0 on a step on which every result has the bits that its
  /// buffer already has; nothing where a result has others. The kernel has its buffers.
  std::optional<unsigned> find(KernelOp kernel) const;

private:
  mlir::func::FuncOp func;
  llvm::DenseMap<mlir::StringAttr, DerivedAttr> derivedStates;
};

} // namespace mp

#endif // MP_LIB_KERNELS_MEMORY_GUARDS_H
