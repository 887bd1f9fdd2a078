// Ops written in the orders of dimensions that were chosen.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_TRANSFORMS_CANCELTRANSPOSES_REWRITE_H
#define MP_LIB_TRANSFORMS_CANCELTRANSPOSES_REWRITE_H

#include "Transforms/CancelTransposes/OrderGraph.h"

namespace mp {

/// Has the ops of a function compute in the orders that its graph has for them; the graph is not the function's then.
/// Each tensor is transposed once for each layout in which it is read and not made. Returns how many ops are others.
size_t rewriteInOrders(mlir::func::FuncOp func, const OrderGraph &graph);

} // namespace mp

#endif // MP_LIB_TRANSFORMS_CANCELTRANSPOSES_REWRITE_H
