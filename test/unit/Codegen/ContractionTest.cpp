// Matrix products against loops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/KernelRunner.h"
#include "Codegen/Product.h"
#include "Codegen/Values.h"

#include "mp/Hardware/HostFeatures.h"
#include "mp/Numerics/Float.h"
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mp;
using namespace mp::test;

namespace {

class EachContraction : public testing::TestWithParam<Product> {};

} // namespace

/// Every element of `z` is what `finish(sum, j)` makes of the fused sum in the order of k.
template <typename Stored, typename Lhs, typename Rhs, typename Finish>
static void checkSums(const Product &p, const std::vector<Stored> &z, Lhs lhs, Rhs rhs, Finish finish) {
  for (int64_t q = 0; q < p.batches(); ++q)
    for (int64_t i = 0; i < p.m; ++i)
      for (int64_t j = 0; j < p.n; ++j) {
        decltype(lhs(0)) sum = 0;
        for (int64_t l = 0; l < p.k; ++l)
          sum = std::fma(lhs(p.lhsAt(q, i, l)), rhs(p.rhsAt(q, l, j)), sum);
        ASSERT_EQ(z[(q * p.m + i) * p.n + j], finish(sum, j)) << q << " " << i << " " << j;
      }
}

// Every element is the fused sum in the order of k, whatever the blocks: equal bits.
TEST_P(EachContraction, AddsInOrderInF32) {
  const Product &p = GetParam();
  KernelRunner kernel(p.text("f32", "f32"));
  ASSERT_TRUE(kernel.ok()) << kernel.errors;
  const auto a = randomFloats(p.batches() * p.m * p.k, 1), b = randomFloats(p.batches() * p.k * p.n, 2);
  const auto c = randomFloats(p.n, 3);
  const auto z = kernel.run({Buffer::of(a), Buffer::of(b), Buffer::of(c)}, true)[0].as<float>();
  checkSums(
      p, z, [&](size_t at) { return a[at]; }, [&](size_t at) { return b[at]; },
      [&](float sum, int64_t j) { return p.bias ? sum + c[j] : sum; });
}

TEST_P(EachContraction, AddsInOrderInF64) {
  const Product &p = GetParam();
  KernelRunner kernel(p.text("f64", "f64"));
  ASSERT_TRUE(kernel.ok()) << kernel.errors;
  const auto a = widened(randomFloats(p.batches() * p.m * p.k, 1)),
             b = widened(randomFloats(p.batches() * p.k * p.n, 2));
  const auto c = widened(randomFloats(p.n, 3));
  const auto z = kernel.run({Buffer::of(a), Buffer::of(b), Buffer::of(c)})[0].as<double>();
  checkSums(
      p, z, [&](size_t at) { return a[at]; }, [&](size_t at) { return b[at]; },
      [&](double sum, int64_t j) { return p.bias ? sum + c[j] : sum; });
}

static void checkNarrow(const Product &p, const char *type, uint16_t (*encode)(double), float (*decode)(uint16_t)) {
  KernelRunner kernel(p.text(type, "f32"));
  ASSERT_TRUE(kernel.ok()) << kernel.errors;
  const auto a = encoded(randomFloats(p.batches() * p.m * p.k, 1), encode);
  const auto b = encoded(randomFloats(p.batches() * p.k * p.n, 2), encode), c = encoded(randomFloats(p.n, 3), encode);
  const auto z = kernel.run({Buffer::of(a), Buffer::of(b), Buffer::of(c)})[0].as<uint16_t>();
  checkSums(
      p, z, [&](size_t at) { return decode(a[at]); }, [&](size_t at) { return decode(b[at]); },
      [&](float sum, int64_t j) { return encode(p.bias ? sum + decode(c[j]) : sum); });
}

// Sums stay f32 until they are finished; as values of f16 they have the bias added, and are rounded again.
TEST_P(EachContraction, HasSumsInF16) {
  const Product &p = GetParam();
  KernelRunner kernel(p.text("f16", "f16"));
  ASSERT_TRUE(kernel.ok()) << kernel.errors;
  const auto a = encoded(randomFloats(p.batches() * p.m * p.k, 1), encodeF16);
  const auto b = encoded(randomFloats(p.batches() * p.k * p.n, 2), encodeF16);
  const auto c = encoded(randomFloats(p.n, 3), encodeF16);
  const auto z = kernel.run({Buffer::of(a), Buffer::of(b), Buffer::of(c)})[0].as<uint16_t>();
  checkSums(
      p, z, [&](size_t at) { return decodeF16(a[at]); }, [&](size_t at) { return decodeF16(b[at]); },
      [&](float sum, int64_t j) {
        const float rounded = decodeF16(encodeF16(sum));
        return encodeF16(p.bias ? rounded + decodeF16(c[j]) : rounded);
      });
}

