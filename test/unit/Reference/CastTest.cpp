// Every pair of types, at every trap.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compared with exact arithmetic on long double and __int128 and with rounding by search (Narrow.h).

#include "Reference/Narrow.h"
#include "Reference/Program.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

using namespace mp;

namespace {

const ElementType kAllTypes[] = {ElementType::I1,  ElementType::UI8,  ElementType::I32, ElementType::I64,
                                 ElementType::F16, ElementType::BF16, ElementType::F32, ElementType::F64};

Tensor cast(const Tensor &input, ElementType to) {
  TensorTypeT type = input.type;
  type.element = to;
  const std::string from = typeName(input.type), result = typeName(type);
  std::vector<Tensor> results =
      run("(%x: " + from + ") -> " + result, "%r = mp.cast %x : " + from + " -> " + result + "\n return %r : " + result,
          {input});
  return results.empty() ? Tensor::zeros(type) : results[0];
}

template <typename T> T elementAt(const Tensor &tensor, size_t index) {
  T value;
  std::memcpy(&value, &tensor.bytes[index * sizeof(T)], sizeof(T));
  return value;
}

/// Element `index` as its bits, zero-extended.
uint64_t bitsAt(const Tensor &tensor, size_t index) {
  uint64_t bits = 0;
  const size_t width = elementBytes(tensor.type.element);
  std::memcpy(&bits, &tensor.bytes[index * width], width);
  return bits;
}

/// Element `index` as a long double, which holds each value of each type.
long double valueAt(const Tensor &tensor, size_t index) {
  switch (tensor.type.element) {
  case ElementType::I1:
  case ElementType::UI8:
    return elementAt<uint8_t>(tensor, index);
  case ElementType::I32:
    return elementAt<int32_t>(tensor, index);
  case ElementType::I64:
    return elementAt<int64_t>(tensor, index);
  case ElementType::F64:
    return elementAt<double>(tensor, index);
  default:
    return narrow::valueOf(bitsAt(tensor, index), narrow::formatOf(tensor.type.element));
  }
}

bool isFloatType(ElementType type) {
  return type == ElementType::F16 || type == ElementType::BF16 || type == ElementType::F32 || type == ElementType::F64;
}

/// What `mp.cast` says of `value`, as bits of `to`.
uint64_t expectedBits(long double value, ElementType from, ElementType to) {
  switch (to) {
  case ElementType::F16:
  case ElementType::BF16:
  case ElementType::F32:
    return narrow::nearest(value, narrow::formatOf(to));
  case ElementType::F64: {
    const double rounded = static_cast<double>(value); // the host's own conversion: one rounding of 64 bits to 53
    uint64_t bits;
    std::memcpy(&bits, &rounded, 8);
    return bits;
  }
  case ElementType::I1:
    return value != 0;
  default:
    break;
  }
  const int width = 8 * elementBytes(to);
  if (!isFloatType(from)) // modulo 2^n
    return static_cast<uint64_t>(static_cast<__int128>(value)) &
           (width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1);
  if (std::isnan(value))
    return 0;
  const long double least = to == ElementType::UI8 ? 0.0L : -std::ldexp(1.0L, width - 1);
  const long double most = std::ldexp(1.0L, to == ElementType::UI8 ? width : width - 1) - 1; // exact: 64 bits
  const long double kept = std::trunc(value < least ? least : value > most ? most : value);
  return static_cast<uint64_t>(static_cast<int64_t>(kept)) & (width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1);
}

void expectCastsRight(const Tensor &input) {
  const ElementType from = input.type.element;
  for (ElementType to : kAllTypes) {
    const Tensor result = cast(input, to);
    int wrong = 0;
    for (size_t i = 0; i < static_cast<size_t>(input.size()) && wrong < 5; ++i) {
      const long double value = valueAt(input, i);
      if (isFloatType(to) && std::isnan(value) && std::isnan(valueAt(result, i)))
        continue;
      const uint64_t expected = expectedBits(value, from, to);
      if (bitsAt(result, i) != expected) {
        ++wrong;
        ADD_FAILURE() << elementName(from) << " " << static_cast<double>(value) << " to " << elementName(to)
                      << ": found bits " << bitsAt(result, i) << ", expected " << expected;
      }
    }
  }
}

Tensor everyPattern(ElementType element) {
  Tensor all = Tensor::zeros(makeType(element, {65536}));
  for (uint32_t bits = 0; bits < 65536; ++bits)
    std::memcpy(&all.bytes[2 * bits], &bits, 2);
  return all;
}

/// Around each midpoint of two neighbouring values of `narrow`: itself, and its neighbours in `wide` (where rounding
/// twice, through f32, goes wrong), with both signs.
template <typename Wide> std::vector<double> midpointTraps(ElementType narrowType) {
  const narrow::Format format = narrow::formatOf(narrowType);
  std::vector<double> traps;
  for (uint32_t bits = 0; bits < format.infinity(); ++bits) {
    const long double low = narrow::valueOf(bits, format);
    const long double high = bits + 1 == format.infinity() ? std::ldexp(1.0L, 1 << (format.exponentBits - 1))
                                                           : narrow::valueOf(bits + 1, format);
    const Wide midpoint = static_cast<Wide>((low + high) / 2);
    const Wide infinity = std::numeric_limits<Wide>::infinity();
    for (Wide value : {midpoint, std::nextafter(midpoint, infinity), std::nextafter(midpoint, -infinity)}) {
      traps.push_back(value);
      traps.push_back(-value);
    }
  }
  return traps;
}

TEST(Cast, everyHalfToEveryType) {
  expectCastsRight(everyPattern(ElementType::F16));
  expectCastsRight(everyPattern(ElementType::BF16));
}

TEST(Cast, midpointsOfHalvesRoundOnce) {
  for (ElementType to : {ElementType::F16, ElementType::BF16}) {
    const std::vector<double> f64 = midpointTraps<double>(to), f32 = midpointTraps<float>(to);
    expectCastsRight(reals(ElementType::F64, {static_cast<int64_t>(f64.size())}, f64));
    expectCastsRight(reals(ElementType::F32, {static_cast<int64_t>(f32.size())}, f32));
  }
}

TEST(Cast, endsOfTheRanges) {
  const double inf = INFINITY;
  const std::vector<double> ends = {0.0,
                                    -0.0,
                                    NAN,
                                    inf,
                                    -inf,
                                    0.5,
                                    -0.5,
                                    254.9,
                                    255,
                                    255.5,
                                    256,
                                    -1,
                                    0x1p31,
                                    0x1p31 - 1,
                                    0x1p31 - 0.5,
                                    -0x1p31,
                                    -0x1p31 - 0.5,
                                    -0x1p31 - 1,
                                    0x1p63,
                                    0x1p63 - 1024,
                                    -0x1p63,
                                    -0x1p63 - 2048,
                                    1e300,
                                    -1e300,
                                    5e-324,
                                    0x1p-1074,
                                    0x1p-149,
                                    0x1p-150,
                                    0x1.000002p-150,
                                    0x1.fffffefffffffp127,
                                    0x1.ffffffp127,
                                    0x1.fffffdp127,
                                    0x1p-126,
                                    0x1.fffffffffffffp-127};
  expectCastsRight(reals(ElementType::F64, {static_cast<int64_t>(ends.size())}, ends));
  expectCastsRight(reals(ElementType::F32, {static_cast<int64_t>(ends.size())}, ends));
}

TEST(Cast, integersRoundOnce) {
  // Odd neighbours of midpoints of f64, f32, bf16 and f16: rounding through f64 first would land on the midpoint.
  std::vector<int64_t> values = {std::numeric_limits<int64_t>::max(),
                                 std::numeric_limits<int64_t>::min(),
                                 std::numeric_limits<int64_t>::min() + 1,
                                 65519,
                                 65520,
                                 65504,
                                 2049,
                                 2051};
  for (int precision : {53, 24, 11, 8})
    for (int exponent = precision + 1; exponent < 63; ++exponent) {
      const int64_t midpoint = (int64_t(1) << exponent) + (int64_t(1) << (exponent - precision));
      for (int64_t value : {midpoint - 1, midpoint, midpoint + 1})
        values.insert(values.end(), {value, -value});
    }
  expectCastsRight(integers(ElementType::I64, {static_cast<int64_t>(values.size())}, values));
  expectCastsRight(integers(ElementType::I32, {static_cast<int64_t>(values.size())}, values));
  std::vector<int64_t> bytes;
  for (int64_t value = 0; value < 256; ++value)
    bytes.push_back(value);
  expectCastsRight(integers(ElementType::UI8, {256}, bytes));
  expectCastsRight(integers(ElementType::I1, {2}, {0, 1}));
}

} // namespace
