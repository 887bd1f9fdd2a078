// Kernels of one kind that do not depend on each other become one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The level of a group in a kind is the most groups of that kind on a way to it, itself included. Two groups of the
// kind with the same level do not depend on each other. All groups of one level can become one without making a circle:
// a way out of a merged group and back would lead from one of its members to another, hence to a higher level. The same
// holds for any part of a level, and for all levels at once, since ways only ever lead to higher levels.
//
// A pooling that may move to the product before it stays apart: in one map with others it could not.

#include "Kernels/Forming/Groups.h"
#include "mp/Analysis/Pooled.h"

#include "llvm/ADT/EquivalenceClasses.h"

#include <map>

using namespace mlir;
using namespace mp;

/// The level of each group, where `counts(group)` says which groups count.
template <typename Counts>
static std::vector<unsigned> computeLevels(ArrayRef<SmallVector<unsigned>> reads, Counts counts) {
  std::vector<unsigned> levels(reads.size(), 0);
  for (unsigned group : sortByReads(reads, [](unsigned) { return GroupRank(); })) {
    for (unsigned read : reads[group])
      levels[group] = std::max(levels[group], levels[read]);
    levels[group] += counts(group);
  }
  return levels;
}

/// The pooling of a group; none where it has several, which have no place in one product.
static PoolingOpInterface findPooling(const Group &group) {
  PoolingOpInterface found;
  for (Operation *op : group.ops)
    if (auto pooling = dyn_cast<PoolingOpInterface>(op)) {
      if (found)
        return {};
      found = pooling;
    }
  return found;
}

/// Whether a group pools what a product makes for it alone: alone in its kernel it can become part of the product's.
static bool mayJoinProduct(const Grouping &grouping, const Group &group) {
  PoolingOpInterface pooling = group.kind == KernelKind::Map ? findPooling(group) : PoolingOpInterface();
  Value image = pooling ? pooling->getOperand(0) : Value();
  if (!image || !image.hasOneUse() || !image.getDefiningOp())
    return false;
  const std::optional<unsigned> producer = grouping.getProducer(image);
  if (!producer || grouping.getGroups()[*producer].kind != KernelKind::Contraction)
    return false;
  auto isMadeForIt = [&](Operation *op) {
    auto product = dyn_cast<ContractionOpInterface>(op);
    return (!product || mayPoolResult(product.getContraction(), image)) &&
           llvm::all_of(op->getUses(), [&](OpOperand &use) {
             return use.get() == image || (use.getOwner()->getNumResults() > 0 &&
                                           grouping.getProducer(use.getOwner()->getResult(0)) == producer);
           });
  };
  return llvm::all_of(grouping.getGroups()[*producer].ops, isMadeForIt);
}

/// Merges all groups like `wanted` that have one level, or, where every group counts for the level, one depth.
static void mergeLevels(Grouping &grouping, const Group &wanted, bool everyGroupCounts = false) {
  const std::vector<Group> &groups = grouping.getGroups();
  std::vector<unsigned> levels = computeLevels(
      getReads(grouping), [&](unsigned group) { return everyGroupCounts || groups[group].isLike(wanted); });
  DenseMap<unsigned, unsigned> first;
  for (unsigned group = 0; group < groups.size(); ++group) {
    if (!groups[group].isLike(wanted) || groups[group].ops.empty() || mayJoinProduct(grouping, groups[group]))
      continue;
    auto [found, inserted] = first.try_emplace(levels[group], group);
    if (!inserted)
      grouping.merge(found->second, group);
  }
}

/// Merges rows of one shape that read one tensor of that shape, or several of one kernel: a loss, its gradient and a
/// metric of the logits and of the cast logits.
static void mergeRows(Grouping &grouping) {
  const std::vector<Group> &groups = grouping.getGroups();
  std::vector<unsigned> levels =
      computeLevels(getReads(grouping), [&](unsigned group) { return groups[group].kind == KernelKind::Row; });
  // What a tensor comes from: its producer, or the tensor itself.
  auto originOf = [&](Value tensor) {
    std::optional<unsigned> producer = grouping.getProducer(tensor);
    return (producer ? groups[*producer].ops.front()->getResult(0) : tensor).getAsOpaquePointer();
  };
  llvm::EquivalenceClasses<unsigned> classes;
  std::map<std::tuple<const void *, unsigned, ArrayRef<int64_t>>, unsigned> readers;
  for (unsigned group = 0; group < groups.size(); ++group) {
    if (groups[group].kind != KernelKind::Row || groups[group].ops.empty())
      continue;
    classes.insert(group);
    ArrayRef<int64_t> shape = groups[group].shape;
    for (Value input : grouping.getInputs(group)) {
      if (cast<RankedTensorType>(input.getType()).getShape() != shape)
        continue;
      auto [found, inserted] = readers.try_emplace({originOf(input), levels[group], shape}, group);
      if (!inserted)
        classes.unionSets(found->second, group);
    }
  }
  for (unsigned group = 0; group < groups.size(); ++group)
    if (classes.contains(group) && classes.getLeaderValue(group) != group)
      grouping.merge(classes.getLeaderValue(group), group);
}

void mp::mergeIndependentGroups(Grouping &grouping) {
  mergeRows(grouping);
  mergeLevels(grouping, {KernelKind::Column});
  mergeLevels(grouping, {KernelKind::Partial});
  mergeLevels(grouping, {KernelKind::Serial});
  mergeLevels(grouping, {KernelKind::Map, {}, /*updates=*/true});
  mergeLevels(grouping, {KernelKind::Map}, /*everyGroupCounts=*/true);
}