static const CPULevel &dotsLevel() { return *findCPULevel("avx512bf16"); }

static bool hasDots() {
  const std::vector<std::string> &ours = hostFeatures();
  return std::ranges::all_of(dotsLevel().features, [&](auto feature) { return std::ranges::count(ours, feature) > 0; });
}

/// As vdpbf16ps takes operands and gives sums: nothing is subnormal.
static float flushed(float x) { return std::fabs(x) < std::numeric_limits<float>::min() ? std::copysign(0.0f, x) : x; }

// A dot product of a pair is two fused additions, that of the odd k first, and none of them gives a subnormal number.
// Pairs begin with even k, whatever the blocks.
TEST_P(EachContraction, AddsPairsOfBF16) {
  if (!hasDots())
    GTEST_SKIP() << "this processor has no dot products of bf16";
  const Product &p = GetParam();
  // The last of these has products and sums at the border of what is normal.
  for (float scale : {1.0f, 0x1p-63f}) {
    Product dots = p;
    dots.schedule += ", instruction = dot";
    KernelRunner kernel(dots.text("bf16", "f32"), dotsLevel());
    ASSERT_TRUE(kernel.ok()) << kernel.errors;
    auto scaled = [&](size_t count, uint64_t seed) {
      auto values = randomFloats(count, seed);
      std::ranges::for_each(values, [&](float &value) { value *= scale; });
      return encoded(values, encodeBF16);
    };
    const auto a = scaled(p.batches() * p.m * p.k, 1), b = scaled(p.batches() * p.k * p.n, 2), c = scaled(p.n, 3);
    const auto z = kernel.run({Buffer::of(a), Buffer::of(b), Buffer::of(c)})[0].as<uint16_t>();
    for (int64_t q = 0; q < p.batches(); ++q)
      for (int64_t i = 0; i < p.m; ++i)
        for (int64_t j = 0; j < p.n; ++j) {
          float sum = 0;
          for (int64_t pair = 0; pair < p.k; pair += 2)
            for (int64_t l : {pair + 1, pair})
              if (l < p.k)
                sum = flushed(std::fma(decodeBF16(a[p.lhsAt(q, i, l)]), decodeBF16(b[p.rhsAt(q, l, j)]), sum));
          const float finished = p.bias ? sum + decodeBF16(c[j]) : sum;
          ASSERT_EQ(z[(q * p.m + i) * p.n + j], encodeBF16(finished)) << scale << " " << q << " " << i << " " << j;
        }
  }
}

TEST_P(EachContraction, RoundsOnceToF16) { checkNarrow(GetParam(), "f16", encodeF16, decodeF16); }
TEST_P(EachContraction, RoundsOnceToBF16) { checkNarrow(GetParam(), "bf16", encodeBF16, decodeBF16); }

