// A matrix product as two kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_KERNELS_SCHEDULE_SPLITCONTRACTION_H
#define MP_LIB_KERNELS_SCHEDULE_SPLITCONTRACTION_H

#include "mp/IR/MP.h"

namespace mp {

/// Replaces a kernel with one mp.matmul by one that sums parts of `depth` of k into a value of its own, and one that
/// adds these up in order and does what followed the product. Sums of parts have type `partType` in memory. Gives both,
/// in this order.
llvm::SmallVector<KernelOp, 2> splitContraction(KernelOp kernel, int64_t depth, mlir::Type partType);

} // namespace mp

#endif // MP_LIB_KERNELS_SCHEDULE_SPLITCONTRACTION_H
