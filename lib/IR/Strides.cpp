// How neighbours in one tensor lie in another.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/IR/Strides.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace mp;

Sizes mp::rowMajorStrides(ArrayRef<int64_t> shape) {
  Sizes strides(shape.size());
  int64_t stride = 1;
  for (size_t dim = shape.size(); dim-- > 0; stride *= shape[dim])
    strides[dim] = stride;
  return strides;
}

Sizes mp::broadcastStrides(ArrayRef<int64_t> shape, ArrayRef<int64_t> operand) {
  const size_t missing = shape.size() - operand.size();
  Sizes strides(shape.size(), 0), own = rowMajorStrides(operand);
  for (size_t dim = 0; dim < operand.size(); ++dim)
    strides[missing + dim] = operand[dim] == 1 ? 0 : own[dim];
  return strides;
}

Sizes mp::transposeStrides(ArrayRef<int64_t> operand, ArrayRef<int64_t> permutation) {
  Sizes strides, own = rowMajorStrides(operand);
  for (int64_t dim : permutation)
    strides.push_back(own[dim]);
  return strides;
}

std::optional<Sizes> mp::broadcastStrides(OpOperand &operand) {
  auto shapeOf = [](Value tensor) { return cast<RankedTensorType>(tensor.getType()).getShape(); };
  ArrayRef<int64_t> result = shapeOf(operand.getOwner()->getResult(0)), own = shapeOf(operand.get());
  return result == own ? std::nullopt : std::optional(broadcastStrides(result, own));
}