INSTANTIATE_TEST_SUITE_P(
    Shapes, EachContraction,
    testing::Values(
        Product{24, 64, 32}, Product{1, 1, 1}, Product{25, 67, 37, false, false, true},
        Product{25, 67, 37, true, false, true}, Product{25, 67, 37, false, true, true}, Product{25, 67, 37, true, true},
        Product{5, 10, 40, false, true, true, 3}, Product{5, 10, 40, true, false, false, 3},
        Product{13, 33, 9, false, false, true, 2}, Product{48, 64, 64, true, true},
        Product{37, 45, 21, false, true, true, 0,
                "block_m = 8, block_n = 24, block_k = 7, tile_m = 4, tile_n = 24, vector = 8"},
        Product{37, 45, 21, true, false, true, 0,
                "block_m = 16, block_n = 16, block_k = 64, tile_m = 2, tile_n = 4, vector = 4"},
        Product{1, 96, 37, false, false, true, 0,
                "block_m = 1, block_n = 64, block_k = 8, tile_m = 1, tile_n = 32, vector = 8, stream_rhs = true"},
        Product{7, 48, 21, true, false, true, 2,
                "block_m = 8, block_n = 32, block_k = 4, tile_m = 4, tile_n = 16, vector = 8, stream_rhs = true"},
        // Short rows of lhs, all of k in one chunk, which follow each other in memory and in panels.
        Product{25, 40, 10, false, false, true, 3,
                "block_m = 12, block_n = 16, block_k = 10, tile_m = 4, tile_n = 8, vector = 8"},
        Product{9, 24, 19, false, true, false, 0,
                "block_m = 6, block_n = 16, block_k = 19, tile_m = 3, tile_n = 8, vector = 4"},
        // The transposed product: tiles at the edges, operands that lie either way, the bias along its columns.
        Product{37, 45, 21, false, false, true, 0,
                "block_m = 24, block_n = 16, block_k = 8, tile_m = 6, tile_n = 8, vector = 4, transposed = true"},
        Product{25, 67, 37, true, true, true, 2,
                "block_m = 36, block_n = 32, block_k = 64, tile_m = 9, tile_n = 16, vector = 8, transposed = true"},
        Product{32, 7, 21, true, false, false, 0,
                "block_m = 8, block_n = 32, block_k = 6, tile_m = 4, tile_n = 16, vector = 8, stream_rhs = true, "
                "transposed = true"},
        // Whole vectors of 16 pairs.
        Product{20, 48, 30, false, false, false, 0,
                "block_m = 12, block_n = 64, block_k = 16, tile_m = 6, tile_n = 32, vector = 16"},
        // Across the rows of rhs words are put together one by one.
        Product{5, 32, 21, false, true, false, 0,
                "block_m = 5, block_n = 32, block_k = 6, tile_m = 5, tile_n = 16, vector = 4, stream_rhs = true"}));

