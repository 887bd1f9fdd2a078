// Known answers and the mapping of elements.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Numerics/Philox.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace mp;

namespace {

// The rows `philox4x32 10` of tests/kat_vectors in Random123 1.14.0.
TEST(Philox, KnownAnswersOfRandom123) {
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}), (PhiloxCounter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (PhiloxCounter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxCounter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// The third known answer again, taken apart into seed, step, stream and element.
TEST(Philox, ElementsMapToCountersAsDocumented) {
  uint64_t seed = 0x299f31d0a4093822;
  uint64_t step = 0x0370734413198a2e;
  uint32_t stream = 0x85a308d3;
  uint64_t element = uint64_t(0x243f6a88) * 4;
  EXPECT_EQ(randomBits(seed, step, stream, element), 0xd16cfe09u);
  EXPECT_EQ(randomBits(seed, step, stream, element + 1), 0x94fdccebu);
  EXPECT_EQ(randomBits(seed, step, stream, element + 2), 0x5001e420u);
  EXPECT_EQ(randomBits(seed, step, stream, element + 3), 0x24126ea1u);
  EXPECT_EQ(randomBits(seed, step, stream, element + (uint64_t(1) << 34)), 0xd16cfe09u);
}

TEST(Philox, UniformFloatIsExactAndBelowOne) {
  EXPECT_EQ(uniformFloat(0), 0.0f);
  EXPECT_EQ(uniformFloat(0xff), 0.0f);
  EXPECT_EQ(uniformFloat(0x100), 0x1p-24f);
  EXPECT_EQ(uniformFloat(0x80000000), 0.5f);
  EXPECT_EQ(uniformFloat(0xffffffff), 1 - 0x1p-24f);
}

TEST(Philox, UniformFloatsFillTheInterval) {
  constexpr int kCount = 1 << 16;
  double sum = 0;
  double sumOfSquares = 0;
  std::array<int, 16> histogram = {};
  for (int i = 0; i < kCount; ++i) {
    float value = uniformFloat(randomBits(42, 7, 3, i));
    sum += value;
    sumOfSquares += double(value) * value;
    ++histogram[static_cast<size_t>(value * 16)];
  }
  // Five standard deviations of each statistic.
  EXPECT_NEAR(sum / kCount, 0.5, 5 / std::sqrt(12.0 * kCount));
  EXPECT_NEAR(sumOfSquares / kCount, 1.0 / 3, 5 * std::sqrt(4.0 / 45 / kCount));
  for (int count : histogram)
    EXPECT_NEAR(count, kCount / 16.0, 5 * std::sqrt(kCount / 16.0));
}

} // namespace
