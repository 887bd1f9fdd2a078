// Matrix products by tiles against loops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AMX/TileUnit.h"
#include "Codegen/KernelRunner.h"
#include "Codegen/PackedOperand.h"
#include "Codegen/Product.h"
#include "Codegen/Values.h"

#include "mp/Numerics/Float.h"
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

using namespace mp;
using namespace mp::test;

namespace {

/// A type that tiles multiply, and the level that has its instruction.
struct Half {
  const char *name, *level;
  uint16_t (*encode)(double);
  float (*decode)(uint16_t);
  float smallScale; ///< of values whose products, or that themselves, are at the border of what is normal

  const CPULevel &cpu() const { return *findCPULevel(level); }
  std::vector<uint16_t> random(size_t count, uint32_t seed, float scale = 1) const {
    std::vector<float> values = randomFloats(count, seed);
    for (float &value : values)
      value *= scale;
    return encoded(values, encode);
  }
};
constexpr Half kHalves[] = {{"bf16", "amx-bf16", encodeBF16, decodeBF16, 0x1p-63f},
                            {"f16", "amx-fp16", encodeF16, decodeF16, 0x1p-15f}};

class TiledContraction : public testing::TestWithParam<Product> {};

} // namespace

static float flushed(float x) { return std::fabs(x) < std::numeric_limits<float>::min() ? std::copysign(0.0f, x) : x; }

/// A sum as units have it: over 32 of k two of even and of odd ones, and their sum on top. Operands of bf16 and sums
/// that are subnormal are 0.
template <typename Lhs, typename Rhs> static float sumOfTiles(int64_t k, Lhs lhs, Rhs rhs, const Half &half) {
  auto operand = [&](uint16_t bits) {
    const float value = half.decode(bits);
    return half.encode == encodeBF16 ? flushed(value) : value;
  };
  float sum = 0;
  for (int64_t first = 0; first < k; first += 32) {
    float parts[2] = {};
    for (int64_t l = first; l < std::min(first + 32, k); ++l)
      parts[l % 2] = flushed(std::fma(operand(lhs(l)), operand(rhs(l)), parts[l % 2]));
    sum = flushed(sum + flushed(parts[0] + parts[1]));
  }
  return sum;
}

/// A product on `level` of operands of about `scale`: its sums, or what they are rounded to the operands' type.
static void checkTiles(Product p, const Half &half, const CPULevel &level, float scale = 1, bool isRounded = false) {
  p.schedule += ", vector = 16, instruction = amx";
  auto rounded = [&](float value) { return half.decode(half.encode(value)); };
  const auto a = half.random(p.batches() * p.m * p.k, 1, scale), b = half.random(p.batches() * p.k * p.n, 2, scale);
  auto bias = randomFloats(p.n, 3);
  for (float &value : bias)
    value = rounded(value * scale * scale);
  KernelRunner kernel(p.text(half.name, "f32", isRounded ? half.name : "f32"), level);
  ASSERT_TRUE(kernel.ok()) << kernel.errors;
  const Buffer last = isRounded ? Buffer::of(encoded(bias, half.encode)) : Buffer::of(bias);
  const std::vector<Buffer> results = kernel.run({Buffer::of(a), Buffer::of(b), last}, true);
  ASSERT_FALSE(results.empty());
  std::vector<float> z;
  if (isRounded)
    std::ranges::transform(results[0].as<uint16_t>(), std::back_inserter(z), half.decode);
  else
    z = results[0].as<float>();
  for (int64_t q = 0; q < p.batches(); ++q)
    for (int64_t i = 0; i < p.m; ++i)
      for (int64_t j = 0; j < p.n; ++j) {
        float sum = sumOfTiles(
            p.k, [&](int64_t l) { return a[p.lhsAt(q, i, l)]; }, [&](int64_t l) { return b[p.rhsAt(q, l, j)]; }, half);
        sum = p.bias ? sum + bias[j] : sum;
        const int64_t at = (q * p.m + i) * p.n + j;
        ASSERT_EQ(z[at], isRounded ? rounded(sum) : sum)
            << half.name << " * " << scale << " " << q << " " << i << " " << j;
      }
}

// Panels, loops and sums, where vectors compute what tiles would: on every machine.
TEST_P(TiledContraction, AddsAsTilesDo) {
  if (hostLevel().vectorBits < 256)
    GTEST_SKIP() << "tiles in vectors of four lanes take minutes to compile";
  for (const Half &half : kHalves)
    checkTiles(GetParam(), half, hostVectorLevel());
}

// The same bits of the code with tiles.
TEST_P(TiledContraction, AddsOnTheUnit) {
  bool isRun = false;
  for (const Half &half : kHalves)
    if (const TileUnit unit(half.cpu()); unit.isThere()) {
      checkTiles(GetParam(), half, half.cpu());
      checkTiles(GetParam(), half, half.cpu(), half.smallScale);
      checkTiles(GetParam(), half, half.cpu(), 1, /*isRounded=*/true);
      checkTiles(GetParam(), half, half.cpu(), half.smallScale, /*isRounded=*/true);
      isRun = true;
    }
  if (!isRun)
    GTEST_SKIP() << "this processor lacks what code around tiles needs: avx512bf16";
}

