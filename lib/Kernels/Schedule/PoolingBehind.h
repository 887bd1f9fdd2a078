// The pooling that reads what a product makes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_KERNELS_SCHEDULE_POOLINGBEHIND_H
#define MP_LIB_KERNELS_SCHEDULE_POOLINGBEHIND_H

#include "mp/Analysis/Pooled.h"

namespace mp {

/// A kernel that pools, and the input that is pooled.
struct PoolingBehind {
  KernelOp kernel;
  mlir::BlockArgument image;
  Pooled pooled;
};

/// The kernel that alone reads what `product` makes and may become part of it where blocks of its schedule have whole
/// windows: a pooling, with maps behind it.
std::optional<PoolingBehind> findPoolingBehind(KernelOp product);

} // namespace mp

#endif // MP_LIB_KERNELS_SCHEDULE_POOLINGBEHIND_H
