// Where elements lie in row-major order.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_REFERENCE_INDEXING_H
#define MP_LIB_REFERENCE_INDEXING_H

#include "mp/Reference/Tensor.h"

#include <span>

namespace mp {

using Shape = std::vector<int64_t>;

int64_t elementsOf(const Shape &shape);

/// For each element of a tensor of shape `shape`, in row-major order, the sum over dimensions of
/// index times `strides`: where to look for it in another tensor.
std::vector<int64_t> locate(const Shape &shape, const Shape &strides);

/// How far apart neighbours in each dimension are in a tensor of shape `shape`.
Shape rowMajorStrides(const Shape &shape);

/// For each element of `to`, the element of `from` that NumPy's broadcasting repeats there.
/// [2] -> [3x2]: 0 1 0 1 0 1
std::vector<int64_t> broadcastSources(const Shape &from, const Shape &to);

/// For each element of `from`, the element of the result that it is reduced into when `dimensions`
/// go. [2x3] over [1]: 0 0 0 1 1 1
std::vector<int64_t> reductionTargets(const Shape &from, llvm::ArrayRef<int64_t> dimensions);

/// The elements at `sources`.
template <typename T> std::vector<T> gather(const std::vector<T> &values, const std::vector<int64_t> &sources) {
  std::vector<T> result;
  result.reserve(sources.size());
  for (int64_t source : sources)
    result.push_back(values[source]);
  return result;
}

/// The elements at `sources`, whatever their type, as a tensor of type `type`.
Tensor gather(const Tensor &tensor, const std::vector<int64_t> &sources, TensorTypeT type);

/// Calls `function(row, values of that row)` for each row of `tensor` along its last dimension, where `values` are its
/// elements or what became of them.
template <typename Function>
void forEachRow(std::vector<double> &values, const Tensor &tensor, Function function) {
  const int64_t columns = tensor.type.shape.back();
  for (int64_t row = 0; columns != 0 && row < static_cast<int64_t>(values.size()) / columns; ++row)
    function(row, std::span(values).subspan(row * columns, columns));
}

} // namespace mp

#endif // MP_LIB_REFERENCE_INDEXING_H
