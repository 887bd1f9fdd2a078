// Every value and every rounding boundary.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reference here is independent of encode and decode: values come from ldexp, and the nearest value from a search
// among all of them. The midpoint of two neighbours is exact in f64, so comparing with it decides every case.

#include "mp/Numerics/Float.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace mp;

namespace {

double referenceValue(uint64_t magnitude, FloatFormat format) {
  int field = static_cast<int>(magnitude >> format.fractionBits);
  double fraction = static_cast<double>(magnitude & ((uint64_t(1) << format.fractionBits) - 1));
  int lastPlace = format.minExponent() - format.fractionBits;
  if (field == 0)
    return std::ldexp(fraction, lastPlace);
  return std::ldexp(fraction + std::ldexp(1, format.fractionBits), lastPlace + field - 1);
}

/// All finite magnitudes of a format in order, and where each rounds up to the next.
class Magnitudes {
public:
  explicit Magnitudes(FloatFormat format) : format(format) {
    for (uint64_t bits = 0; bits <= format.infinity(); ++bits) // the last is 2^(bias + 1), where infinity begins
      values.push_back(referenceValue(bits, format));
    for (size_t i = 0; i + 1 < values.size(); ++i)
      midpoints.push_back(values[i] / 2 + values[i + 1] / 2);
  }

  uint64_t nearest(double value) const {
    uint64_t sign = std::signbit(value) ? format.signBit() : 0;
    size_t below = std::lower_bound(midpoints.begin(), midpoints.end(), std::abs(value)) - midpoints.begin();
    bool tie = below < midpoints.size() && midpoints[below] == std::abs(value);
    return sign | (tie && below % 2 == 1 ? below + 1 : below);
  }

