// What instructions on tiles compute: by the processor where it has them, by their emulation elsewhere.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AMX/EmulatedTiles.h"

#include "mp/Numerics/Float.h"
#include "mp/Numerics/ProductUnits.h"
#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <thread>
#include <vector>

using namespace mp;
using namespace mp::test;

namespace {

constexpr int kSide = 16, kDepth = 32, kRowBytes = 64;

/// What ldtilecfg reads.
struct alignas(64) Configuration {
  uint8_t palette = 1, startRow = 0, reserved[14] = {};
  uint16_t rowBytes[16] = {};
  uint8_t rows[16] = {};

  /// Sums of `m` x `n` in tile 0, operands of `k` halves in 1 and 2.
  static Configuration of(int m = kSide, int n = kSide, int k = kDepth) {
    Configuration c;
    c.setTile(0, m, 4 * n);
    c.setTile(1, m, 2 * k);
    c.setTile(2, k / 2, 4 * n);
    return c;
  }
  void setTile(int tile, int height, int bytes) {
    rows[tile] = uint8_t(height);
    rowBytes[tile] = uint16_t(bytes);
  }
};

/// The type of operands, and its instruction.
struct Half {
  const char *level;
  uint16_t (*encode)(double);
  float (*decode)(uint16_t);
  bool isF16;
};
constexpr Half kOfBF16 = {"amx-bf16", encodeBF16, decodeBF16, false}, kOfF16 = {"amx-fp16", encodeF16, decodeF16, true};

/// lhs is [16 x 32], rhs [16 pairs x 16 x 2], sums [16 x 16].
struct Operands {
  std::vector<uint16_t> lhs = std::vector<uint16_t>(kSide * kDepth), rhs = lhs;
  std::vector<float> sums = std::vector<float>(kSide * kSide);

  /// The first products of the first sum, alone.
  static Operands of(const Half &half, float sum, std::vector<std::pair<float, float>> products) {
    Operands o;
    o.sums[0] = sum;
    for (size_t l = 0; l < products.size(); ++l) {
      o.lhs[l] = half.encode(products[l].first);
      o.rhs[l / 2 * kDepth + l % 2] = half.encode(products[l].second);
    }
    return o;
  }
};

class TilesOf : public testing::TestWithParam<Half> {
protected:
  void SetUp() override {
    const TileSource source = findTiles(*findCPULevel(GetParam().level));
    if (source == TileSource::Nothing)
      GTEST_SKIP() << "this processor has other instructions of " << GetParam().level << " not";
    if (source == TileSource::Emulation)
      emulated.emplace();
  }

  std::optional<EmulatedTiles> emulated;
};

} // namespace

static void configure(const Configuration &c) { asm volatile("ldtilecfg %0" ::"m"(c)); }

/// o.sums and the products.
static std::vector<float> multiply(const Half &half, const Operands &o, const Configuration &c = Configuration::of()) {
  const int64_t stride = kRowBytes;
  std::vector<float> sums = o.sums;
  configure(c);
  asm volatile("tileloadd (%0,%1,1), %%tmm0" ::"r"(sums.data()), "r"(stride) : "memory");
  asm volatile("tileloadd (%0,%1,1), %%tmm1" ::"r"(o.lhs.data()), "r"(stride) : "memory");
  asm volatile("tileloadd (%0,%1,1), %%tmm2" ::"r"(o.rhs.data()), "r"(stride) : "memory");
  if (half.isF16)
    asm volatile("tdpfp16ps %tmm2, %tmm1, %tmm0");
  else
    asm volatile("tdpbf16ps %tmm2, %tmm1, %tmm0");
  asm volatile("tilestored %%tmm0, (%0,%1,1)" ::"r"(sums.data()), "r"(stride) : "memory");
  asm volatile("tilerelease");
  return sums;
}

static uint32_t bitsOf(float x) { return std::bit_cast<uint32_t>(x); }

