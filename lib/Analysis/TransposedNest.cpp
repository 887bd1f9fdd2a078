// Maps that transpose matrices.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Analysis/TransposedNest.h"

#include "mp/IR/Tiles.h"

using namespace mlir;
using namespace mp;

int64_t TransposedNest::elementBytes() const {
  int64_t bytes = 1;
  for (TransposeOp op : transposes)
    bytes = std::max<int64_t>(bytes, typeOf(op.getInput()).getElementTypeBitWidth() / 8);
  return bytes;
}

int64_t TransposedNest::sharedBytes(int64_t tile) const {
  int64_t bytes = 0;
  for (TransposeOp op : transposes)
    bytes += tile * (tile + 1) * std::max<int64_t>(typeOf(op.getInput()).getElementTypeBitWidth() / 8, 1);
  return bytes;
}

int64_t TransposedNest::tiles(int64_t tile) const { return countTiles({batch, rows, columns}, tile, tile); }

/// The matrices of a transpose: nothing where it does more, or less, than exchange rows and columns.
static std::optional<TransposedNest> matricesOf(TransposeOp op) {
  // Groups of dimensions of the result that are neighbours in the operand, too: where they start there, and their size.
  SmallVector<std::pair<int64_t, int64_t>> groups;
  int64_t next = -1;
  ArrayRef<int64_t> shape = typeOf(op.getResult()).getShape(), operandShape = typeOf(op.getInput()).getShape();
  for (auto [size, from] : llvm::zip_equal(shape, op.getPermutation())) {
    if (size == 1)
      continue;
    // Dimensions of size 1 between the two do not part them.
    while (next >= 0 && next < from && operandShape[next] == 1)
      ++next;
    if (from == next)
      groups.back().second *= size;
    else
      groups.emplace_back(from, size);
    next = from + 1;
  }
  TransposedNest nest;
  if (groups.size() == 3 && groups[0].first < groups[2].first && groups[2].first < groups[1].first) {
    nest.batch = groups.front().second;
    groups.erase(groups.begin());
  }
  if (groups.size() != 2 || groups[0].first < groups[1].first)
    return std::nullopt;
  nest.rows = groups[0].second;
  nest.columns = groups[1].second;
  return nest;
}

/// Whether everything that depends on `op` in its kernel computes the same elements that it does.
static bool staysInPlace(TransposeOp op) {
  ArrayRef<int64_t> shape = typeOf(op.getResult()).getShape();
  DenseSet<Value> derived = {op.getResult()};
  for (Operation &other : op->getBlock()->without_terminator()) {
    if (llvm::none_of(other.getOperands(), [&](Value operand) { return derived.contains(operand); }))
      continue;
    const bool isSame = roleOf(&other) == KernelRole::Map && llvm::all_of(other.getResults(), [&](Value result) {
                          return typeOf(result).getShape() == shape;
                        });
    if (!isSame)
      return false;
    derived.insert(other.result_begin(), other.result_end());
  }
  return true;
}

/// The least rows and columns that are worth a tile.
static constexpr int64_t kLeastSize = 16;

std::optional<TransposedNest> mp::findTransposedNest(KernelOp kernel, ArrayRef<int64_t> shape) {
  std::optional<TransposedNest> found;
  for (auto op : kernel.getBody().front().getOps<TransposeOp>()) {
    if (typeOf(op.getResult()).getShape() != shape)
      continue;
    std::optional<TransposedNest> own = matricesOf(op);
    if (!own || std::min(own->rows, own->columns) < kLeastSize || !staysInPlace(op))
      continue;
    if (!found)
      found = own;
    if (std::tie(own->batch, own->rows, own->columns) == std::tie(found->batch, found->rows, found->columns))
      found->transposes.push_back(op);
  }
  return found;
}
