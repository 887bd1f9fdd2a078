// Ops that need no computation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only what keeps every bit: folding never drops a rounding.

#include "mp/IR/Folds.h"

using namespace mlir;
using namespace mp;

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

OpFoldResult CastOp::fold(FoldAdaptor) {
  // A cast to the type it has; a pair of casts rounds and stays.
  return getInput().getType() == getType() ? getInput() : Value();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  if (getInput().getType() == getType())
    return getInput();
  // reshape(reshape(x)) -> reshape(x), where no open size hides behind the first.
  if (auto first = getInput().getDefiningOp<ReshapeOp>()) {
    bool isStatic = cast<ShapedType>(first.getInput().getType()).hasStaticShape();
    if (isStatic && first.getInput() != getInput()) {
      getInputMutable().assign(first.getInput());
      return getResult();
    }
  }
  return {};
}

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  ArrayRef<int64_t> permutation = getPermutation();
  if (llvm::all_of(llvm::enumerate(permutation),
                   [](auto it) { return it.value() == static_cast<int64_t>(it.index()); }))
    return getInput();
  auto first = getInput().getDefiningOp<TransposeOp>();
  if (!first)
    return {};
  // transpose(transpose(x)): dimension i of the result is dimension first[second[i]] of x.
  SmallVector<int64_t> composed =
      llvm::map_to_vector(permutation, [&](int64_t dimension) { return first.getPermutation()[dimension]; });
  setPermutation(composed);
  getInputMutable().assign(first.getInput());
  return getResult();
}

OpFoldResult BroadcastOp::fold(FoldAdaptor) {
  auto type = cast<RankedTensorType>(getType());
  return getInput().getType() == type && type.hasStaticShape() ? getInput() : Value();
}

/// `input` where an op gives it as it is: with a static shape, behind which no open size hides.
static Value unchanged(Value input, Type result) {
  return input.getType() == result && cast<ShapedType>(result).hasStaticShape() ? input : Value();
}

/// One range of a dimension.
struct Range {
  int64_t start = 0, limit = SliceOp::kEnd, stride = 1;

  static Range of(SliceOp op, size_t dimension) {
    return {op.getStarts()[dimension], op.getLimits()[dimension], op.getStrides()[dimension]};
  }
  bool isWhole() const { return start == 0 && limit == SliceOp::kEnd && stride == 1; }
};

/// The range of the first one's operand that `second` takes of what `first` takes, `size` elements; nothing where the
/// operand's size is open and a part of it is taken.
static std::optional<Range> compose(const Range &first, const Range &second, int64_t size, bool isOpen) {
  if (second.isWhole())
    return first;
  if (isOpen || ShapedType::isDynamic(size))
    return std::nullopt;
  if (first.isWhole())
    return second;
  if (size == 0)
    return Range{0, 0, 1};
  const int64_t start = first.start + second.start * first.stride;
  if (size == 1) // strides need not fit in 64 bits together
    return Range{start, start + 1, 1};
  const int64_t stride = first.stride * second.stride;
  const bool isToEnd = stride == 1 && first.limit == SliceOp::kEnd && second.limit == SliceOp::kEnd;
  return Range{start, isToEnd ? SliceOp::kEnd : start + (size - 1) * stride + 1, stride};
}

OpFoldResult SliceOp::fold(FoldAdaptor) {
  // No part of a dimension is as long as it.
  if (Value input = unchanged(getInput(), getType()))
    return input;
  auto first = getInput().getDefiningOp<SliceOp>();
  if (!first || first == *this)
    return {};
  SmallVector<int64_t> starts, limits, strides;
  for (auto [dimension, size] : llvm::enumerate(getType().getShape())) {
    const bool isOpen = cast<ShapedType>(first.getInput().getType()).isDynamicDim(dimension);
    std::optional<Range> range = compose(Range::of(first, dimension), Range::of(*this, dimension), size, isOpen);
    if (!range)
      return {};
    starts.push_back(range->start);
    limits.push_back(range->limit);
    strides.push_back(range->stride);
  }
  setStarts(starts);
  setLimits(limits);
  setStrides(strides);
  getInputMutable().assign(first.getInput());
  return getResult();
}

void mp::foldSlices(Operation *root) {
  root->walk([](SliceOp op) {
    SmallVector<OpFoldResult, 1> values;
    if (failed(op->fold(values)) || values.empty())
      return;
    op.replaceAllUsesWith(cast<Value>(values.front()));
    op.erase();
  });
}

void mp::dropGradientRules(Operation *root) {
  root->walk([](Operation *op) {
    if (!op->hasTrait<mp::OpTrait::GivesFirstOperand>())
      return;
    op->getResult(0).replaceAllUsesWith(op->getOperand(0));
    op->erase();
  });
}

OpFoldResult PadOp::fold(FoldAdaptor) { return unchanged(getInput(), getType()); }
OpFoldResult TileOp::fold(FoldAdaptor) { return unchanged(getInput(), getType()); }
OpFoldResult ConcatOp::fold(FoldAdaptor) {
  return getInputs().size() == 1 ? unchanged(getInputs().front(), getType()) : Value();
}
