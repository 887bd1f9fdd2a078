// Checks of a product's blocks, where the product makes them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Of two vectors' outer product one element overflows, wherever it is: in the first or last row or column of a block,
// of a tile, of the matrix, of one batch. The flag of its block is 1, all others are 0.

#include "Codegen/KernelRunner.h"

#include <gtest/gtest.h>

#include <set>

using namespace mp;
using namespace mp::test;

namespace {

struct CheckedProduct {
  int64_t batch, m, n, k, blockM, blockN;
  const char *tile;
  bool isTransposed = false; ///< blockM and blockN are those of the result's rows and columns all the same

  int64_t blocksM() const { return (m + blockM - 1) / blockM; }
  int64_t blocksN() const { return (n + blockN - 1) / blockN; }
  std::string type(int64_t rows, int64_t columns) const {
    return "tensor<" + std::to_string(batch) + "x" + std::to_string(rows) + "x" + std::to_string(columns) + "xf32>";
  }
  std::string text() const {
    const std::string a = type(m, k), b = type(k, n), c = type(m, n);
    const std::string flags = "tensor<" + std::to_string(batch * blocksM() * blocksN()) + "xi32>";
    const std::string blocks = std::to_string(blockM) + " x " + std::to_string(blockN);
    return "func.func @f(%a: " + a + ", %b: " + b + ") {\n%z:2 = mp.kernel \"k\" (%x = %a, %y = %b) " +
           "schedule(#mp.contraction<block_m = " + std::to_string(isTransposed ? blockN : blockM) +
           ", block_n = " + std::to_string(isTransposed ? blockM : blockN) + ", block_k = 4, " + tile +
           (isTransposed ? ", transposed = true" : "") + ">) : (" + a + ", " + b + ") -> (" + c + ", " + flags +
           ") {\n%0 = mp.matmul %x, %y acc f32 : " + a + ", " + b + " -> " + c + "\n%1 = mp.relu %0 : " + c +
           "\n%2 = mp.nonfinite_tiles %1 tile " + blocks + " : " + c + " -> " + flags + "\nmp.yield %1, %2 : " + c +
           ", " + flags + "\n}\nreturn\n}\n";
  }
};

/// The first and last of each tile of `tile` and each block of `block`, as far as there are any.
std::set<int64_t> edges(int64_t size, int64_t block, int64_t tile) {
  std::set<int64_t> found = {0, size - 1};
  for (int64_t step : {block, tile})
    for (int64_t at = step; at < size; at += step)
      found.insert({at - 1, at});
  return found;
}

class TileChecks : public testing::TestWithParam<CheckedProduct> {};

} // namespace

TEST_P(TileChecks, FlagTheBlockOfTheOneElementThatOverflows) {
  const CheckedProduct &p = GetParam();
  const KernelRunner kernel(p.text());
  ASSERT_TRUE(kernel.ok()) << kernel.errors;
  for (int64_t q = 0; q < p.batch; ++q)
    for (int64_t i : edges(p.m, p.blockM, 4))
      for (int64_t j : edges(p.n, p.blockN, 8)) {
        std::vector<float> a(p.batch * p.m * p.k, 1.0f), b(p.batch * p.k * p.n, 1.0f);
        a[(q * p.m + i) * p.k + p.k - 1] = b[(q * p.k + p.k - 1) * p.n + j] = 1e20f;
        std::vector<int32_t> expected(p.batch * p.blocksM() * p.blocksN());
        expected[(q * p.blocksM() + i / p.blockM) * p.blocksN() + j / p.blockN] = 1;
        EXPECT_EQ(kernel.run({Buffer::of(a), Buffer::of(b)}).back().as<int32_t>(), expected)
            << "batch " << q << ", row " << i << ", column " << j;
      }
}

INSTANTIATE_TEST_SUITE_P(Shapes, TileChecks,
                         testing::Values(CheckedProduct{1, 1, 1, 1, 4, 8, "tile_m = 4, tile_n = 8, vector = 4"},
                                         CheckedProduct{1, 9, 16, 3, 4, 8, "tile_m = 4, tile_n = 8, vector = 4"},
                                         CheckedProduct{1, 13, 23, 9, 8, 16, "tile_m = 4, tile_n = 8, vector = 8"},
                                         CheckedProduct{2, 5, 20, 6, 8, 8, "tile_m = 4, tile_n = 8, vector = 8"},
                                         CheckedProduct{1, 6, 36, 5, 4, 64, "tile_m = 4, tile_n = 16, vector = 16"},
                                         CheckedProduct{2, 13, 20, 6, 8, 12, "tile_m = 4, tile_n = 8, vector = 8",
                                                        true}));

// Columns of so long products are taken in twos: three are two and one.
INSTANTIATE_TEST_SUITE_P(LongShapes, TileChecks,
                         testing::Values(CheckedProduct{2, 5, 20, 1 << 16, 4, 8,
                                                        "tile_m = 4, tile_n = 8, vector = 8"}));

TEST(TileChecks, OtherReductionsOfTilesAreThoseOfGPUs) {
  const KernelRunner kernel(
      "func.func @f(%a: tensor<4x4xf32>, %b: tensor<4x8xf32>) {\n%z:2 = mp.kernel \"k\" (%x = %a, %y = %b) "
      "schedule(#mp.contraction<block_m = 4, block_n = 8, block_k = 4, tile_m = 4, tile_n = 8, vector = 4>) : "
      "(tensor<4x4xf32>, tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<1x8xf32>) {\n%0 = mp.matmul %x, %y acc f32 : "
      "tensor<4x4xf32>, tensor<4x8xf32> -> tensor<4x8xf32>\n%1 = mp.sum_row_blocks %0 block 4 : tensor<4x8xf32> -> "
      "tensor<1x8xf32>\nmp.yield %0, %1 : tensor<4x8xf32>, tensor<1x8xf32>\n}\nreturn\n}\n");
  EXPECT_FALSE(kernel.ok());
  EXPECT_NE(kernel.errors.find("reduces tiles of a product, for which a CPU has no code"), std::string::npos)
      << kernel.errors;
}
