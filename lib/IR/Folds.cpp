// Ops that need no computation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Only what keeps every bit: folding never drops a rounding.

#include "mp/IR/MP.h"

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

// No part of a dimension is as long as it.
OpFoldResult SliceOp::fold(FoldAdaptor) { return unchanged(getInput(), getType()); }
OpFoldResult PadOp::fold(FoldAdaptor) { return unchanged(getInput(), getType()); }
OpFoldResult TileOp::fold(FoldAdaptor) { return unchanged(getInput(), getType()); }
OpFoldResult ConcatOp::fold(FoldAdaptor) {
  return getInputs().size() == 1 ? unchanged(getInputs().front(), getType()) : Value();
}
