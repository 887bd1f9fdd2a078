// What a kernel is, from its ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_KERNELS_FORMING_KERNELKIND_H
#define MP_LIB_KERNELS_FORMING_KERNELKIND_H

#include "mp/IR/MP.h"

namespace mp {

/// Elements up to which a reduction to a scalar is left to a single block, together with what is done to the scalar.
inline constexpr int64_t kMostSerialElements = 65536;

/// The kind of a kernel that holds nothing but `op`, which is no composite.
KernelKind getKindAlone(mlir::Operation *op);

/// The kind of a kernel by its body: what its roots have in common.
KernelKind getKernelKind(KernelOp kernel);

} // namespace mp

#endif // MP_LIB_KERNELS_FORMING_KERNELKIND_H
