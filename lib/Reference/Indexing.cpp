// Where elements lie in row-major order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reference/Indexing.h"

#include "llvm/ADT/STLExtras.h"

#include <cstring>

using namespace mp;

int64_t mp::elementsOf(const Shape &shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

Shape mp::rowMajorStrides(const Shape &shape) {
  Shape strides(shape.size());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0; stride *= shape[i])
    strides[i] = stride;
  return strides;
}

std::vector<int64_t> mp::locate(const Shape &shape, const Shape &strides) {
  std::vector<int64_t> locations;
  const int64_t count = elementsOf(shape);
  locations.reserve(count);
  Shape index(shape.size(), 0);
  int64_t location = 0;
  while (static_cast<int64_t>(locations.size()) < count) {
    locations.push_back(location);
    for (size_t i = shape.size(); i-- > 0;) {
      location += strides[i];
      if (++index[i] < shape[i])
        break;
      location -= strides[i] * shape[i];
      index[i] = 0;
    }
  }
  return locations;
}

std::vector<int64_t> mp::broadcastSources(const Shape &from, const Shape &to) {
  Shape strides(to.size(), 0);
  const Shape own = rowMajorStrides(from);
  for (size_t i = 0; i < from.size(); ++i)
    if (from[i] != 1)
      strides[to.size() - from.size() + i] = own[i];
  return locate(to, strides);
}

std::vector<int64_t> mp::reductionTargets(const Shape &from, llvm::ArrayRef<int64_t> dimensions) {
  Shape kept = from;
  for (int64_t dimension : dimensions)
    kept[dimension] = 1;
  Shape strides = rowMajorStrides(kept);
  for (int64_t dimension : dimensions)
    strides[dimension] = 0;
  return locate(from, strides);
}

Tensor mp::gather(const Tensor &tensor, const std::vector<int64_t> &sources, TensorTypeT type) {
  Tensor result = Tensor::zeros(std::move(type));
  const uint64_t width = elementBytes(tensor.type.element);
  for (size_t i = 0; i < sources.size(); ++i)
    std::memcpy(&result.bytes[i * width], &tensor.bytes[sources[i] * width], width);
  return result;
}
