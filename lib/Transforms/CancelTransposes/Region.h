// Ops that could compute in another order of dimensions together.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_TRANSFORMS_CANCELTRANSPOSES_REGION_H
#define MP_LIB_TRANSFORMS_CANCELTRANSPOSES_REGION_H

#include "Transforms/CancelTransposes/OrderGraph.h"

#include "llvm/ADT/SetVector.h"

#include <set>
#include <tuple>

namespace mp {

/// Whoever makes and reads a tensor in the layout `from` does so in the order `to`.
struct OrderChange {
  size_t tensor;
  Layout from;
  Order to;
};

/// Ops that follow from one change: who makes and reads the tensor so, if they may be reordered, who makes and reads
/// their values, and so on, up to ops that keep their order. A tensor that is read in several layouts has a change for
/// each.
struct ReorderedRegion {
  OpOrders ops;
  llvm::SmallVector<OrderChange> changes;
  llvm::SetVector<const GraphTensor *> tensors; ///< that the ops make and read
  size_t visits = 0;                            ///< of operands and results, to find them
};

/// The tensor, the layout that it has and the one that it would have, of each change that a region was grown from.
using FollowedChanges = std::set<std::tuple<size_t, Layout, Layout>>;

/// Grows the region of a change through others that are not among `followed`, and adds those to it.
ReorderedRegion growRegion(const OrderGraph &graph, OrderChange first, FollowedChanges &followed);

/// Those of the region's ops that have to be reordered so that the fewest transposes are left, and of as many those of
/// the fewest elements; none where that saves nothing.
OpOrders chooseReordered(const OrderGraph &graph, const ReorderedRegion &region);

} // namespace mp

#endif // MP_LIB_TRANSFORMS_CANCELTRANSPOSES_REGION_H
