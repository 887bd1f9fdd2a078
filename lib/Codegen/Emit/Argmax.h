// The place of the largest element.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_EMIT_ARGMAX_H
#define MP_LIB_CODEGEN_EMIT_ARGMAX_H

#include "Codegen/Emit/ThreadGroup.h"

namespace mp {

/// The number, of the register type of the op's result, of the first of `size` elements that is larger than all before
/// it, or NaN.
mlir::FailureOr<mlir::Value> buildArgmax(KernelFunction &f, Elements &values, ThreadGroup &group, ArgmaxOp op,
                                         int64_t size,
                                         llvm::function_ref<mlir::FailureOr<mlir::Value>(mlir::Value number)> get);

} // namespace mp

#endif // MP_LIB_CODEGEN_EMIT_ARGMAX_H
