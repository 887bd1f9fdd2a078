// One block that runs op after op.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_EMIT_SERIAL_H
#define MP_LIB_CODEGEN_EMIT_SERIAL_H

#include "Codegen/Emit/ThreadGroup.h"

namespace mp {

/// Every op of the kernel in order, by `block`. With `keepsRows` the exponentials of a softmax are kept in its memory.
mlir::LogicalResult emitSerially(KernelFunction &f, ThreadBlock &block, bool keepsRows);

} // namespace mp

#endif // MP_LIB_CODEGEN_EMIT_SERIAL_H
