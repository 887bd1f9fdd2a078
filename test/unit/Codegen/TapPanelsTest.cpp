// Gradients of filters whose tile registers read panels of pixels: the bits of the same products with packed operands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Pixels.h"

#include "llvm/ADT/StringRef.h"

#include <array>

using namespace mp;
using namespace mp::test;

// Gradients of filters in tile registers, which read panels for all rows of taps: rows of pixels that 32 divides, and
// that divide it; registers of pixels of two images, of the last image alone, and chunks that begin and end within
// images; strides and dilations, whose rows of taps see rows of one kind or of several; channels that are taps' with a
// register; columns behind the last, and blocks of some of each row of taps; rows of an odd number of pixels, whose
// pairs lie otherwise for some rows of taps, and images of such a number, which end within a pair; parts of images.
static const Pixels kPanelCases[] = {
    {"rows of a register", kFilterGrad, "2x4x32x16x", "2x4x32x16x", "16x3x3x16x", "{padding = same}", 2 * 128 * 16,
     2 * 128 * 16, "block_m = 16, block_n = 144, block_k = 64, tile_m = 16, tile_n = 16"},
    {"images in a chunk", kFilterGrad, "5x8x8x16x", "5x8x8x24x", "24x3x3x16x", "{padding = same}", 5 * 64 * 16,
     5 * 64 * 24, "block_m = 32, block_n = 192, block_k = 128, tile_m = 32, tile_n = 32"},
    {"registers of two images", kFilterGrad, "4x6x6x16x", "4x6x6x5x", "5x3x3x16x", "{padding = same}", 4 * 36 * 16,
     4 * 36 * 5, "block_m = 8, block_n = 160, block_k = 96, tile_m = 8, tile_n = 32"},
    {"without edges", kFilterGrad, "3x9x16x32x", "3x7x14x16x", "16x3x3x32x", "", 3 * 144 * 32, 3 * 98 * 16,
     "block_m = 16, block_n = 320, block_k = 64, tile_m = 16, tile_n = 64"},
    {"one image of no whole registers", kFilterGrad, "1x10x10x16x", "1x10x10x16x", "16x2x2x16x",
     "{padding = [0, 1, 1, 0]}", 100 * 16, 100 * 16,
     "block_m = 16, block_n = 64, block_k = 256, tile_m = 16, tile_n = 32"},
    {"strides", kFilterGrad, "3x16x16x16x", "3x8x8x16x", "16x3x3x16x", "{strides = [2, 2], padding = same}",
     3 * 256 * 16, 3 * 64 * 16, "block_m = 16, block_n = 144, block_k = 96, tile_m = 16, tile_n = 16"},
    {"strides of rows", kFilterGrad, "2x19x6x16x", "2x6x6x16x", "16x5x1x16x",
     "{strides = [3, 1], padding = [1, 1, 0, 0]}", 2 * 114 * 16, 2 * 36 * 16,
     "block_m = 16, block_n = 80, block_k = 32, tile_m = 16, tile_n = 16"},
    {"strides longer than taps", kFilterGrad, "1x31x6x16x", "1x7x6x16x", "16x3x1x16x",
     "{strides = [5, 1], padding = [1, 1, 0, 0]}", 31 * 6 * 16, 42 * 16,
     "block_m = 16, block_n = 48, block_k = 32, tile_m = 16, tile_n = 16"},
    {"dilations", kFilterGrad, "2x9x14x16x", "2x5x8x16x", "16x3x3x16x", "{dilations = [2, 3]}", 2 * 126 * 16,
     2 * 40 * 16, "block_m = 16, block_n = 144, block_k = 64, tile_m = 16, tile_n = 16"},
    {"dilations as strides", kFilterGrad, "2x13x14x16x", "2x5x8x16x", "16x3x3x16x",
     "{strides = [2, 1], dilations = [2, 3]}", 2 * 182 * 16, 2 * 40 * 16,
     "block_m = 16, block_n = 144, block_k = 64, tile_m = 16, tile_n = 16"},
    {"strides and dilations", kFilterGrad, "2x15x10x16x", "2x5x8x16x", "16x3x3x16x",
     "{strides = [2, 1], dilations = [3, 1]}", 2 * 150 * 16, 2 * 40 * 16,
     "block_m = 16, block_n = 144, block_k = 64, tile_m = 16, tile_n = 16"},
    {"taps of a register", kFilterGrad, "2x8x9x8x", "2x8x8x16x", "16x3x2x8x", "{padding = [1, 1, 0, 0]}", 2 * 72 * 8,
     2 * 64 * 16, "block_m = 16, block_n = 48, block_k = 64, tile_m = 16, tile_n = 16"},
    {"rows of odd pixels", kFilterGrad, "4x7x7x16x", "4x7x7x16x", "16x3x3x16x", "{padding = same}", 4 * 49 * 16,
     4 * 49 * 16, "block_m = 16, block_n = 144, block_k = 96, tile_m = 16, tile_n = 48"},
    {"rows of odd pixels, images of even", kFilterGrad, "3x10x7x16x", "3x10x7x16x", "16x2x2x16x",
     "{padding = [0, 1, 1, 0]}", 3 * 70 * 16, 3 * 70 * 16,
     "block_m = 16, block_n = 64, block_k = 64, tile_m = 16, tile_n = 32"},
    {"rows of odd pixels, without edges", kFilterGrad, "2x15x15x32x", "2x13x13x16x", "16x3x3x32x", "", 2 * 225 * 32,
     2 * 169 * 16, "block_m = 16, block_n = 288, block_k = 128, tile_m = 16, tile_n = 48"},
    {"rows of odd pixels, an odd number of rows below", kFilterGrad, "3x9x7x16x", "3x9x7x16x", "16x4x1x16x",
     "{padding = [1, 2, 0, 0]}", 3 * 63 * 16, 3 * 63 * 16,
     "block_m = 16, block_n = 64, block_k = 32, tile_m = 16, tile_n = 16"},
    {"rows of odd pixels under strides", kFilterGrad, "2x13x13x16x", "2x7x7x16x", "16x3x3x16x",
     "{strides = [2, 2], padding = [1, 1, 1, 1]}", 2 * 169 * 16, 2 * 49 * 16,
     "block_m = 16, block_n = 144, block_k = 64, tile_m = 16, tile_n = 48"},
    {"one image of odd pixels", kFilterGrad, "1x9x9x16x", "1x9x9x16x", "16x3x3x16x", "{padding = same}", 81 * 16,
     81 * 16, "block_m = 16, block_n = 144, block_k = 256, tile_m = 16, tile_n = 48"},
    {"one image of odd pixels, edges below", kFilterGrad, "1x9x9x32x", "1x9x9x16x", "16x3x3x32x",
     "{padding = [0, 2, 0, 2]}", 81 * 32, 81 * 16,
     "block_m = 16, block_n = 288, block_k = 256, tile_m = 16, tile_n = 32"},
    {"channels of all taps", kFilterGrad, "2x8x8x64x", "2x8x8x16x", "16x3x3x64x", "{padding = same}", 2 * 64 * 64,
     2 * 64 * 16, "block_m = 16, block_n = 96, block_k = 64, tile_m = 16, tile_n = 16"},
    {"channels of all taps of two kinds", kFilterGrad, "2x13x13x32x", "2x7x7x16x", "16x3x3x32x",
     "{strides = [2, 2], padding = [1, 1, 1, 1]}", 2 * 169 * 32, 2 * 49 * 16,
     "block_m = 16, block_n = 144, block_k = 64, tile_m = 16, tile_n = 48"},
    {"parts", kInParts, "5x4x8x16x", "5x4x8x16x", "5x16x3x3x16x", "{padding = same}", 160 * 16, 160 * 16,
     "block_m = 16, block_n = 144, block_k = 32, tile_m = 16, tile_n = 16"},
    {"parts of images", kInParts, "2x8x8x16x", "2x8x8x16x", "4x16x3x3x16x", "{padding = same}", 128 * 16, 128 * 16,
     "block_m = 16, block_n = 144, block_k = 32, tile_m = 16, tile_n = 16"},
};

