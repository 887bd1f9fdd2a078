// Where values of a program of kernels lie.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_KERNELS_MEMORY_BUFFERS_H
#define MP_LIB_KERNELS_MEMORY_BUFFERS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mp/IR/MP.h"

namespace mp {

/// The state that argument `value` holds, or null if it is no argument or no state.
mlir::StringAttr getStateName(mlir::func::FuncOp func, mlir::Value value);

/// The bytes of all state that a program reads or writes.
int64_t countStateBytes(mlir::func::FuncOp func);

/// Where result `index` of a program lies: in the state of which it is the next value, or in itself.
mlir::Attribute getResultBuffer(mlir::func::FuncOp func, unsigned index);

/// The buffer that a kernel or copy gave to `value`, or null for arguments, constants and what was not planned.
mlir::Attribute getBuffer(mlir::Value value);

/// Whether `kernel` reads its input `input` only at the index at which it writes its result `result`, so that both may
/// be the same bytes: an elementwise way leads from the input to all that depends on it.
bool canUpdateInPlace(KernelOp kernel, unsigned input, unsigned result);

} // namespace mp

#endif // MP_LIB_KERNELS_MEMORY_BUFFERS_H