// Of a result that goes past the caches vectors compute tiles, too, where registers are shorter than the tile's rows.
TEST(TiledKernel, StoresLargeResultsOnEveryLevel) {
  Product p{8192, 1024, 32};
  p.schedule = "block_m = 16, block_n = 32, block_k = 32, tile_m = 16, tile_n = 32, vector = 16, instruction = amx";
  for (const char *level : {"avx2", "avx512"}) {
    const KernelRunner kernel(p.text("bf16", "f32", "bf16"), *findCPULevel(level));
    EXPECT_TRUE(kernel.ok()) << level << ": " << kernel.errors;
  }
}

// Panels that kernels before have packed.
TEST(TiledKernel, ReadsPanels) {
  bool isRun = false;
  for (const Half &half : kHalves)
    if (const TileUnit unit(half.cpu()); unit.isThere()) {
      const Packed lhs{{3, 70, 75, 32, 64, 2, true}, false}, rhs{{3, 67, 75, 32, 64, 2, false}, true};
      KernelRunner kernel(productOfPanels(lhs, rhs, half.name,
                                          "block_m = 64, block_n = 32, block_k = 64, tile_m = 32, tile_n = 32, "
                                          "vector = 16, instruction = amx"),
                          half.cpu());
      ASSERT_TRUE(kernel.ok()) << kernel.errors;
      const auto a = half.random(lhs.count(), 1), b = half.random(rhs.count(), 2);
      const auto z = kernel.run({Buffer::of(packed(lhs, a)), Buffer::of(packed(rhs, b))}, true)[0].as<float>();
      for (int64_t q = 0; q < 3; ++q)
        for (int64_t i = 0; i < 70; ++i)
          for (int64_t j = 0; j < 67; ++j)
            ASSERT_EQ(z[(q * 70 + i) * 67 + j], sumOfTiles(
                                                    75, [&](int64_t l) { return a[lhs.at(q, i, l)]; },
                                                    [&](int64_t l) { return b[rhs.at(q, j, l)]; }, half))
                << half.name << ' ' << q << ' ' << i << ' ' << j;
      isRun = true;
    }
  if (!isRun)
    GTEST_SKIP() << "this processor lacks what code around tiles needs: avx512bf16";
}

// Full tiles and their tails in every direction, operands either way round, k in one chunk and in several.
INSTANTIATE_TEST_SUITE_P(
    Shapes, TiledContraction,
    testing::Values(
        Product{32, 32, 64, false, false, false, 0,
                "block_m = 32, block_n = 32, block_k = 64, tile_m = 32, tile_n = 32"},
        Product{1, 1, 1, false, false, true, 0, "block_m = 32, block_n = 32, block_k = 32, tile_m = 32, tile_n = 32"},
        Product{70, 67, 75, false, false, true, 0,
                "block_m = 64, block_n = 32, block_k = 32, tile_m = 32, tile_n = 32"},
        Product{70, 67, 75, true, false, true, 0, "block_m = 64, block_n = 32, block_k = 32, tile_m = 32, tile_n = 32"},
        Product{70, 67, 75, false, true, false, 0,
                "block_m = 32, block_n = 64, block_k = 64, tile_m = 16, tile_n = 64"},
        Product{41, 33, 99, true, true, true, 2, "block_m = 42, block_n = 32, block_k = 32, tile_m = 21, tile_n = 16"},
        Product{13, 48, 64, false, true, false, 3,
                "block_m = 13, block_n = 48, block_k = 64, tile_m = 13, tile_n = 48"},
        // Results of few columns, and of whole lines.
        Product{70, 3, 75, false, false, false, 2,
                "block_m = 64, block_n = 16, block_k = 64, tile_m = 32, tile_n = 16"},
        Product{70, 96, 75, false, false, false, 0,
                "block_m = 64, block_n = 64, block_k = 64, tile_m = 32, tile_n = 32"}));

static size_t countOf(std::string_view text, std::string_view what) {
  size_t count = 0;
  for (size_t at = text.find(what); at != text.npos; at = text.find(what, at + 1))
    ++count;
  return count;
}