static float flushed(float x) { return std::fabs(x) < std::numeric_limits<float>::min() ? std::copysign(0.0f, x) : x; }

// Whole numbers have one sum in every order: that of f64.
TEST_P(TilesOf, AddWholeNumbers) {
  const Half &half = GetParam();
  std::mt19937 engine(1);
  std::uniform_int_distribution<int> number(-99, 99);
  Operands o;
  for (auto *values : {&o.lhs, &o.rhs})
    for (uint16_t &value : *values)
      value = half.encode(number(engine));
  for (float &sum : o.sums)
    sum = float(number(engine));
  // The whole of the registers, and parts of them: what is outside stays as it was.
  for (auto [m, n, k] : {std::tuple(16, 16, 32), std::tuple(5, 16, 32), std::tuple(16, 3, 32), std::tuple(7, 9, 22)}) {
    const std::vector<float> sums = multiply(half, o, Configuration::of(m, n, k));
    for (int i = 0; i < kSide; ++i)
      for (int j = 0; j < kSide; ++j) {
        double sum = o.sums[i * kSide + j];
        if (i < m && j < n)
          for (int l = 0; l < k; ++l)
            sum += double(half.decode(o.lhs[i * kDepth + l])) * half.decode(o.rhs[l / 2 * kDepth + 2 * j + l % 2]);
        ASSERT_EQ(sums[i * kSide + j], sum) << m << " " << n << " " << k << ": " << i << " " << j;
      }
  }
}

// Two chains of fused additions from +0, then their sum on top.
TEST_P(TilesOf, AddEvenAndOddApart) {
  const Half &half = GetParam();
  std::mt19937 engine(2);
  std::normal_distribution<float> normal;
  // The last of these has products and sums at the border of what is normal; f16 ends before it, but for the sums.
  for (float scale : {1.0f, 0x1p-12f, 0x1p-63f}) {
    Operands o;
    for (auto *values : {&o.lhs, &o.rhs})
      for (uint16_t &value : *values)
        value = half.encode(normal(engine) * scale);
    for (float &sum : o.sums)
      sum = normal(engine) * scale * scale;
    const std::vector<float> sums = multiply(half, o);
    for (int i = 0; i < kSide; ++i)
      for (int j = 0; j < kSide; ++j) {
        float parts[2] = {};
        for (int l = 0; l < kDepth; ++l)
          parts[l % 2] = flushed(std::fma(half.decode(o.lhs[i * kDepth + l]),
                                          half.decode(o.rhs[l / 2 * kDepth + 2 * j + l % 2]), parts[l % 2]));
        const float expected = flushed(flushed(o.sums[i * kSide + j]) + flushed(parts[0] + parts[1]));
        ASSERT_EQ(std::bit_cast<uint32_t>(sums[i * kSide + j]), std::bit_cast<uint32_t>(expected)) << scale;
      }
  }
}

// Any bits: the unit, its emulation and the evaluator's model were written apart.
TEST_P(TilesOf, HaveTheSumsOfTheModel) {
  const Half &half = GetParam();
  std::mt19937 engine(3);
  for (int run = 0; run < 20; ++run) {
    Operands o;
    // All bits at first, NaNs among them; then small exponents alone, which sums of all would not show.
    const uint16_t mask = run < 4 ? 0xffff : half.isF16 ? 0x8bff : 0xa0ff;
    for (auto *values : {&o.lhs, &o.rhs})
      for (uint16_t &value : *values)
        value = uint16_t(engine()) & mask;
    const std::vector<float> sums = multiply(half, o);
    for (int i = 0; i < kSide; ++i)
      for (int j = 0; j < kSide; ++j) {
        UnitSum sum(ProductUnit::AMX);
        for (int l = 0; l < kDepth; ++l)
          sum.addProduct(half.decode(o.lhs[i * kDepth + l]), half.decode(o.rhs[l / 2 * kDepth + 2 * j + l % 2]));
        const float ours = sums[i * kSide + j], model = sum.get();
        ASSERT_TRUE((std::isnan(ours) && std::isnan(model)) || bitsOf(ours) == bitsOf(model)) << ours << " " << model;
      }
  }
}

