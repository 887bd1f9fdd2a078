// Values in the host's memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Runtime/Tensors/Tensor.h"
#include "mp/Numerics/Float.h"

#include <cmath>
#include <cstring>
#include <new>

using namespace mp;

const HostTensor *mp::findTensor(const NamedTensors &tensors, std::string_view name) {
  for (const NamedTensor &named : tensors)
    if (named.name == name)
      return &named.tensor;
  return nullptr;
}

TensorTypeT mp::makeType(ElementType element, std::vector<int64_t> shape) {
  TensorTypeT type;
  type.element = element;
  type.shape = std::move(shape);
  return type;
}

ErrorOr<HostTensor> mp::zeroTensor(const TensorTypeT &type) {
  std::optional<uint64_t> bytes = byteCount(type);
  // A vector of more than this throws whatever the memory of the machine.
  constexpr uint64_t kLargest = uint64_t(1) << 48;
  if (!bytes || *bytes > kLargest)
    return makeError(typeName(type), " does not fit into memory");
  HostTensor tensor{type, {}};
  try {
    tensor.bytes.resize(*bytes);
  } catch (const std::bad_alloc &) {
    return makeError("no memory for ", typeName(type));
  }
  return tensor;
}

HostTensor mp::scalarTensor(ElementType element, double value) {
  HostTensor tensor{makeType(element, {}), std::vector<std::byte>(elementBytes(element))};
  storeElement(tensor.bytes, element, 0, value);
  return tensor;
}

template <typename T> static T loadAs(const HostTensor &tensor, uint64_t index) {
  T value;
  std::memcpy(&value, tensor.bytes.data() + index * sizeof(T), sizeof(T));
  return value;
}

double mp::elementAt(const HostTensor &tensor, uint64_t index) {
  switch (tensor.type.element) {
  case ElementType::I1:
  case ElementType::UI8:
    return loadAs<uint8_t>(tensor, index);
  case ElementType::I32:
    return loadAs<int32_t>(tensor, index);
  case ElementType::I64:
    return static_cast<double>(loadAs<int64_t>(tensor, index));
  case ElementType::F16:
    return decodeF16(loadAs<uint16_t>(tensor, index));
  case ElementType::BF16:
    return decodeBF16(loadAs<uint16_t>(tensor, index));
  case ElementType::F32:
    return loadAs<float>(tensor, index);
  case ElementType::F64:
    return loadAs<double>(tensor, index);
  }
  return 0;
}

template <typename T> static void storeAs(std::span<std::byte> bytes, uint64_t index, T value) {
  std::memcpy(bytes.data() + index * sizeof(T), &value, sizeof(T));
}

/// The integer nearest to zero from `value` that T holds; NaN becomes 0.
template <typename T> static T saturate(double value) {
  constexpr double kBound = static_cast<double>(std::numeric_limits<T>::max());
  if (std::isnan(value))
    return 0;
  if (value >= kBound)
    return std::numeric_limits<T>::max();
  if (value <= static_cast<double>(std::numeric_limits<T>::min()))
    return std::numeric_limits<T>::min();
  return static_cast<T>(value);
}

void mp::storeElement(std::span<std::byte> bytes, ElementType element, uint64_t index, double value) {
  switch (element) {
  case ElementType::I1:
    return storeAs<uint8_t>(bytes, index, value != 0);
  case ElementType::UI8:
    return storeAs<uint8_t>(bytes, index, saturate<uint8_t>(value));
  case ElementType::I32:
    return storeAs<int32_t>(bytes, index, saturate<int32_t>(value));
  case ElementType::I64:
    return storeAs<int64_t>(bytes, index, saturate<int64_t>(value));
  case ElementType::F16:
    return storeAs<uint16_t>(bytes, index, encodeF16(value));
  case ElementType::BF16:
    return storeAs<uint16_t>(bytes, index, encodeBF16(value));
  case ElementType::F32:
    return storeAs<float>(bytes, index, toF32(value));
  case ElementType::F64:
    return storeAs<double>(bytes, index, value);
  }
}

Tolerance mp::defaultTolerance(ElementType element) {
  switch (element) {
  case ElementType::F16:
    return {1e-3, 1e-3};
  case ElementType::BF16:
    return {1e-2, 1e-2};
  case ElementType::F32:
    return {1e-4, 1e-4};
  case ElementType::F64:
    return {1e-9, 1e-9};
  default:
    return {0, 0};
  }
}

static bool isClose(double actual, double expected, Tolerance tolerance) {
  if (actual == expected || (std::isnan(actual) && std::isnan(expected)))
    return true;
  if (!std::isfinite(actual) || !std::isfinite(expected))
    return false;
  return std::fabs(actual - expected) <= tolerance.absolute + tolerance.relative * std::fabs(expected);
}

Status mp::compareTensors(const HostTensor &actual, const HostTensor &expected, Tolerance tolerance) {
  if (actual.type != expected.type)
    return makeError("is ", typeName(actual.type), ", expected ", typeName(expected.type));
  uint64_t different = 0;
  uint64_t first = 0;
  for (uint64_t i = 0; i < actual.count(); ++i)
    if (!isClose(elementAt(actual, i), elementAt(expected, i), tolerance) && different++ == 0)
      first = i;
  if (different == 0)
    return Status::success();
  return makeError(different, " of ", actual.count(), " elements differ by more than ", tolerance.absolute, " + ",
                   tolerance.relative, " * |expected|; the first is ", first, ": ", elementAt(actual, first),
                   ", expected ", elementAt(expected, first));
}
