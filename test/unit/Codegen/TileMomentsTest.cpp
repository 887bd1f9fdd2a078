// Moments of a product's blocks of rows, where the product makes them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Against sums in f64 of what the kernel stored: near 0, and where the mean is ten thousand times the deviation, so
// that a difference of a mean square and a squared mean would have no digit left.

#include "Codegen/BlockMoments.h"
#include "Codegen/KernelRunner.h"
#include "Codegen/Values.h"

#include "mp/Numerics/Float.h"

#include <gtest/gtest.h>

#include <limits>

using namespace mp;
using namespace mp::test;

namespace {

struct BlocksOfRows {
  int64_t m, n, blockM, blockN;
  const char *tile, *type = "f32";
  static constexpr int64_t k = 5;

  bool isWide() const { return type == std::string("f32"); }
  std::string text() const {
    return momentsText(m, k, n, blockM, type,
                       "contraction<block_m = " + std::to_string(blockM) + ", block_n = " + std::to_string(blockN) +
                           ", block_k = 4, " + tile + ">");
  }
};

class TileMoments : public testing::TestWithParam<BlocksOfRows> {
protected:
  /// Of a * b and a bias of `mean` in each column.
  static BlockMoments run(const KernelRunner &kernel, const BlocksOfRows &p, const std::vector<float> &a, float mean,
                          bool backwards = false) {
    const std::vector<float> b = randomFloats(BlocksOfRows::k * p.n, 2, 1), bias(p.n, mean);
    auto buffer = [&](const std::vector<float> &values) {
      return p.isWide() ? Buffer::of(values) : Buffer::of(encoded(values, encodeBF16));
    };
    const std::vector<Buffer> results = kernel.run({buffer(a), buffer(b), buffer(bias)}, backwards);
    auto ofResult = [&](size_t number) {
      const std::vector<float> values = results[number].as<float>();
      return std::vector<double>(values.begin(), values.end());
    };
    BlockMoments found = {p.m, p.n, p.blockM, {}, ofResult(1), ofResult(2), ofResult(3), ofResult(4)};
    if (p.isWide())
      for (float value : results[0].as<float>())
        found.z.push_back(value);
    else
      for (uint16_t value : results[0].as<uint16_t>())
        found.z.push_back(decodeBF16(value));
    return found;
  }
};

} // namespace

TEST_P(TileMoments, AreThoseOfWhatIsStored) {
  const BlocksOfRows &p = GetParam();
  const KernelRunner kernel(p.text());
  ASSERT_TRUE(kernel.ok()) << kernel.errors;
  for (auto [mean, deviation] : {std::pair(0.0f, 1.0f), std::pair(1000.0f, 0.05f)}) {
    const std::vector<float> a = randomFloats(p.m * BlocksOfRows::k, 1, deviation);
    const BlockMoments found = run(kernel, p, a, mean), again = run(kernel, p, a, mean, /*backwards=*/true);
    EXPECT_EQ(found.sums, again.sums);
    EXPECT_EQ(found.squares, again.squares);
    found.expectOfWhatIsStored();
  }
}

TEST_P(TileMoments, InfinitiesAndNaN) {
  const BlocksOfRows &p = GetParam();
  const KernelRunner kernel(p.text());
  ASSERT_TRUE(kernel.ok()) << kernel.errors;
  constexpr float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  for (float bad : {inf, nan})
    for (int64_t row : {int64_t(0), p.m / 2, p.m - 1}) {
      std::vector<float> a = randomFloats(p.m * BlocksOfRows::k, 1, 1);
      a[row * BlocksOfRows::k] = bad;
      const BlockMoments found = run(kernel, p, a, 0);
      found.expectInfinitiesOf(row);
    }
}

// One row and one column, rows that no block divides, several tiles in a block, columns in vectors and one by one,
// blocks beside each other.
INSTANTIATE_TEST_SUITE_P(Shapes, TileMoments,
                         testing::Values(BlocksOfRows{1, 1, 4, 8, "tile_m = 4, tile_n = 8, vector = 4"},
                                         BlocksOfRows{9, 16, 4, 8, "tile_m = 4, tile_n = 8, vector = 4"},
                                         BlocksOfRows{333, 3, 100, 8, "tile_m = 4, tile_n = 8, vector = 8"},
                                         BlocksOfRows{130, 23, 64, 16, "tile_m = 4, tile_n = 8, vector = 8"},
                                         BlocksOfRows{1025, 36, 512, 64, "tile_m = 4, tile_n = 16, vector = 16"},
                                         BlocksOfRows{40, 20, 66, 16, "tile_m = 6, tile_n = 16, vector = 8", "bf16"},
                                         BlocksOfRows{97, 33, 32, 32, "tile_m = 4, tile_n = 32, vector = 8", "bf16"}));

/// That a kernel is refused which has `replace` instead of `find`, and that this is said of it.
static void expectRefused(llvm::StringRef find, llvm::StringRef replace, llvm::StringRef said) {
  std::string text = BlocksOfRows{16, 8, 8, 8, "tile_m = 4, tile_n = 8, vector = 8"}.text();
  const size_t at = text.find(find);
  ASSERT_NE(at, std::string::npos) << text;
  text.replace(at, find.size(), replace);
  const KernelRunner kernel(text);
  EXPECT_FALSE(kernel.ok());
  EXPECT_NE(kernel.errors.find(said), std::string::npos) << kernel.errors;
}

// A block stores as many rows of moments as there are blocks of rows, of one matrix.
TEST(TileMomentsOf, OtherBlocksAreRefused) {
  expectRefused("moments %0 block 8", "moments %0 block 9",
                "reduces tiles of 9 rows, its product is made in blocks of 8 x 8");
}

TEST(TileMomentsOf, BothAreYieldedTogether) {
  expectRefused("mp.yield %0, %1, %2", "mp.yield %0, %2, %1", "has results that are not yielded one after the other");
}