// One configuration of the tiles, four products of each pair of panels, and nothing kept in memory within the loop.
TEST(TiledKernel, KeepsTilesInRegisters) {
  for (auto [type, level, instruction] :
       {std::tuple("bf16", "amx-bf16", "tdpbf16ps"), std::tuple("f16", "amx-fp16", "tdpfp16ps")})
    for (auto [rows, columns] :
         {std::pair(32, 32), std::pair(16, 64), std::pair(16, 96), std::pair(37, 16), std::pair(64, 16)}) {
      const std::string tileM = std::to_string(rows), tileN = std::to_string(columns);
      const Product p{74,
                      192,
                      96,
                      true,
                      false,
                      false,
                      0,
                      "block_m = " + tileM + ", block_n = " + tileN + ", block_k = 64, tile_m = " + tileM +
                          ", tile_n = " + tileN + ", vector = 16, instruction = amx"};
      KernelRunner kernel(p.text(type, "f32"), *findCPULevel(level), /*keepText=*/true);
      ASSERT_TRUE(kernel.ok()) << kernel.errors;
      const std::string &assembly = kernel.code->assembly;
      EXPECT_EQ(countOf(assembly, "\tldtilecfg"), 1u);
      const size_t rowTiles = (rows + 15) / 16, columnTiles = columns / 16;
      // LLVM may make two loops of one, for a first chunk and for others.
      size_t loops = 0;
      for (size_t from = 0, to = 0; to != assembly.npos; from = to + 1) {
        to = assembly.find("\n.LBB", from);
        std::string_view block = std::string_view(assembly).substr(from, to - from);
        block = block.substr(0, block.find("\n\tj")); // up to the branch back
        if (countOf(block, instruction) == 0)
          continue;
        ++loops;
        EXPECT_EQ(countOf(block, instruction), rowTiles * columnTiles) << block;
        EXPECT_EQ(countOf(block, "tileloadd"), rowTiles + columnTiles) << block;
        EXPECT_EQ(countOf(block, "tilestored") + countOf(block, "tilezero"), 0u) << block;
      }
      EXPECT_GE(loops, 1u);
    }
}

// The processor's conversion flushes subnormal numbers: it is for sums of tiles, which are none, and not behind a bias.
// Two vectors of sums are a line of bf16, three columns a part of a vector.
TEST(TiledKernel, RoundsSumsInOneInstruction) {
  for (bool hasBias : {false, true})
    for (auto [columns, instruction, store] :
         {std::tuple(64, "vcvtne2ps2bf16", "vmovups\t%zmm"), std::tuple(48, "vcvtneps2bf16", "vmovups\t%ymm"),
          std::tuple(3, "vcvtneps2bf16", "vmovdqu16\t%ymm")}) {
      const std::string tileN = columns < 16 ? "16" : "32";
      const Product p{64,
                      columns,
                      64,
                      false,
                      false,
                      hasBias,
                      0,
                      "block_m = 32, block_n = " + tileN + ", block_k = 64, tile_m = 32, tile_n = " + tileN +
                          ", vector = 16, instruction = amx"};
      KernelRunner kernel(p.text("bf16", "f32", "bf16"), *findCPULevel("amx-bf16"), /*keepText=*/true);
      ASSERT_TRUE(kernel.ok()) << kernel.errors;
      const std::string_view assembly = kernel.code->assembly;
      EXPECT_EQ(countOf(assembly, instruction) > 0, !hasBias) << columns;
      // Of the last loop with a conversion.
      if (const size_t at = assembly.rfind(instruction); !hasBias) {
        EXPECT_GT(countOf(assembly.substr(at), store), 0u) << assembly.substr(at);
      }
    }
}

// Few k are multiplied faster than lines of the result come: they are asked for before.
TEST(TiledKernel, AsksForLinesOfTheResult) {
  for (int64_t k : {64, 256}) {
    const std::string depth = std::to_string(k);
    const Product p{64,
                    64,
                    k,
                    false,
                    true,
                    false,
                    0,
                    "block_m = 64, block_n = 64, block_k = " + depth +
                        ", tile_m = 32, tile_n = 32, vector = 16, instruction = amx, read_lhs = true"};
    KernelRunner kernel(p.text("bf16", "f32", "bf16"), *findCPULevel("amx-bf16"), /*keepText=*/true);
    ASSERT_TRUE(kernel.ok()) << kernel.errors;
    EXPECT_EQ(countOf(kernel.code->assembly, "prefetch") > 0, k == 64);
  }
}

// Neither bits of f32 nor sums of f16 are taken for what these multiply.
TEST(TiledKernel, RefusesTypesThatTheInstructionHasNot) {
  const std::string sizes = "block_m = 32, block_n = 32, block_k = 32, tile_m = 16, tile_n = 16, vector = 16";
  for (auto [type, acc, instruction] : {std::tuple("f32", "f32", "amx"), std::tuple("f16", "f16", "amx"),
                                        std::tuple("f32", "f32", "dot"), std::tuple("f16", "f32", "dot")}) {
    const Product p{32, 32, 32, false, false, false, 0, sizes + ", instruction = " + instruction};
    KernelRunner kernel(p.text(type, acc));
    EXPECT_FALSE(kernel.ok());
    const std::string expected =
        std::string("multiplies '") + type + "' with sums in '" + acc + "', which " + instruction + " does not";
    EXPECT_NE(kernel.errors.find(expected), std::string::npos) << kernel.errors;
  }
}
