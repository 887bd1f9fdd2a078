// Tensors in other types.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Runtime/Tensors/Tensor.h"

#include <cmath>

using namespace mp;

static bool isFloat(ElementType element) {
  return element == ElementType::F16 || element == ElementType::BF16 || element == ElementType::F32 ||
         element == ElementType::F64;
}

/// An element that is a whole number of 64 bits, or nothing.
static std::optional<int64_t> wholeAt(const HostTensor &tensor, uint64_t index) {
  if (tensor.type.element == ElementType::I64) // a double would round it
    return tensor.values<int64_t>()[index];
  const double value = elementAt(tensor, index);
  if (!(value >= -0x1p63 && value < 0x1p63) || value != std::floor(value))
    return std::nullopt;
  return static_cast<int64_t>(value);
}

ErrorOr<HostTensor> mp::convertTensor(const HostTensor &tensor, ElementType element) {
  if (tensor.type.element == element)
    return tensor;
  ErrorOr<HostTensor> converted = zeroTensor(makeType(element, tensor.type.shape));
  if (!converted)
    return converted;
  const bool isRounded = isFloat(tensor.type.element) && isFloat(element);
  for (uint64_t i = 0; i < tensor.count(); ++i) {
    const double value = elementAt(tensor, i);
    storeElement(converted->bytes, element, i, value);
    const std::optional<int64_t> whole = wholeAt(tensor, i);
    const bool isHeld = isRounded ? std::isfinite(value) == std::isfinite(elementAt(*converted, i))
                                  : whole && wholeAt(*converted, i) == whole;
    if (!isHeld)
      return makeError("element ", i, " is ", formatTensor(scalarTensor(ElementType::F64, value)).substr(4),
                       ", which no ", typeName(makeType(element, {})), " holds");
  }
  return converted;
}
