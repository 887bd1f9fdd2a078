// Ops that could come in another order of dimensions together.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_TRANSFORMS_CANCELTRANSPOSES_REGION_H
#define MP_LIB_TRANSFORMS_CANCELTRANSPOSES_REGION_H

#include "mp/IR/Orders.h"

#include "llvm/ADT/MapVector.h"

namespace mp {

using Order = llvm::SmallVector<int64_t>;

/// Ops that follow from one value in another order of its dimensions: who makes and reads it, if they may be reordered,
/// who makes and reads their values, and so on, up to ops that keep their order. Each value has one other order.
struct ReorderedRegion {
  llvm::MapVector<mlir::Operation *, DimensionOrders> ops;
  /// Their operands and results in whose other order the bytes are others.
  llvm::MapVector<mlir::Value, Order> values;
};

ReorderedRegion growRegion(mlir::Value value, llvm::ArrayRef<int64_t> order);

/// Which ops of the region have to be reordered so that the fewest transposes are left, and of as many those of the
/// fewest elements; none where that saves nothing.
llvm::SmallVector<mlir::Operation *> chooseReordered(const ReorderedRegion &region);

/// The value of a constant that is known in any order, or null: the same everywhere, or small.
mlir::DenseElementsAttr findMovableConstant(mlir::Value value);

} // namespace mp

#endif // MP_LIB_TRANSFORMS_CANCELTRANSPOSES_REGION_H
