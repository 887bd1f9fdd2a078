// Convolutions of few channels in pairs and in tile registers, packed from rows of pixels: the bits of packed operands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Pixels.h"

using namespace mp;
using namespace mp::test;

// Convolutions in tile registers, of whose rows of taps a block packs panels from the rows that it keeps: rows of odd
// lengths, edges on all sides, on some and on none; strides and dilations; gradients; a part of an image, one and
// several; k that ends with a register and within one.
static const Pixels kStretchCases[] = {
    {"colours", kConv, "2x5x8x3x", "24x3x3x3x", "2x5x8x24x", "{padding = same}", 2 * 40 * 3, 24 * 27,
     "block_m = 40, block_n = 32, block_k = 32, tile_m = 20, tile_n = 32"},
    {"long taps of colours", kConv, "2x16x20x3x", "16x7x7x3x", "2x8x10x16x", "{strides = [2, 2], padding = same}",
     2 * 320 * 3, 16 * 147, "block_m = 20, block_n = 16, block_k = 160, tile_m = 10, tile_n = 16"},
    {"half registers", kConv, "4x4x16x16x", "16x3x3x16x", "4x4x16x16x", "{padding = same}", 4 * 64 * 16, 16 * 144,
     "block_m = 128, block_n = 16, block_k = 160, tile_m = 32, tile_n = 16"},
    {"one and a half", kConv, "1x4x9x48x", "16x3x3x48x", "1x2x7x16x", "", 36 * 48, 16 * 432,
     "block_m = 14, block_n = 16, block_k = 448, tile_m = 14, tile_n = 16"},
    {"gradient", kGradient, "2x5x8x16x", "16x3x3x24x", "2x5x8x24x", "{padding = same}", 2 * 40 * 16, 16 * 9 * 24,
     "block_m = 40, block_n = 32, block_k = 160, tile_m = 8, tile_n = 32"},
    {"dilations", kConv, "1x9x11x5x", "16x3x3x5x", "1x5x5x16x", "{dilations = [2, 3]}", 99 * 5, 16 * 45,
     "block_m = 5, block_n = 16, block_k = 64, tile_m = 5, tile_n = 16"},
    {"padded unevenly", kConv, "1x6x7x3x", "17x3x2x3x", "1x8x6x17x", "{padding = [2, 2, 0, 0]}", 42 * 3, 17 * 18,
     "block_m = 24, block_n = 32, block_k = 32, tile_m = 6, tile_n = 32"},
    {"one side", kConv, "1x4x5x7x", "16x2x2x7x", "1x4x5x16x", "{padding = [0, 1, 1, 0]}", 20 * 7, 16 * 28,
     "block_m = 10, block_n = 16, block_k = 32, tile_m = 5, tile_n = 16"},
    {"a register", kConv, "1x5x8x4x", "16x2x4x4x", "1x4x5x16x", "", 40 * 4, 16 * 32,
     "block_m = 20, block_n = 16, block_k = 32, tile_m = 20, tile_n = 16"},
    {"behind an op", kConv, "2x5x8x3x", "24x3x3x3x", "2x5x8x24x", "{padding = same}", 2 * 40 * 3, 24 * 27,
     "block_m = 40, block_n = 32, block_k = 32, tile_m = 20, tile_n = 32", "mp.exp"},
    {"tiles of columns", kConv, "2x5x8x3x", "40x3x3x3x", "2x5x8x40x", "{padding = same}", 2 * 40 * 3, 40 * 27,
     "block_m = 40, block_n = 48, block_k = 32, tile_m = 10, tile_n = 16"},
};

// The same for dot products of pairs, whose panels end with the pair that has the last k.
static const Pixels kPairCases[] = {
    {"colours", kConv, "2x5x8x3x", "24x3x3x3x", "2x5x8x24x", "{padding = same}", 2 * 40 * 3, 24 * 27,
     "block_m = 40, block_n = 32, block_k = 28, tile_m = 8, tile_n = 16"},
    {"behind an op", kConv, "2x5x7x3x", "24x3x3x3x", "2x5x7x24x", "{padding = same}", 2 * 35 * 3, 24 * 27,
     "block_m = 35, block_n = 32, block_k = 28, tile_m = 7, tile_n = 16", "mp.exp"},
    {"long taps of colours", kConv, "2x16x20x3x", "16x7x7x3x", "2x8x10x16x", "{strides = [2, 2], padding = same}",
     2 * 320 * 3, 16 * 147, "block_m = 20, block_n = 16, block_k = 148, tile_m = 10, tile_n = 8"},
    {"dilations", kConv, "1x9x11x5x", "16x3x3x5x", "1x5x5x16x", "{dilations = [2, 3]}", 99 * 5, 16 * 45,
     "block_m = 5, block_n = 16, block_k = 46, tile_m = 5, tile_n = 8"},
    {"one side", kConv, "1x4x5x7x", "16x2x2x7x", "1x4x5x16x", "{padding = [0, 1, 1, 0]}", 20 * 7, 16 * 28,
     "block_m = 10, block_n = 16, block_k = 28, tile_m = 5, tile_n = 8"},
    {"gradient", kGradient, "2x5x8x5x", "5x3x3x24x", "2x5x8x24x", "{padding = same}", 2 * 40 * 5, 5 * 9 * 24,
     "block_m = 80, block_n = 32, block_k = 60, tile_m = 4, tile_n = 8"},
};

