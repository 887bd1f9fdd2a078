// Ops over whole rows become what they are made of.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_EMIT_EXPANDROWS_H
#define MP_LIB_CODEGEN_EMIT_EXPANDROWS_H

#include "mp/IR/MP.h"

#include "mlir/IR/OwningOpRef.h"

namespace mp {

/// A copy of `kernel` in which each op with a RowFormInterface is expanded, and what two of them have in common stands
/// once; null where there is none.
mlir::OwningOpRef<KernelOp> expandRows(KernelOp kernel);

} // namespace mp

#endif // MP_LIB_CODEGEN_EMIT_EXPANDROWS_H
