// Element and tensor types of an executable.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Executable/Executable.h"

#include <array>

using namespace mp;

namespace {

struct ElementRow {
  const char *name;
  uint64_t bytes;
};

} // namespace

/// One row for each ElementType, in its order.
static constexpr std::array<ElementRow, 8> kElements = {{
    {"i1", 1},
    {"ui8", 1},
    {"i32", 4},
    {"i64", 8},
    {"f16", 2},
    {"bf16", 2},
    {"f32", 4},
    {"f64", 8},
}};
static_assert(kElements.size() == static_cast<size_t>(ElementType::MAX) + 1);

uint64_t mp::elementBytes(ElementType type) { return kElements[static_cast<size_t>(type)].bytes; }

const char *mp::elementName(ElementType type) { return kElements[static_cast<size_t>(type)].name; }

std::optional<ElementType> mp::parseElementName(std::string_view name) {
  for (size_t i = 0; i < kElements.size(); ++i)
    if (name == kElements[i].name)
      return static_cast<ElementType>(i);
  return std::nullopt;
}

std::optional<uint64_t> mp::elementCount(const executable::TensorTypeT &type) {
  int64_t count = 1;
  bool empty = false;
  bool overflow = false;
  for (int64_t size : type.shape) {
    if (size < 0)
      return std::nullopt;
    // 0 elements are 0 elements, however large the other sizes.
    empty |= size == 0;
    overflow |= size != 0 && __builtin_mul_overflow(count, size, &count);
  }
  if (empty)
    return 0;
  if (overflow)
    return std::nullopt;
  return static_cast<uint64_t>(count);
}

std::optional<uint64_t> mp::byteCount(const executable::TensorTypeT &type) {
  std::optional<uint64_t> count = elementCount(type);
  int64_t bytes;
  if (!count || __builtin_mul_overflow(*count, elementBytes(type.element), &bytes))
    return std::nullopt;
  return static_cast<uint64_t>(bytes);
}

std::string mp::typeName(const executable::TensorTypeT &type) {
  std::string name = "tensor<";
  for (int64_t size : type.shape)
    name += std::to_string(size) + "x";
  return name + elementName(type.element) + ">";
}