TEST(PixelStretches, HaveTheBitsOfPackedOperands) {
  if (hostLevel().vectorBits < 256)
    GTEST_SKIP() << "tiles in vectors of four lanes take minutes to compile";
  checkBits(std::span(kStretchCases).first(1), kPackedTiles, hostVectorLevel(), "bf16", kTiles);
}

TEST(PixelStretches, HaveTheBitsOfPackedOperandsOnTheUnit) { checkOnTheUnit(kStretchCases, ", read_lhs = true"); }

TEST(PixelStretches, HaveTheBitsOfPackedPairs) {
  if (!hostLevel().dotsBF16)
    GTEST_SKIP() << "this processor lacks avx512bf16";
  checkBits(kPairCases, kPackedVectors, hostLevel(), "bf16", ", vector = 4, instruction = dot");
}

// What a vector has of the next pixel is not multiplied, by 0 or anything else.
TEST(PixelStretches, KeepInfinitiesToTheirPixels) {
  for (Pixels p : {kStretchCases[0], kStretchCases[5]}) {
    p.hasInfinity = true;
    checkOnTheUnit(std::span(&p, 1), ", read_lhs = true");
  }
}

// Blocks that cut a row, and steps of a part of k.
TEST(PixelStretches, RefuseOtherBlocks) {
  for (const char *blocks : {"block_m = 20, block_n = 32, block_k = 160, tile_m = 20, tile_n = 32",
                             "block_m = 64, block_n = 32, block_k = 96, tile_m = 32, tile_n = 32"}) {
    KernelRunner kernel(kStretchCases[2].text(std::string(blocks) + kTiles + ", read_lhs = true", "bf16"),
                        *findCPULevel("amx-bf16"));
    EXPECT_FALSE(kernel.ok()) << blocks;
    EXPECT_NE(kernel.errors.find("or all of k, as reading it there needs"), std::string::npos) << kernel.errors;
  }
}

// Where tiles are reduced down their columns a block has panels of all of its pixels: the moments of packed operands.
TEST(PixelStretches, AreOfABlockWhereTilesAreReduced) {
  const TileUnit unit(*findCPULevel("amx-bf16"));
  if (!unit.isThere())
    GTEST_SKIP() << "this processor lacks what code around tiles needs: avx512bf16";
  auto run = [](const std::string &reads) {
    const std::string x = "tensor<2x5x8x3xbf16>", w = "tensor<40x3x3x3xbf16>", z = "tensor<2x5x8x40xbf16>",
                      m = ", tensor<2x40xf32>", all = z + m + m + m + m;
    const std::string schedule = "block_m = 40, block_n = 48, block_k = 32, tile_m = 10, tile_n = 16";
    KernelRunner kernel("func.func @f(%x: " + x + ", %w: " + w + ") {\n%z:5 = mp.kernel \"k\" (%a = %x, %b = %w) " +
                            "schedule(#mp.contraction<" + schedule + kTiles + reads + ">) : (" + x + ", " + w +
                            ") -> (" + all + ") {\n%0 = mp.conv %a, %b acc f32 {padding = same} : " + x + ", " + w +
                            " -> " + z + "\n%1, %2, %3, %4 = mp.row_block_moments %0 block 40 : " + z +
                            "\nmp.yield %0, %1, %2, %3, %4 : " + all + "\n}\nreturn\n}\n",
                        *findCPULevel("amx-bf16"));
    EXPECT_TRUE(kernel.ok()) << kernel.errors;
    return kernel.ok() ? kernel.run({Buffer::of(encoded(randomFloats(240, 1), encodeBF16)),
                                     Buffer::of(encoded(randomFloats(40 * 27, 2), encodeBF16))},
                                    true)
                       : std::vector<Buffer>();
  };
  const auto packed = run(""), read = run(", read_lhs = true");
  ASSERT_EQ(packed.size(), read.size());
  ASSERT_FALSE(read.empty());
  for (size_t number = 0; number < read.size(); ++number)
    EXPECT_EQ(packed[number].bytes, read[number].bytes) << number;
}
