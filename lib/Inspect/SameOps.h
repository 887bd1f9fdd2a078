// Ops of one model under two policies.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_INSPECT_SAMEOPS_H
#define MP_LIB_INSPECT_SAMEOPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include "llvm/ADT/StringMap.h"

namespace mp {

/// Whether autocast wrote the op: a cast, which another policy has elsewhere or not at all.
bool isAutocasts(mlir::Operation *op);

/// Finds the op of one program that another has under another policy: by its name, its place and how many such there
/// are before it.
class SameOps {
public:
  explicit SameOps(mlir::func::FuncOp program);

  /// The op of `program` with the key, or null.
  mlir::Operation *find(llvm::StringRef key) const { return ops.lookup(key); }
  /// The key of an op of `program`; empty where autocast wrote it.
  llvm::StringRef keyOf(mlir::Operation *op) const { return keys.lookup(op); }

private:
  llvm::StringMap<mlir::Operation *> ops;
  llvm::DenseMap<mlir::Operation *, llvm::StringRef> keys;
};

} // namespace mp

#endif // MP_LIB_INSPECT_SAMEOPS_H
