// Walking a tensor with other strides.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Elements/Strides.h"

using namespace mp;
using llvm::ArrayRef;

Walk mp::follow(ArrayRef<int64_t> shape, ArrayRef<int64_t> operandStrides, int64_t stride) {
  if (stride == 0)
    return {0, 0};
  const Sizes own = rowMajorStrides(shape);
  // From the innermost dimension that this walk moves, outwards while the operand's step stays the same.
  Walk walk{0, 1};
  bool started = false;
  for (size_t dim = shape.size(); dim-- > 0;) {
    if (shape[dim] == 1 || own[dim] < stride)
      continue;
    if (own[dim] % stride != 0 || (!started && own[dim] != stride))
      break;
    const int64_t steps = own[dim] / stride; // of the walk for one of this dimension
    if (!started)
      walk.stride = operandStrides[dim];
    else if (operandStrides[dim] != walk.stride * steps)
      return walk;
    started = true;
    walk.run *= shape[dim];
  }
  // All dimensions that there are: the walk never ends.
  int64_t elements = 1;
  for (int64_t size : shape)
    elements *= size;
  if (started && walk.run * stride >= elements)
    walk.run = 0;
  return started || elements != 1 ? walk : Walk{0, 0};
}

llvm::SmallVector<DimensionGroup, 4> mp::groupDimensions(ArrayRef<int64_t> shape, ArrayRef<int64_t> operandStrides) {
  const Sizes own = rowMajorStrides(shape);
  llvm::SmallVector<DimensionGroup, 4> groups;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    if (shape[dim] == 1)
      continue;
    DimensionGroup group{shape[dim], own[dim], operandStrides[dim]};
    const bool continues = !groups.empty() && groups.back().outer == group.outer * group.size &&
                           groups.back().operandStride == group.operandStride * group.size;
    if (continues)
      group.size *= groups.pop_back_val().size;
    groups.push_back(group);
  }
  llvm::erase_if(groups, [](const DimensionGroup &group) { return group.operandStride == 0; });
  return groups;
}