TEST(ContractionKernel, FusesPrologueEpilogueAndSeveralResults) {
  KernelRunner kernel(R"(
func.func @f(%a: tensor<20x30xf32>, %b: tensor<30x40xf32>, %c: tensor<40xf32>, %d: tensor<20x1xf32>)
    -> (tensor<20x40xf16>, tensor<20x40xf32>) {
  %z:2 = mp.kernel "k" (%x = %a, %y = %b, %w = %c, %u = %d)
      schedule(#mp.contraction<block_m = 12, block_n = 32, block_k = 16, tile_m = 6, tile_n = 16, vector = 8>)
      : (tensor<20x30xf32>, tensor<30x40xf32>, tensor<40xf32>, tensor<20x1xf32>) -> (tensor<20x40xf16>, tensor<20x40xf32>) {
    %0 = mp.cast %x : tensor<20x30xf32> -> tensor<20x30xf16>
    %1 = mp.cast %y : tensor<30x40xf32> -> tensor<30x40xf16>
    %2 = mp.cast %w : tensor<40xf32> -> tensor<40xf16>
    %3 = mp.matmul %0, %1 bias %2 : tensor<40xf16> acc f32 : tensor<20x30xf16>, tensor<30x40xf16> -> tensor<20x40xf16>
    %4 = mp.relu %3 : tensor<20x40xf16>
    %5 = mp.cast %4 : tensor<20x40xf16> -> tensor<20x40xf32>
    %6 = mp.mul %5, %u : tensor<20x40xf32>, tensor<20x1xf32> -> tensor<20x40xf32>
    mp.yield %3, %6 : tensor<20x40xf16>, tensor<20x40xf32>
  }
  return %z#0, %z#1 : tensor<20x40xf16>, tensor<20x40xf32>
})");
  ASSERT_TRUE(kernel.ok()) << kernel.errors;
  const auto a = randomFloats(600, 1), b = randomFloats(1200, 2), c = randomFloats(40, 3), d = randomFloats(20, 4);
  const auto results = kernel.run({Buffer::of(a), Buffer::of(b), Buffer::of(c), Buffer::of(d)});
  const auto z = results[0].as<uint16_t>();
  const auto y = results[1].as<float>();
  auto half = [](float x) { return decodeF16(encodeF16(x)); };
  for (int i = 0; i < 20; ++i)
    for (int j = 0; j < 40; ++j) {
      float sum = 0;
      for (int l = 0; l < 30; ++l)
        sum = std::fma(half(a[i * 30 + l]), half(b[l * 40 + j]), sum);
      const float rounded = half(sum + half(c[j]));
      EXPECT_EQ(z[i * 40 + j], encodeF16(rounded));
      EXPECT_EQ(y[i * 40 + j], (rounded < 0 ? 0 : rounded) * d[i]);
    }
}

// Rows of lhs that a row multiplies are not one to whoever copies them.
TEST(ContractionKernel, ScalesShortRows) {
  constexpr int kRows = 9, kColumns = 16, kDepth = 10;
  KernelRunner kernel(R"(
func.func @f(%a: tensor<9x10xf32>, %s: tensor<10xf32>, %b: tensor<10x16xf32>) -> tensor<9x16xf32> {
  %z = mp.kernel "k" (%x = %a, %r = %s, %y = %b)
      schedule(#mp.contraction<block_m = 6, block_n = 16, block_k = 10, tile_m = 3, tile_n = 8, vector = 8>)
      : (tensor<9x10xf32>, tensor<10xf32>, tensor<10x16xf32>) -> tensor<9x16xf32> {
    %0 = mp.mul %x, %r : tensor<9x10xf32>, tensor<10xf32> -> tensor<9x10xf32>
    %1 = mp.matmul %0, %y acc f32 : tensor<9x10xf32>, tensor<10x16xf32> -> tensor<9x16xf32>
    mp.yield %1 : tensor<9x16xf32>
  }
  return %z : tensor<9x16xf32>
})");
  ASSERT_TRUE(kernel.ok()) << kernel.errors;
  const auto a = randomFloats(kRows * kDepth, 1), s = randomFloats(kDepth, 2), b = randomFloats(kDepth * kColumns, 3);
  const auto z = kernel.run({Buffer::of(a), Buffer::of(s), Buffer::of(b)})[0].as<float>();
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kColumns; ++j) {
      float sum = 0;
      for (int l = 0; l < kDepth; ++l)
        sum = std::fma(a[i * kDepth + l] * s[l], b[l * kColumns + j], sum);
      EXPECT_EQ(z[i * kColumns + j], sum) << i << " " << j;
    }
}

TEST(ContractionKernel, StreamsWholeTilesOnly) {
  const Product p{4,
                  40,
                  8,
                  false,
                  false,
                  false,
                  0,
                  "block_m = 4, block_n = 32, block_k = 8, tile_m = 4, tile_n = 16, vector = 8, "
                  "stream_rhs = true"};
  Product turned = p;
  std::swap(turned.m, turned.n);
  turned.schedule += ", transposed = true";
  for (const Product &own : {p, turned}) {
    KernelRunner kernel(own.text("f32", "f32"));
    EXPECT_FALSE(kernel.ok());
    EXPECT_NE(kernel.errors.find("has 40 columns, which tiles of 16 do not divide"), std::string::npos)
        << kernel.errors;
  }
}

// Of two bf16 nearest, of NaN and of infinity the processor's conversion gives what integer operations do.
TEST(ContractionKernel, RoundsSumsOfPairsInOneInstruction) {
  for (bool hasBias : {false, true})
    for (int64_t vector : {8, 16}) {
      const Product p{8,
                      32,
                      8,
                      false,
                      false,
                      hasBias,
                      0,
                      "block_m = 8, block_n = 32, block_k = 8, tile_m = 4, tile_n = 16, instruction = dot, vector = " +
                          std::to_string(vector)};
      KernelRunner kernel(p.text("bf16", "f32", "bf16"), dotsLevel(), /*keepText=*/true);
      ASSERT_TRUE(kernel.ok()) << kernel.errors;
      EXPECT_EQ(kernel.code->assembly.find("vcvtneps2bf16") != std::string::npos, !hasBias);
    }
}

TEST(ContractionKernel, RoundsSumsOfPairsThatAreNotFinite) {
  if (!hasDots())
    GTEST_SKIP() << "this processor has no dot products of bf16";
  const Product p{3,
                  16,
                  2,
                  false,
                  false,
                  false,
                  0,
                  "block_m = 3, block_n = 16, block_k = 2, tile_m = 3, tile_n = 16, vector = 16, "
                  "instruction = dot"};
  KernelRunner kernel(p.text("bf16", "f32"), dotsLevel());
  ASSERT_TRUE(kernel.ok()) << kernel.errors;
  constexpr float kInfinity = std::numeric_limits<float>::infinity(), kLargest = 0x1.fep127f;
  // A sum that is infinite, one that is beyond the largest bf16 but no f32, and one that is NaN.
  const std::vector<float> a = {kInfinity, 1, kLargest, 0x1p119f, kInfinity, -kInfinity};
  const auto z =
      kernel
          .run({Buffer::of(encoded(a, encodeBF16)), Buffer::of(encoded(std::vector<float>(32, 1), encodeBF16)),
                Buffer::of(encoded(std::vector<float>(16, 0), encodeBF16))})[0]
          .as<uint16_t>();
  for (int j = 0; j < 16; ++j) {
    EXPECT_EQ(decodeBF16(z[j]), kInfinity);
    EXPECT_EQ(decodeBF16(z[16 + j]), kInfinity);
    EXPECT_TRUE(std::isnan(decodeBF16(z[32 + j])));
  }
}

TEST(ContractionKernel, UsesTheWidestRegisters) {
  const Product p{64,    64,    64, false,
                  false, false, 0,  "block_m = 64, block_n = 64, block_k = 64, tile_m = 8, tile_n = 32, vector = 16"};
  KernelRunner kernel(p.text("f32", "f32"), *findCPULevel("avx512"), true);
  ASSERT_TRUE(kernel.ok()) << kernel.errors;
  EXPECT_NE(kernel.code->assembly.find("vfmadd231ps"), std::string::npos);
  EXPECT_NE(kernel.code->assembly.find("%zmm"), std::string::npos);
}

// What is in front of an operand is computed as it is packed, whichever way that goes.
TEST(ContractionKernel, PacksPairsOfWhatIsComputed) {
  if (!hasDots())
    GTEST_SKIP() << "this processor has no dot products of bf16";
  for (const char *flags : {"", "transpose_lhs", "transpose_rhs", "transpose_lhs transpose_rhs"}) {
    KernelRunner kernel(std::string(R"(
func.func @f(%a: tensor<33x33xf32>, %b: tensor<33x33xf32>) -> tensor<33x33xf32> {
  %z = mp.kernel "k" (%x = %a, %y = %b)
      schedule(#mp.contraction<block_m = 12, block_n = 32, block_k = 16, tile_m = 6, tile_n = 32, vector = 16, instruction = dot>)
      : (tensor<33x33xf32>, tensor<33x33xf32>) -> tensor<33x33xf32> {
    %0 = mp.cast %x : tensor<33x33xf32> -> tensor<33x33xbf16>
    %1 = mp.cast %y : tensor<33x33xf32> -> tensor<33x33xbf16>
    %2 = mp.matmul %0, %1 )") +
                            flags + R"( acc f32 : tensor<33x33xbf16>, tensor<33x33xbf16> -> tensor<33x33xf32>
    mp.yield %2 : tensor<33x33xf32>
  }
  return %z : tensor<33x33xf32>
})",
                        dotsLevel(), /*keepText=*/true);
    ASSERT_TRUE(kernel.ok()) << kernel.errors;
    EXPECT_NE(kernel.code->assembly.find("vdpbf16ps"), std::string::npos);
    const auto a = randomFloats(33 * 33, 1), b = randomFloats(33 * 33, 2);
    const auto z = kernel.run({Buffer::of(a), Buffer::of(b)})[0].as<float>();
    const std::string_view text = flags;
    const bool isLhs = text.find("lhs") != text.npos, isRhs = text.find("rhs") != text.npos;
    auto rounded = [](float x) { return decodeBF16(encodeBF16(x)); };
    for (int i = 0; i < 33; ++i)
      for (int j = 0; j < 33; ++j) {
        float sum = 0;
        for (int pair = 0; pair < 33; pair += 2)
          for (int l : {pair + 1, pair})
            if (l < 33)
              sum = std::fma(rounded(a[isLhs ? l * 33 + i : i * 33 + l]), rounded(b[isRhs ? j * 33 + l : l * 33 + j]),
                             sum);
        ASSERT_EQ(z[i * 33 + j], sum) << flags << " " << i << " " << j;
      }
  }
}

// The schedule says what multiplies, whatever the level has.
TEST(ContractionKernel, MultipliesByFmaUnlessTheScheduleSaysDot) {
  const Product p{8,     8,     8, false,
                  false, false, 0, "block_m = 8, block_n = 8, block_k = 8, tile_m = 4, tile_n = 8, vector = 8"};
  const Product narrow{8,     8,     8, false,
                       false, false, 0, "block_m = 8, block_n = 8, block_k = 8, tile_m = 4, tile_n = 2, vector = 2"};
  for (const std::string &text : {p.text("f16", "f32"), p.text("bf16", "f32"), narrow.text("bf16", "f32")}) {
    KernelRunner kernel(text, dotsLevel(), true);
    ASSERT_TRUE(kernel.ok()) << kernel.errors;
    EXPECT_EQ(kernel.code->assembly.find("vdpbf16ps"), std::string::npos);
  }
}
