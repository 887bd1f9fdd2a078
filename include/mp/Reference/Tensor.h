// A value of the evaluator.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_REFERENCE_TENSOR_H
#define MP_REFERENCE_TENSOR_H

#include "mp/Numerics/Float.h"
#include "mp/Runtime/Tensors/Tensor.h"

#include "mlir/IR/BuiltinTypes.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace mp {

/// A tensor of the runtime whose elements the evaluator reads and rounds.
struct Tensor : HostTensor {
  /// All elements 0.
  static Tensor zeros(TensorTypeT type);
  /// One rounding of each value to the element type, which is a float.
  static Tensor ofReals(TensorTypeT type, const std::vector<double> &values);
  /// Each value modulo 2^n for an integer of n bits; for i1, whether it is not 0.
  static Tensor ofIntegers(TensorTypeT type, const std::vector<int64_t> &values);
  /// The f32 tensor with these elements.
  static Tensor ofFloats(TensorTypeT type, const std::vector<float> &values);

  /// The number of elements.
  int64_t size() const;
  /// The elements of a float tensor, exactly.
  std::vector<double> reals() const;
  /// The elements of an integer or i1 tensor; ui8 and i1 are zero-extended.
  std::vector<int64_t> integers() const;
  /// The elements of an f32 tensor.
  std::vector<float> floats() const;
};

bool isFloat(ElementType element);

/// The format of a float element type.
FloatFormat formatOf(ElementType element);

/// The largest tensor that is evaluated.
inline constexpr uint64_t kMaxTensorBytes = uint64_t(1) << 34;

/// The type of a tensor of mp as an executable states it. Nothing for another type, for an open
/// size, and for more bytes than kMaxTensorBytes.
std::optional<TensorTypeT> tensorTypeOf(mlir::Type type);

} // namespace mp

#endif // MP_REFERENCE_TENSOR_H
