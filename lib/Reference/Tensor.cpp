// A value of the evaluator.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Reference/Tensor.h"

#include <cassert>
#include <cstring>

using namespace mp;

template <typename T> static T load(const std::byte *bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

template <typename T> static void store(std::byte *bytes, T value) { std::memcpy(bytes, &value, sizeof(T)); }

bool mp::isFloat(ElementType element) {
  switch (element) {
  case ElementType::F16:
  case ElementType::BF16:
  case ElementType::F32:
  case ElementType::F64:
    return true;
  default:
    return false;
  }
}

FloatFormat mp::formatOf(ElementType element) {
  switch (element) {
  case ElementType::F16:
    return kF16;
  case ElementType::BF16:
    return kBF16;
  case ElementType::F32:
    return kF32;
  default:
    assert(element == ElementType::F64 && "only floats have a format");
    return kF64;
  }
}

std::optional<TensorTypeT> mp::tensorTypeOf(mlir::Type type) {
  auto ranked = mlir::dyn_cast<mlir::RankedTensorType>(type);
  if (!ranked || !ranked.hasStaticShape())
    return std::nullopt;
  mlir::Type element = ranked.getElementType();
  TensorTypeT result;
  if (element.isF16())
    result.element = ElementType::F16;
  else if (element.isBF16())
    result.element = ElementType::BF16;
  else if (element.isF32())
    result.element = ElementType::F32;
  else if (element.isF64())
    result.element = ElementType::F64;
  else if (element.isUnsignedInteger(8))
    result.element = ElementType::UI8;
  else if (element.isSignlessInteger(1))
    result.element = ElementType::I1;
  else if (element.isSignlessInteger(32))
    result.element = ElementType::I32;
  else if (element.isSignlessInteger(64))
    result.element = ElementType::I64;
  else
    return std::nullopt;
  result.shape.assign(ranked.getShape().begin(), ranked.getShape().end());
  std::optional<uint64_t> bytes = byteCount(result);
  if (!bytes || *bytes > kMaxTensorBytes)
    return std::nullopt;
  return result;
}

Tensor Tensor::zeros(TensorTypeT type) {
  std::optional<uint64_t> bytes = byteCount(type);
  assert(bytes && "a tensor's type has a size");
  return Tensor{{std::move(type), std::vector<std::byte>(*bytes)}};
}

Tensor Tensor::ofReals(TensorTypeT type, const std::vector<double> &values) {
  Tensor result = zeros(std::move(type));
  assert(result.size() == static_cast<int64_t>(values.size()) && "one value per element");
  const FloatFormat format = formatOf(result.type.element);
  const uint64_t width = elementBytes(result.type.element);
  for (size_t i = 0; i < values.size(); ++i) {
    std::byte *element = &result.bytes[i * width];
    const uint64_t bits = encode(values[i], format);
    if (width == 2)
      store(element, static_cast<uint16_t>(bits));
    else if (width == 4)
      store(element, static_cast<uint32_t>(bits));
    else
      store(element, bits);
  }
  return result;
}

Tensor Tensor::ofIntegers(TensorTypeT type, const std::vector<int64_t> &values) {
  Tensor result = zeros(std::move(type));
  assert(result.size() == static_cast<int64_t>(values.size()) && "one value per element");
  const uint64_t width = elementBytes(result.type.element);
  for (size_t i = 0; i < values.size(); ++i) {
    std::byte *element = &result.bytes[i * width];
    if (result.type.element == ElementType::I1)
      store(element, static_cast<uint8_t>(values[i] != 0));
    else if (width == 1)
      store(element, static_cast<uint8_t>(values[i]));
    else if (width == 4)
      store(element, static_cast<uint32_t>(values[i]));
    else
      store(element, values[i]);
  }
  return result;
}

Tensor Tensor::ofFloats(TensorTypeT type, const std::vector<float> &values) {
  Tensor result = zeros(std::move(type));
  assert(result.type.element == ElementType::F32 && result.size() == static_cast<int64_t>(values.size()));
  if (!values.empty())
    std::memcpy(result.bytes.data(), values.data(), result.bytes.size());
  return result;
}

int64_t Tensor::size() const { return bytes.size() / elementBytes(type.element); }

std::vector<double> Tensor::reals() const {
  std::vector<double> values(size());
  const FloatFormat format = formatOf(type.element);
  const uint64_t width = elementBytes(type.element);
  for (size_t i = 0; i < values.size(); ++i) {
    const std::byte *element = &bytes[i * width];
    const uint64_t bits = width == 2   ? load<uint16_t>(element)
                          : width == 4 ? load<uint32_t>(element)
                                       : load<uint64_t>(element);
    values[i] = decode(bits, format);
  }
  return values;
}

std::vector<int64_t> Tensor::integers() const {
  std::vector<int64_t> values(size());
  assert(!isFloat(type.element) && "integers of an integer tensor");
  const uint64_t width = elementBytes(type.element);
  for (size_t i = 0; i < values.size(); ++i) {
    const std::byte *element = &bytes[i * width];
    values[i] = width == 1   ? int64_t(load<uint8_t>(element))
                : width == 4 ? int64_t(load<int32_t>(element))
                             : load<int64_t>(element);
  }
  return values;
}

std::vector<float> Tensor::floats() const {
  assert(type.element == ElementType::F32 && "floats of an f32 tensor");
  std::vector<float> values(size());
  if (!values.empty())
    std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}