static constexpr float kInfinity = std::numeric_limits<float>::infinity();
static constexpr uint32_t kNoNumber = 0xffc00000;

static uint32_t firstOf(const Half &half, float sum, std::vector<std::pair<float, float>> products) {
  return std::bit_cast<uint32_t>(multiply(half, Operands::of(half, sum, std::move(products)))[0]);
}

TEST_P(TilesOf, HaveNoNumbersAndInfinities) {
  const Half &half = GetParam();
  EXPECT_EQ(firstOf(half, 1, {{kInfinity, 0}}), kNoNumber);
  EXPECT_EQ(firstOf(half, 1, {{0, -kInfinity}}), kNoNumber);
  EXPECT_EQ(firstOf(half, -kInfinity, {{kInfinity, 1}}), kNoNumber);
  EXPECT_EQ(firstOf(half, 1, {{kInfinity, 1}, {-kInfinity, 1}}), kNoNumber);
  EXPECT_EQ(firstOf(half, 1, {{-kInfinity, 2}}), bitsOf(-kInfinity));
  // A NaN keeps its payload and becomes quiet.
  EXPECT_EQ(firstOf(half, std::bit_cast<float>(0x7f800123), {{1, 1}}), 0x7fc00123u);
  Operands o = Operands::of(half, 1, {{0, 1}});
  o.lhs[0] = half.isF16 ? 0xfc12 : 0xff82;
  EXPECT_EQ(bitsOf(multiply(half, o)[0]), half.isF16 ? 0xffc24000u : 0xffc20000u);
}

TEST_P(TilesOf, HaveZerosOfOneSign) {
  const Half &half = GetParam();
  EXPECT_EQ(firstOf(half, -0.0f, {}), 0u); // both chains begin at +0
  EXPECT_EQ(firstOf(half, -0.0f, {{-0.0f, 1}, {-0.0f, 1}}), 0u);
  EXPECT_EQ(firstOf(half, 1, {{-1, 1}}), 0u);
}

TEST_P(TilesOf, FlushWhatIsSubnormal) {
  const Half &half = GetParam();
  constexpr float kSmallest = std::numeric_limits<float>::min(); // 2^-126
  EXPECT_EQ(firstOf(half, kSmallest / 2, {}), 0u);
  EXPECT_EQ(firstOf(half, kSmallest, {}), bitsOf(kSmallest));
  if (half.isF16) { // whose subnormals are numbers
    EXPECT_EQ(firstOf(half, 0, {{0x1p-24f, 1}}), bitsOf(0x1p-24f));
    EXPECT_EQ(firstOf(half, 0, {{1, 1}, {-0x3p-24f, 0x1p-24f}}), bitsOf(1 - 0x3p-48f));
    return;
  }
  EXPECT_EQ(firstOf(half, 0, {{kSmallest / 2, 0x1p60f}}), 0u);
  EXPECT_EQ(firstOf(half, 0, {{0x1p60f, kSmallest / 2}}), 0u);
  EXPECT_EQ(firstOf(half, 0, {{0x1p-64f, 0x1p-63f}}), 0u);
  EXPECT_EQ(firstOf(half, 0, {{0x1p-63f, 0x1p-63f}, {0, 0}, {-0x1p-64f, 0x1p-63f}}), 0u);
  EXPECT_EQ(firstOf(half, 1.5f * kSmallest, {{0x1p-63f, 0x1p-63f}, {-0x1.8p-63f, 0x1p-63f}}), bitsOf(1.5f * kSmallest));
  EXPECT_EQ(firstOf(half, 1.5f * kSmallest, {{-0x1p-63f, 0x1p-63f}}), 0u);
  // Tiny is what would be so with 24 bits, not what rounds to a subnormal.
  EXPECT_EQ(firstOf(half, 0, {{0x1p-63f, 0x1p-63f}, {0, 0}, {-1.5f * 0x1p-75f, 0x1p-76f}}), 0u);
}

