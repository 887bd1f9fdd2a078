// Gradients of filters of few channels, whose panels a block packs from rows of pixels: the bits of packed operands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Pixels.h"

using namespace mp;
using namespace mp::test;

// Rows of taps shorter than a vector and longer, in one panel and across two; rows of kept pixels of an odd number of
// elements; chunks of one row of pixels, of several, of an image and of two; strides and dilations; channels of one
// tap; parts of images.
static const Pixels kStretchCases[] = {
    {"colours", kFilterGrad, "2x8x32x3x", "2x8x32x16x", "16x3x3x3x", "{padding = same}", 2 * 256 * 3, 2 * 256 * 16,
     "block_m = 16, block_n = 32, block_k = 64, tile_m = 16, tile_n = 32"},
    {"rows of a register", kFilterGrad, "2x4x32x3x", "2x4x32x20x", "20x3x3x3x", "{padding = same}", 2 * 128 * 3,
     2 * 128 * 20, "block_m = 32, block_n = 32, block_k = 32, tile_m = 32, tile_n = 16"},
    {"long rows of taps under strides", kFilterGrad, "2x16x32x3x", "2x8x16x16x", "16x7x7x3x",
     "{strides = [2, 2], padding = [3, 3, 3, 3]}", 2 * 512 * 3, 2 * 128 * 16,
     "block_m = 16, block_n = 160, block_k = 64, tile_m = 16, tile_n = 32"},
    {"whole images", kFilterGrad, "4x8x8x5x", "4x8x8x16x", "16x3x3x5x", "{padding = same}", 4 * 64 * 5, 4 * 64 * 16,
     "block_m = 16, block_n = 48, block_k = 128, tile_m = 16, tile_n = 48"},
    {"without edges", kFilterGrad, "2x10x18x4x", "2x8x16x16x", "16x3x3x4x", "", 2 * 180 * 4, 2 * 128 * 16,
     "block_m = 16, block_n = 48, block_k = 32, tile_m = 16, tile_n = 48"},
    {"dilations", kFilterGrad, "2x8x16x3x", "2x8x16x16x", "16x3x2x3x", "{padding = [2, 2, 1, 2], dilations = [2, 3]}",
     2 * 128 * 3, 2 * 128 * 16, "block_m = 16, block_n = 32, block_k = 64, tile_m = 16, tile_n = 16"},
    {"parts", kInParts, "4x2x16x3x", "4x2x16x16x", "4x16x3x3x3x", "{padding = same}", 128 * 3, 128 * 16,
     "block_m = 16, block_n = 32, block_k = 32, tile_m = 16, tile_n = 32"},
};

TEST(DepthStretches, HaveTheBitsOfPackedOperands) {
  if (hostLevel().vectorBits < 256)
    GTEST_SKIP() << "tiles in vectors of four lanes take minutes to compile";
  checkBits(std::span(kStretchCases).first(1), kPackedTiles, hostVectorLevel(), "bf16", kTiles, kReadsRhs);
}

TEST(DepthStretches, HaveTheBitsOfPackedOperandsOnTheUnit) { checkOnTheUnit(kStretchCases, kReadsRhs); }

// What is infinite of a pixel reaches the taps that see it, and no others.
TEST(DepthStretches, KeepInfinitiesToTheirTaps) {
  Pixels grad = kStretchCases[0];
  grad.hasInfinity = true;
  checkOnTheUnit(std::span(&grad, 1), kReadsRhs);
}

// What is in front of the pixels is computed as their rows are copied.
TEST(DepthStretches, ComputeWhatIsInFront) {
  Pixels grad = kStretchCases[0];
  grad.front = "mp.relu";
  checkOnTheUnit(std::span(&grad, 1), kReadsRhs);
}

// Blocks of a part of the columns, chunks that do not divide an image, and rows of an odd number of pixels.
TEST(DepthStretches, RefuseOtherImages) {
  Pixels columns = kStretchCases[2], rows = kStretchCases[0], odd = rows;
  columns.blocks = "block_m = 16, block_n = 64, block_k = 64, tile_m = 16, tile_n = 32";
  rows.blocks = "block_m = 16, block_n = 32, block_k = 96, tile_m = 16, tile_n = 32";
  odd.lhs = "2x8x31x3x", odd.filter = "2x8x31x16x";
  for (const Pixels &p : {columns, rows, odd}) {
    KernelRunner kernel(p.text(std::string(p.blocks) + kTiles + kReadsRhs, "bf16"), *findCPULevel("amx-bf16"));
    EXPECT_FALSE(kernel.ok()) << p.lhs;
    EXPECT_NE(kernel.errors.find("as reading panels of it needs"), std::string::npos) << kernel.errors;
  }
}
