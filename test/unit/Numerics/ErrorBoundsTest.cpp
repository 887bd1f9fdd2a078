// Ulp distance and bounds.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Numerics/ErrorBounds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace mp;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

TEST(UlpDistance, CountsRepresentableValues) {
  EXPECT_EQ(ulpDistance(1.0f, 1.0f), 0u);
  EXPECT_EQ(ulpDistance(1.0f, std::nextafterf(1.0f, 2.0f)), 1u);
  EXPECT_EQ(ulpDistance(1.0f, 2.0f), uint64_t(1) << 23);
  EXPECT_EQ(ulpDistance(0.0f, -0.0f), 0u);
  EXPECT_EQ(ulpDistance(0x1p-149f, -0x1p-149f), 2u);
  EXPECT_EQ(ulpDistance(std::numeric_limits<float>::max(), std::numeric_limits<float>::infinity()), 1u);
  EXPECT_EQ(ulpDistance(-kInfinity, kInfinity), 2 * uint64_t(0x7ff0000000000000));
  EXPECT_EQ(ulpDistance(0x3c00, 0x3c01, kF16), 1u);
  EXPECT_EQ(ulpDistance(0x8001, 0x0001, kF16), 2u);
  EXPECT_EQ(ulpDistance(0x3f80, 0x3f7f, kBF16), 1u);
}

TEST(UlpDistance, NaNIsEqualOnlyToNaN) {
  EXPECT_EQ(ulpDistance(kNaN, kNaN), 0u);
  EXPECT_EQ(ulpDistance(0xfe01, 0x7e00, kF16), 0u) << "payload and sign are ignored";
  EXPECT_EQ(ulpDistance(kNaN, kInfinity), std::numeric_limits<uint64_t>::max());
}

// ulp is the distance to the neighbour: compared with the next encoding, over all values of f16.
TEST(Ulp, IsTheSpacingOfEveryF16) {
  for (uint64_t bits = 0; bits + 1 < kF16.infinity(); ++bits)
    ASSERT_EQ(ulp(decode(bits, kF16), kF16), decode(bits + 1, kF16) - decode(bits, kF16)) << bits;
  EXPECT_EQ(ulp(65504, kF16), 32);
  EXPECT_EQ(ulp(1e30, kF16), 32);
  EXPECT_EQ(ulp(-1.5, kF32), 0x1p-23);
  EXPECT_TRUE(std::isnan(ulp(kInfinity, kF32)));
}

TEST(UlpError, ComparesWithAnExactValue) {
  EXPECT_EQ(ulpError(1.0, 1 + 0x1p-25, kF32), 0.25);
  EXPECT_EQ(ulpError(kNaN, kNaN, kF32), 0);
  EXPECT_EQ(ulpError(kNaN, 1, kF32), kInfinity);
  EXPECT_EQ(ulpError(kInfinity, kInfinity, kF32), 0);
  EXPECT_EQ(ulpError(kInfinity, 1e39, kF32), 0) << "the exact value rounds to infinity";
  EXPECT_EQ(ulpError(kInfinity, 1e38, kF32), kInfinity);
  EXPECT_EQ(ulpError(-kInfinity, kInfinity, kF32), kInfinity);
  EXPECT_EQ(ulpError(1e38, kInfinity, kF32), kInfinity);
}

TEST(Gamma, FollowsItsDefinition) {
  EXPECT_EQ(unitRoundoff(kF32), 0x1p-24);
  EXPECT_EQ(unitRoundoff(kF16), 0x1p-11);
  EXPECT_EQ(unitRoundoff(kBF16), 0x1p-8);
  EXPECT_EQ(gammaBound(0, kF32), 0);
  EXPECT_DOUBLE_EQ(gammaBound(128, kBF16), 1.0);
  EXPECT_EQ(gammaBound(256, kBF16), kInfinity);
}

// Sums in f32 and f16, forwards, stay in the bound, and the bound is not vacuous: a tenth of it is broken.
TEST(ContractionBound, HoldsForSumsInIndexOrder) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform(-1, 1);
  double worst = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    FloatFormat accumulator = trial % 2 ? kF32 : kF16;
    int terms = 1 + trial % 60;
    double computed = 0;
    double exact = 0;
    double absolutes = 0;
    for (int k = 0; k < terms; ++k) {
      double lhs = roundTo(uniform(random), kF16);
      double rhs = roundTo(uniform(random), kF16);
      computed = roundTo(computed + roundTo(lhs * rhs, accumulator), accumulator);
      exact += lhs * rhs; // 22 bits each, so exact to far below the bound
      absolutes += std::abs(lhs * rhs);
    }
    computed = roundTo(computed, kF16);
    double bound = contractionBound(terms, absolutes, exact, accumulator, kF16);
    ASSERT_LE(std::abs(computed - exact), bound);
    worst = std::max(worst, std::abs(computed - exact) / bound);
  }
  EXPECT_GT(worst, 0.1);
  EXPECT_EQ(contractionBound(0, 0, 0, kF32, kF32), ulp(0, kF32) / 2);
  EXPECT_EQ(contractionBound(1, kInfinity, kInfinity, kF32, kF32), kInfinity);
}

// Parts as a unit of bf16 has them. What it leaves out is more than the other bound allows.
TEST(SplitContractionBound, HoldsForPartsOfF16) {
  std::mt19937_64 random(6);
  std::uniform_real_distribution<double> uniform(1, 2);
  int beyondOthers = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    const int terms = 1 + trial % 60;
    double computed = 0, exact = 0, absolutes = 0;
    auto add = [&](double product) { computed = roundTo(computed + product, kF32); };
    for (int k = 0; k < terms; ++k) {
      const double lhs = roundTo(uniform(random), kF16), rhs = roundTo(uniform(random), kF16) * (k % 2 ? -1 : 1);
      const double lhsHi = roundTo(lhs, kBF16), rhsHi = roundTo(rhs, kBF16);
      ASSERT_EQ(roundTo(lhs - lhsHi, kBF16), lhs - lhsHi);
      add((lhs - lhsHi) * rhsHi);
      add(lhsHi * (rhs - rhsHi));
      add(lhsHi * rhsHi);
      exact += lhs * rhs;
      absolutes += std::abs(lhs * rhs);
    }
    ASSERT_LE(std::abs(computed - exact), splitContractionBound(terms, absolutes, exact, kF32));
    beyondOthers += std::abs(computed - exact) > contractionBound(terms, absolutes, exact, kF32, kF32);
  }
  EXPECT_GT(beyondOthers, 0);
}

} // namespace