  FloatFormat format;
  std::vector<double> values;
  std::vector<double> midpoints;
};

class NarrowFormat : public testing::TestWithParam<FloatFormat> {};

TEST_P(NarrowFormat, EveryValueRoundTrips) {
  FloatFormat format = GetParam();
  for (uint64_t bits = 0; bits < 2 * format.signBit(); ++bits) {
    double value = decode(bits, format);
    uint64_t magnitude = bits & (format.signBit() - 1);
    if (format.isNaN(bits)) {
      uint64_t quiet = uint64_t(1) << (format.fractionBits - 1);
      ASSERT_TRUE(std::isnan(value));
      ASSERT_EQ(encode(value, format), bits | quiet) << "sign and payload are kept";
      continue;
    }
    double expected =
        magnitude == format.infinity() ? std::numeric_limits<double>::infinity() : referenceValue(magnitude, format);
    ASSERT_EQ(std::abs(value), expected) << bits;
    ASSERT_EQ(std::signbit(value), (bits & format.signBit()) != 0) << bits;
    ASSERT_EQ(encode(value, format), bits);
  }
}

TEST_P(NarrowFormat, EveryBoundaryRoundsToNearestEven) {
  Magnitudes magnitudes(GetParam());
  for (size_t i = 0; i < magnitudes.midpoints.size(); ++i) {
    double tie = magnitudes.midpoints[i];
    uint64_t even = i % 2 == 0 ? i : i + 1;
    ASSERT_EQ(encode(tie, GetParam()), even);
    ASSERT_EQ(encode(-tie, GetParam()), even | GetParam().signBit());
    ASSERT_EQ(encode(std::nextafter(tie, 0.0), GetParam()), i);
    ASSERT_EQ(encode(std::nextafter(tie, HUGE_VAL), GetParam()), i + 1);
  }
}

TEST_P(NarrowFormat, RandomDoublesGoToTheNearestValue) {
  Magnitudes magnitudes(GetParam());
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> exponent(GetParam().minExponent() - GetParam().fractionBits - 4,
                                                  GetParam().bias() + 2);
  for (int i = 0; i < 200000; ++i) {
    double value = std::exp2(exponent(random)) * (i % 2 ? 1 : -1);
    ASSERT_EQ(encode(value, GetParam()), magnitudes.nearest(value)) << value;
  }
}

TEST_P(NarrowFormat, ExtremesOfF64) {
  FloatFormat format = GetParam();
  double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(encode(infinity, format), format.infinity());
  EXPECT_EQ(encode(-infinity, format), format.infinity() | format.signBit());
  EXPECT_EQ(encode(std::numeric_limits<double>::max(), format), format.infinity());
  EXPECT_EQ(encode(std::numeric_limits<double>::denorm_min(), format), 0u);
  EXPECT_EQ(encode(-std::numeric_limits<double>::denorm_min(), format), format.signBit());
  EXPECT_EQ(encode(-0.0, format), format.signBit());
  EXPECT_TRUE(format.isNaN(encode(std::numeric_limits<double>::quiet_NaN(), format)));
  // A payload only in bits that are dropped must not turn a NaN into infinity.
  EXPECT_TRUE(format.isNaN(encode(std::bit_cast<double>(uint64_t(0x7ff0000000000001)), format)));
}

INSTANTIATE_TEST_SUITE_P(Formats, NarrowFormat, testing::Values(kF16, kBF16, kTF32), [](const auto &info) {
  return "e" + std::to_string(info.param.exponentBits) + "m" + std::to_string(info.param.fractionBits);
});

TEST(Float, F64IsRoundedOnceAndNotThroughF32) {
  // 1 + 2^-11 + 2^-40 is above the tie between 1 and 1 + 2^-10; as a float it is the tie, and goes to even.
  double trap = 1 + 0x1p-11 + 0x1p-40;
  EXPECT_EQ(encodeF16(trap), 0x3c01);
  EXPECT_EQ(encodeF16(static_cast<float>(trap)), 0x3c00);
  double bfloatTrap = 1 + 0x1p-8 + 0x1p-40;
  EXPECT_EQ(encodeBF16(bfloatTrap), 0x3f81);
  EXPECT_EQ(encodeBF16(static_cast<float>(bfloatTrap)), 0x3f80);
  // The same among subnormals.
  EXPECT_EQ(encodeF16(0x1p-25 + 0x1p-60), 0x0001);
  EXPECT_EQ(encodeF16(0x1p-25), 0x0000);
}

TEST(Float, F32AgreesWithTheProcessor) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 1000000; ++i) {
    double value = std::bit_cast<double>(random());
    // Half of the samples are moved into the range of f32, or nearly all would overflow.
    if (i % 2 && std::isfinite(value) && value != 0)
      value = std::scalbn(value, static_cast<int>(random() % 290) - 155 - std::ilogb(value));
    float expected = static_cast<float>(value);
    if (std::isnan(value))
      ASSERT_TRUE(std::isnan(toF32(value)));
    else
      ASSERT_EQ(std::bit_cast<uint32_t>(toF32(value)), std::bit_cast<uint32_t>(expected)) << value;
  }
  for (uint64_t bits = 0; bits <= 0xffffffff; bits += 8191) {
    float value = std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (!std::isnan(value)) {
      ASSERT_EQ(std::bit_cast<uint64_t>(decode(bits, kF32)), std::bit_cast<uint64_t>(static_cast<double>(value)));
    }
  }
}

#if defined(__x86_64__)
__attribute__((target("f16c"))) uint16_t processorF16(float value) {
  return std::bit_cast<uint16_t>(static_cast<_Float16>(value));
}

TEST(Float, F32ToF16AgreesWithTheProcessor) {
  if (!__builtin_cpu_supports("f16c"))
    GTEST_SKIP() << "the processor has no f16c";
  for (uint64_t bits = 0; bits <= 0xffffffff; bits += 251) {
    float value = std::bit_cast<float>(static_cast<uint32_t>(bits));
    if (std::isnan(value))
      ASSERT_TRUE(kF16.isNaN(encodeF16(value)));
    else
      ASSERT_EQ(encodeF16(value), processorF16(value)) << value;
  }
}
#endif

TEST(Float, F64IsItself) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 100000; ++i) {
    uint64_t bits = random();
    if (!kF64.isNaN(bits)) {
      ASSERT_EQ(encode(std::bit_cast<double>(bits), kF64), bits);
      ASSERT_EQ(std::bit_cast<uint64_t>(decode(bits, kF64)), bits);
    }
  }
}

TEST(Float, NamedConversionsFollowTheirFormat) {
  EXPECT_EQ(encodeF16(65519.99), 0x7bff);
  EXPECT_EQ(encodeF16(65520), 0x7c00);
  EXPECT_EQ(decodeF16(0x0001), 0x1p-24f);
  EXPECT_EQ(encodeBF16(1e-40), 0x0001) << "subnormals are kept";
  EXPECT_EQ(decodeBF16(0x0001), 0x1p-133f);
  static_assert(encodeF16(1.0) == 0x3c00, "usable in constant expressions");
}

} // namespace
