// How neighbours in one tensor lie in another.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_IR_STRIDES_H
#define MP_IR_STRIDES_H

#include "mlir/IR/Operation.h"

#include <optional>

namespace mp {

/// One for each dimension, in elements.
using Sizes = llvm::SmallVector<int64_t, 4>;

/// Row-major strides of `shape`.
Sizes rowMajorStrides(llvm::ArrayRef<int64_t> shape);

/// The strides with which `shape`'s dimensions walk an operand of shape `operand` that broadcasts to it.
Sizes broadcastStrides(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> operand);

/// The strides with which the dimensions of a transpose's result walk its operand.
Sizes transposeStrides(llvm::ArrayRef<int64_t> operand, llvm::ArrayRef<int64_t> permutation);

/// The strides with which the dimensions of an op's first result walk an operand that broadcasts to it; nothing where
/// both have one shape.
std::optional<Sizes> broadcastStrides(mlir::OpOperand &operand);

} // namespace mp

#endif // MP_IR_STRIDES_H
