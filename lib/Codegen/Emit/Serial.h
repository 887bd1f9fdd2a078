// One block that runs op after op.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_EMIT_SERIAL_H
#define MP_LIB_CODEGEN_EMIT_SERIAL_H

#include "Codegen/Emit/ThreadGroup.h"

namespace mp {

/// Every op of the kernel in order, by `block`.
mlir::LogicalResult emitSerially(KernelFunction &f, ThreadBlock &block);

} // namespace mp

#endif // MP_LIB_CODEGEN_EMIT_SERIAL_H
