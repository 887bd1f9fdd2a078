// Sums of products as units of processors have them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Numerics/ProductUnits.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <utility>
#include <vector>

using namespace mp;

static uint32_t sumOf(ProductUnit unit, const std::vector<std::pair<float, float>> &products) {
  UnitSum sum(unit);
  for (auto [a, b] : products)
    sum.addProduct(a, b);
  return std::bit_cast<uint32_t>(sum.get());
}

static uint32_t bitsOf(float x) { return std::bit_cast<uint32_t>(x); }

static constexpr float kInfinity = std::numeric_limits<float>::infinity();
static constexpr float kLarge = 0x1.fep127f; ///< the largest bf16
static constexpr auto kUnits = {ProductUnit::Dot, ProductUnit::AMX};

// Beside 1, 2^-26 is lost.
TEST(ProductUnits, AddInTheirOrder) {
  // Of a pair the odd k is first: -1 + 1 + 2^-26. Even ones are a chain of their own: (0 + 2^-26) + (-1 + 1).
  const std::vector<std::pair<float, float>> oddFirst = {{0, 0}, {-1, 1}, {0x1p-13f, 0x1p-13f}, {1, 1}};
  EXPECT_EQ(sumOf(ProductUnit::Dot, oddFirst), bitsOf(0x1p-26f));
  EXPECT_EQ(sumOf(ProductUnit::AMX, oddFirst), bitsOf(0x1p-26f));
  const std::vector<std::pair<float, float>> evenFirst = {{0, 0}, {-1, 1}, {1, 1}, {0x1p-13f, 0x1p-13f}};
  EXPECT_EQ(sumOf(ProductUnit::Dot, evenFirst), bitsOf(0));
  EXPECT_EQ(sumOf(ProductUnit::AMX, evenFirst), bitsOf(0));
  // -1 + 1, then 2^-26; and (-1 + 2^-26) + 1.
  const std::vector<std::pair<float, float>> apart = {{-1, 1}, {1, 1}, {0x1p-13f, 0x1p-13f}};
  EXPECT_EQ(sumOf(ProductUnit::Dot, apart), bitsOf(0x1p-26f));
  EXPECT_EQ(sumOf(ProductUnit::AMX, apart), bitsOf(0));
}

// Sums of each 32 of k are added to what was before.
TEST(ProductUnits, AddGranules) {
  std::vector<std::pair<float, float>> products(33, {0, 0});
  products[0] = {1, 1};
  products[32] = {0x1p-12f, 0x1.8p-12f};
  EXPECT_EQ(sumOf(ProductUnit::AMX, products), bitsOf(1 + 0x1p-23f));
  products[31] = {-1, 1};
  EXPECT_EQ(sumOf(ProductUnit::AMX, products), bitsOf(0x1.8p-24f));
  products.resize(31);
  EXPECT_EQ(sumOf(ProductUnit::AMX, products), bitsOf(1));
  EXPECT_EQ(sumOf(ProductUnit::AMX, {}), 0u);
}

TEST(ProductUnits, OverflowInTheirOrder) {
  const std::vector<std::pair<float, float>> products = {{kLarge, 1}, {-kLarge, 1}, {kLarge, 1}, {0, 0}};
  EXPECT_EQ(sumOf(ProductUnit::Dot, products), bitsOf(kLarge));
  EXPECT_EQ(sumOf(ProductUnit::AMX, products), bitsOf(kInfinity));
}

TEST(ProductUnits, FlushWhatIsSubnormal) {
  for (ProductUnit unit : kUnits) {
    EXPECT_EQ(sumOf(unit, {{0x1p-127f, 0x1p60f}}), 0u);
    EXPECT_EQ(sumOf(unit, {{0x1p-63f, 0x1p-63f}}), bitsOf(0x1p-126f));
    EXPECT_EQ(sumOf(unit, {{0x1p-63f, 0x1p-64f}}), 0u);
    EXPECT_EQ(sumOf(unit, {{0x1p-63f, 0x1p-63f}, {0, 0}, {-0x1.8p-75f, 0x1p-76f}, {0, 0}}), 0u) << "tiny in 24 bits";
    EXPECT_EQ(sumOf(unit, {{0x1p-63f, 0x1p-63f}, {0, 0}, {-0x1p-75f, 0x1p-76f}, {0, 0}}), bitsOf(0x1p-126f));
  }
}

TEST(ProductUnits, MultiplyTheirTypes) {
  EXPECT_TRUE(hasProductsOf(ProductUnit::Dot, kBF16) && hasProductsOf(ProductUnit::AMX, kBF16));
  EXPECT_TRUE(!hasProductsOf(ProductUnit::Dot, kF16) && hasProductsOf(ProductUnit::AMX, kF16));
  EXPECT_TRUE(!hasProductsOf(ProductUnit::Dot, kF32) && !hasProductsOf(ProductUnit::AMX, kF32));
}
