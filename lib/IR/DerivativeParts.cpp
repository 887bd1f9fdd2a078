// What rules of derivatives are made of.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IR/DerivativeParts.h"

using namespace mlir;
using namespace mp;
using namespace mp::derivatives;

Value derivatives::scalar(LocBuilder &b, Value like, double value) {
  auto type = RankedTensorType::get({}, typeOf(like).getElementType());
  return ConstantOp::create(b, type, DenseElementsAttr::get(type, b.getFloatAttr(type.getElementType(), value)));
}

Value derivatives::negate(LocBuilder &b, Value value) { return mul(b, value, scalar(b, value, -1.0)); }

Value derivatives::reshapeTo(LocBuilder &b, Value value, ArrayRef<int64_t> shape) {
  RankedTensorType type = typeOf(value);
  return type.getShape() == shape ? value : ReshapeOp::create(b, type.clone(shape), value).getResult();
}

Value derivatives::sumTo(LocBuilder &b, Value gradient, RankedTensorType target) {
  ArrayRef<int64_t> shape = typeOf(gradient).getShape();
  int64_t lead = static_cast<int64_t>(shape.size()) - target.getRank();
  SmallVector<int64_t> repeated;
  for (int64_t dimension : llvm::seq<int64_t>(0, shape.size()))
    if (dimension < lead || (target.getDimSize(dimension - lead) == 1 && shape[dimension] != 1))
      repeated.push_back(dimension);
  if (!repeated.empty())
    gradient = ReduceSumOp::create(b, gradient, repeated);
  return reshapeTo(b, gradient, target.getShape());
}

SmallVector<int64_t> derivatives::keptShape(RankedTensorType type, ArrayRef<int64_t> dimensions) {
  SmallVector<int64_t> shape(type.getShape());
  for (int64_t dimension : dimensions)
    shape[dimension] = 1;
  return shape;
}

Value derivatives::spread(LocBuilder &b, Value value, RankedTensorType input, ArrayRef<int64_t> dimensions) {
  Value kept = reshapeTo(b, value, keptShape(input, dimensions));
  auto type = typeOf(value).clone(input.getShape());
  return typeOf(kept) == type ? kept : BroadcastOp::create(b, type, kept, Value()).getResult();
}
