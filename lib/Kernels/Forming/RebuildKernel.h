// A kernel made of the ops of others.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_KERNELS_FORMING_REBUILDKERNEL_H
#define MP_LIB_KERNELS_FORMING_REBUILDKERNEL_H

#include "mp/IR/MP.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mp {

/// A new kernel, before an old one, that gets what it needs of this and of others: ops are cloned and inputs added
/// where they are first asked for.
class RebuiltKernel {
public:
  RebuiltKernel(KernelOp old, mlir::TypeRange results, const llvm::Twine &name);

  /// What a value of an old kernel is in this one.
  mlir::Value get(mlir::Value value);
  /// The argument for a value outside, one for each.
  mlir::Value input(mlir::Value outside);
  /// What the values are in this kernel that `old` yields.
  llvm::SmallVector<mlir::Value> yieldsOf(KernelOp old);
  void yield(mlir::ValueRange values) { YieldOp::create(b, values); }
  /// Yields what `old` does, and takes its place.
  KernelOp replace(KernelOp old);

  KernelOp kernel;
  mlir::ImplicitLocOpBuilder b;
  mlir::IRMapping inside;

private:
  llvm::DenseMap<mlir::Value, mlir::Value> inputs;
};

} // namespace mp

#endif // MP_LIB_KERNELS_FORMING_REBUILDKERNEL_H
