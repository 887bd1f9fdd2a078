// Ops whose dimensions come in another order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An order is a permutation as mp.transpose has it: dimension i is what was dimension order[i].

#ifndef MP_IR_ORDERS_H
#define MP_IR_ORDERS_H

#include "mp/IR/MP.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

namespace mp {

/// `values`, one for each dimension, in an order.
template <typename T> llvm::SmallVector<T> inOrder(llvm::ArrayRef<T> values, llvm::ArrayRef<int64_t> order) {
  return llvm::map_to_vector(order, [&](int64_t dimension) { return values[dimension]; });
}

/// Whether a tensor of this shape has the same bytes in another order, since only sizes of 1 move.
bool isSameInOrder(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> order);

/// Has the attributes of `op` say of its dimensions in `orders`, those that `OrderOpInterface` infers, what they say of
/// them now.
void reorderAttributes(mlir::Operation *op, const DimensionOrders &orders);

} // namespace mp

#endif // MP_IR_ORDERS_H