TEST_P(TilesOf, OverflowInTheOrderOfTheirSums) {
  const Half &half = GetParam();
  if (half.isF16)
    return; // products of f16 have no sum that overflows
  const float large = decodeBF16(0x7f7f);
  EXPECT_EQ(firstOf(half, -large, {{large, 1}, {large, 1}}), bitsOf(kInfinity));
  EXPECT_EQ(firstOf(half, large, {{large, 1}, {-large, 1}}), bitsOf(large));
  EXPECT_EQ(firstOf(half, 0, {{large, 1}, {0, 0}, {large, 1}, {0, 0}, {-large, 1}}), bitsOf(kInfinity));
}

// Whatever modes the thread computes in.
TEST_P(TilesOf, IgnoreTheModesOfTheThread) {
  const Half &half = GetParam();
  const Operands o = Operands::of(half, 1, {{1, 0x1p-12f}, {0x1p-12f, 0x1p-12f}});
  const float expected = multiply(half, o)[0];
  for (int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    ASSERT_EQ(std::fesetround(mode), 0);
    const float sum = multiply(half, o)[0];
    const bool isKept = std::fegetround() == mode;
    ASSERT_EQ(std::fesetround(FE_TONEAREST), 0);
    EXPECT_EQ(sum, expected);
    EXPECT_TRUE(isKept);
  }
}

// Rows any number of bytes apart, backwards too, by any registers.
TEST_P(TilesOf, MoveRowsOfMemory) {
  std::vector<uint32_t> from(3 * kSide * kSide), to(from.size());
  for (size_t at = 0; at < from.size(); ++at)
    from[at] = uint32_t(at);
  Configuration c = Configuration::of();
  c.setTile(7, 3, 20);
  configure(c);
  asm volatile("movq %0, %%r12\n\tmovq %1, %%r13\n\tmovq $-4, %%r14\n\tmovq $40, %%rcx\n\t"
               "tileloadd 128(%%r12,%%r14,8), %%tmm7\n\ttilestored %%tmm7, -1024(%%r13,%%rcx,2)"
               :
               : "r"(from.data()), "r"(to.data() + 256)
               : "r12", "r13", "r14", "rcx", "memory");
  asm volatile("tilezero %tmm0");
  asm volatile("tilestored %%tmm0, (%0,%1)" ::"r"(from.data() + kSide * kSide), "r"(int64_t(kRowBytes)) : "memory");
  asm volatile("tilerelease");
  for (size_t at = 0; at < to.size(); ++at) {
    const size_t row = at / 20, column = at % 20; // 80 bytes apart
    EXPECT_EQ(to[at], row < 3 && column < 5 ? 32 - 8 * row + column : 0) << at;
    EXPECT_EQ(from[at], at / (kSide * kSide) == 1 ? 0 : at);
  }
}

// Each thread has tiles of its own.
TEST_P(TilesOf, AreThoseOfAThread) {
  const Half &half = GetParam();
  auto isRight = [&](float number) {
    for (int run = 0; run < 200; ++run)
      if (firstOf(half, number, {{number, 2}}) != bitsOf(3 * number))
        return false;
    return true;
  };
  bool isOtherRight = false;
  std::thread other([&] { isOtherRight = isRight(2); });
  EXPECT_TRUE(isRight(5));
  other.join();
  EXPECT_TRUE(isOtherRight);
}

INSTANTIATE_TEST_SUITE_P(Halves, TilesOf, testing::Values(kOfBF16, kOfF16),
                         [](const auto &info) { return info.param.isF16 ? "f16" : "bf16"; });
