// Values in the host's memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_RUNTIME_TENSORS_TENSOR_H
#define MP_RUNTIME_TENSORS_TENSOR_H

#include "mp/Base/Status.h"
#include "mp/Executable/Executable.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mp {

using executable::TensorTypeT;

/// A dense, row-major tensor in the host's memory. i1 is a byte that is 0 or 1.
struct HostTensor {
  TensorTypeT type;
  std::vector<std::byte> bytes;

  /// The elements as `T`, whose size must be that of an element.
  template <typename T> std::span<const T> values() const {
    return {reinterpret_cast<const T *>(bytes.data()), bytes.size() / sizeof(T)};
  }
  template <typename T> std::span<T> values() {
    return {reinterpret_cast<T *>(bytes.data()), bytes.size() / sizeof(T)};
  }

  uint64_t count() const { return bytes.size() / elementBytes(type.element); }
};

/// A tensor and the name that an input, a result or a state has.
struct NamedTensor {
  std::string name;
  HostTensor tensor;
};
using NamedTensors = std::vector<NamedTensor>;

/// The tensor of that name, or null.
const HostTensor *findTensor(const NamedTensors &tensors, std::string_view name);

/// A tensor type from its parts.
TensorTypeT makeType(ElementType element, std::vector<int64_t> shape);

/// A tensor of zeros; fails where it would not fit into memory.
ErrorOr<HostTensor> zeroTensor(const TensorTypeT &type);

/// A tensor without dimensions: `value` rounded to `element`, or truncated towards zero for
/// integers.
HostTensor scalarTensor(ElementType element, double value);

/// Element `index` as a double; exact but for 64-bit integers beyond 2^53.
double elementAt(const HostTensor &tensor, uint64_t index);

/// Writes `value` as element `index` of `bytes`, which are elements of `element`, rounded to
/// nearest even.
void storeElement(std::span<std::byte> bytes, ElementType element, uint64_t index, double value);

/// The numbers of a tensor as elements of another type: floats become floats, rounded to nearest even; all else has to
/// be held exactly. The error names the first number that is not.
ErrorOr<HostTensor> convertTensor(const HostTensor &tensor, ElementType element);

/// Reads a tensor from text: shape and element type, `=`, and elements separated by blanks or
/// commas, of which a single one stands for all: "2x2xf32=1 2 3 4", "f32=0.5", "4xi32=7". Anything
/// else is an error that says what was found.
ErrorOr<HostTensor> parseTensor(std::string_view text);

/// The inverse of parseTensor; elements are written so that they are read back exactly.
std::string formatTensor(const HostTensor &tensor);

/// How far apart two tensors are allowed to be: |actual - expected| <= absolute + relative *
/// |expected|.
struct Tolerance {
  double absolute;
  double relative;
};

/// The tolerance of comparisons at the command line: f16 1e-3, bf16 1e-2, f32 1e-4, f64 1e-9,
/// integers exact.
Tolerance defaultTolerance(ElementType element);

/// Success if shape and type are the same and every element is within the tolerance; NaN equals
/// NaN, an infinity equals itself. Otherwise the message says how many elements differ and shows
/// the first.
Status compareTensors(const HostTensor &actual, const HostTensor &expected, Tolerance tolerance);

} // namespace mp

#endif // MP_RUNTIME_TENSORS_TENSOR_H
