// Reductions where a product is made.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_KERNELS_SCHEDULE_TILERESULTS_H
#define MP_LIB_KERNELS_SCHEDULE_TILERESULTS_H

#include "mp/IR/MP.h"

#include "llvm/ADT/SetVector.h"

namespace mp {

/// Has the moments of a scheduled product's rows, and what reads them, be of the blocks of its schedule. Gives the
/// kernels that read them, which have another shape now.
llvm::SetVector<KernelOp> cutMoments(KernelOp kernel);

/// Moves reductions of a kernel that read what a scheduled product makes into the product's kernel, where the values
/// are in registers: sums over rows become mp.sum_row_blocks, of which the kernel adds up the few rows that are left,
/// and mp.nonfinite_blocks becomes mp.nonfinite_tiles. Gives the kernel that takes the place of `kernel`, null where
/// nothing is left of it.
KernelOp moveToProducts(KernelOp kernel);

} // namespace mp

#endif // MP_LIB_KERNELS_SCHEDULE_TILERESULTS_H