TEST(TapPanels, HaveTheBitsOfPackedOperands) {
  if (hostLevel().vectorBits < 256)
    GTEST_SKIP() << "tiles in vectors of four lanes take minutes to compile";
  constexpr size_t kOdd = 12;
  for (size_t number : {size_t(2), kOdd})
    checkBits(std::span(kPanelCases).subspan(number, 1), kPackedTiles, hostVectorLevel(), "bf16", kTiles, kReadsRhs);
}

TEST(TapPanels, HaveTheBitsOfPackedOperandsOnTheUnit) { checkOnTheUnit(kPanelCases, kReadsRhs); }

// What is infinite of a pixel reaches the taps that see it, and no others: no register has it for a k that is 0.
TEST(TapPanels, KeepInfinitiesToTheirTaps) {
  constexpr std::array<size_t, 4> kEndWithinRegisters = {2, 4, 12, 17};
  for (size_t number : kEndWithinRegisters) {
    Pixels grad = kPanelCases[number];
    grad.hasInfinity = true;
    checkOnTheUnit(std::span(&grad, 1), kReadsRhs);
  }
}

// One configuration; a loop has a product for each register of sums, loads of what it multiplies, and no branch for
// what is of two images.
TEST(TapPanels, KeepTilesInRegisters) {
  const Pixels &p = kPanelCases[2];
  KernelRunner kernel(p.text(std::string(p.blocks) + kTiles + kReadsRhs, "bf16"), *findCPULevel("amx-bf16"),
                      /*keepText=*/true);
  ASSERT_TRUE(kernel.ok()) << kernel.errors;
  const std::string &assembly = kernel.code->assembly;
  EXPECT_EQ(llvm::StringRef(assembly).count("\tldtilecfg"), 1u);
  size_t loops = 0;
  for (size_t from = 0, to = 0; to != assembly.npos; from = to + 1) {
    to = assembly.find("\n.LBB", from);
    llvm::StringRef block = llvm::StringRef(assembly).slice(from, to);
    block = block.take_front(block.find("\n\tj")); // up to the branch back
    if (!block.contains("tdpbf16ps"))
      continue;
    ++loops;
    EXPECT_EQ(block.count("tdpbf16ps"), 2u) << block.str();
    EXPECT_EQ(block.count("tileloadd"), 3u) << block.str();
    EXPECT_EQ(block.count("tilestored") + block.count("tilezero"), 0u) << block.str();
  }
  EXPECT_GE(loops, 1u);
}

// One row of taps, images of fewer pixels than a register has, and blocks of more columns of one row of taps than of
// another.
TEST(TapPanels, RefuseOtherImages) {
  Pixels flat = kPanelCases[0], small = flat;
  flat.result = "16x1x3x16x";
  small.lhs = "2x4x6x16x", small.filter = "2x4x6x16x";
  Pixels uneven = small;
  uneven.lhs = "2x4x32x16x", uneven.filter = "2x4x32x16x";
  uneven.blocks = "block_m = 16, block_n = 96, block_k = 64, tile_m = 16, tile_n = 16";
  for (const Pixels &p : {flat, small, uneven}) {
    KernelRunner kernel(p.text(std::string(p.blocks) + kTiles + kReadsRhs, "bf16"), *findCPULevel("amx-bf16"));
    EXPECT_FALSE(kernel.ok()) << p.lhs;
    EXPECT_NE(kernel.errors.find("as reading panels of it needs"), std::string::npos) << kernel.errors;
  }
}
