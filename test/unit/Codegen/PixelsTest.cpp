// Convolutions whose tiles read rows of pixels: the bits of the same products with packed operands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Pixels.h"

#include "llvm/ADT/StringRef.h"

using namespace mp;
using namespace mp::test;

namespace {

// Padding on no side, on all and on some; strides and dilations; gradients of images; blocks of some rows of an
// image, of an image and of several; tiles that 16 does not divide; chunks of k within a tap; columns behind the last.
const Pixels kCases[] = {
    {"plain", kConv, "2x6x18x32x", "32x3x3x32x", "2x4x16x32x", "", 2 * 6 * 18 * 32, 32 * 9 * 32,
     "block_m = 32, block_n = 32, block_k = 96, tile_m = 32, tile_n = 32"},
    {"padded", kConv, "4x5x5x32x", "40x3x3x32x", "4x5x5x40x", "{padding = same}", 4 * 25 * 32, 40 * 9 * 32,
     "block_m = 50, block_n = 64, block_k = 288, tile_m = 5, tile_n = 64"},
    {"padded unevenly", kConv, "1x6x7x64x", "17x3x2x64x", "1x8x6x17x", "{padding = [2, 2, 0, 0]}", 42 * 64, 17 * 6 * 64,
     "block_m = 24, block_n = 32, block_k = 32, tile_m = 6, tile_n = 32"},
    {"one side", kConv, "1x4x4x32x", "16x2x2x32x", "1x4x4x16x", "{padding = [0, 1, 1, 0]}", 16 * 32, 16 * 4 * 32,
     "block_m = 4, block_n = 16, block_k = 64, tile_m = 4, tile_n = 16"},
    {"strides", kConv, "2x7x9x32x", "16x3x3x32x", "2x3x4x16x", "{strides = [2, 2]}", 2 * 63 * 32, 16 * 9 * 32,
     "block_m = 12, block_n = 16, block_k = 96, tile_m = 4, tile_n = 16"},
    {"strides that leave columns", kConv, "2x8x10x32x", "16x3x3x32x", "2x3x4x16x", "{strides = [2, 2]}", 2 * 80 * 32,
     16 * 9 * 32, "block_m = 24, block_n = 16, block_k = 96, tile_m = 4, tile_n = 16"},
    {"strides, padded", kConv, "2x8x8x32x", "16x3x3x32x", "2x4x4x16x", "{strides = [2, 2], padding = same}",
     2 * 64 * 32, 16 * 9 * 32, "block_m = 8, block_n = 16, block_k = 96, tile_m = 4, tile_n = 16"},
    {"dilations", kConv, "1x9x11x32x", "16x3x3x32x", "1x5x5x16x", "{dilations = [2, 3]}", 99 * 32, 16 * 9 * 32,
     "block_m = 5, block_n = 16, block_k = 288, tile_m = 5, tile_n = 16"},
    {"gradient", kGradient, "2x4x16x32x", "32x3x3x32x", "2x6x18x32x", "", 2 * 64 * 32, 32 * 9 * 32,
     "block_m = 54, block_n = 32, block_k = 96, tile_m = 18, tile_n = 32"},
    {"gradient, padded", kGradient, "2x5x5x64x", "64x3x3x32x", "2x5x5x32x", "{padding = same}", 50 * 64, 64 * 9 * 32,
     "block_m = 50, block_n = 64, block_k = 192, tile_m = 5, tile_n = 64"},
    {"gradient, dilations", kGradient, "1x5x5x32x", "32x3x3x16x", "1x9x11x16x", "{dilations = [2, 3]}", 25 * 32,
     32 * 9 * 16, "block_m = 33, block_n = 16, block_k = 96, tile_m = 11, tile_n = 16"},
    {"half registers of channels", kConv, "1x6x9x16x", "16x3x2x16x", "1x4x8x16x", "", 54 * 16, 16 * 6 * 16,
     "block_m = 16, block_n = 16, block_k = 32, tile_m = 8, tile_n = 16"},
    {"tiles of two rows", kConv, "1x6x16x32x", "16x3x3x32x", "1x6x16x16x", "{padding = same}", 96 * 32, 16 * 9 * 32,
     "block_m = 96, block_n = 16, block_k = 96, tile_m = 32, tile_n = 16"},
    {"behind an op", kConv, "2x5x5x32x", "16x3x3x32x", "2x5x5x16x", "{padding = same}", 50 * 32, 16 * 9 * 32,
     "block_m = 25, block_n = 16, block_k = 96, tile_m = 5, tile_n = 16", "mp.exp"},
};

// Of vectors, which take a channel at a time: pixels of three, and rows of k cut anywhere; an op in front, which makes
// 1 of 0, but nothing of what is beside the image.
const Pixels kVectorCases[] = {
    {"plain", kConv, "2x6x18x32x", "32x3x3x32x", "2x4x16x32x", "", 2 * 6 * 18 * 32, 32 * 9 * 32,
     "block_m = 32, block_n = 32, block_k = 100, tile_m = 8, tile_n = 16"},
    {"colours", kConv, "2x5x7x3x", "24x3x3x3x", "2x5x7x24x", "{padding = same}", 2 * 35 * 3, 24 * 27,
     "block_m = 35, block_n = 32, block_k = 11, tile_m = 7, tile_n = 16"},
    {"whole images", kConv, "4x3x3x5x", "8x2x2x5x", "4x3x3x8x", "{padding = [0, 1, 1, 0]}", 36 * 5, 8 * 20,
     "block_m = 18, block_n = 8, block_k = 20, tile_m = 3, tile_n = 8"},
    {"a part of the channels at once", kConv, "1x4x6x20x", "8x3x3x20x", "1x2x4x8x", "", 24 * 20, 8 * 180,
     "block_m = 8, block_n = 8, block_k = 60, tile_m = 4, tile_n = 8"},
    {"strides", kConv, "1x8x10x3x", "16x3x3x3x", "1x4x5x16x", "{strides = [2, 2], padding = same}", 80 * 3, 16 * 27,
     "block_m = 10, block_n = 16, block_k = 27, tile_m = 5, tile_n = 8"},
    {"behind an op", kConv, "2x5x7x3x", "24x3x3x3x", "2x5x7x24x", "{padding = same}", 2 * 35 * 3, 24 * 27,
     "block_m = 35, block_n = 32, block_k = 27, tile_m = 7, tile_n = 16", "mp.exp"},
    {"gradient, dilations", kGradient, "1x5x5x7x", "7x3x3x16x", "1x9x11x16x", "{dilations = [2, 3]}", 25 * 7, 63 * 16,
     "block_m = 33, block_n = 16, block_k = 30, tile_m = 11, tile_n = 16"},
};

// Gradients of filters, whose pixels are k: chunks of some rows of an image, of an image, of several, the last of which
// are fewer; tiles of a row of taps and of a part of one; strides, dilations and edges on some sides; parts of images.
const Pixels kDepthCases[] = {
    {"plain", kFilterGrad, "2x6x8x4x", "2x4x6x8x", "8x3x3x4x", "", 2 * 48 * 4, 2 * 24 * 8,
     "block_m = 8, block_n = 36, block_k = 12, tile_m = 4, tile_n = 12"},
    {"padded", kFilterGrad, "3x5x6x4x", "3x5x6x5x", "5x3x3x4x", "{padding = same}", 3 * 30 * 4, 3 * 30 * 5,
     "block_m = 6, block_n = 24, block_k = 30, tile_m = 3, tile_n = 4"},
    {"padded unevenly", kFilterGrad, "1x6x7x8x", "1x8x6x3x", "3x3x2x8x", "{padding = [2, 2, 0, 0]}", 42 * 8, 48 * 3,
     "block_m = 4, block_n = 16, block_k = 6, tile_m = 4, tile_n = 16"},
    {"whole images", kFilterGrad, "6x3x4x4x", "6x3x4x4x", "4x2x2x4x", "{padding = [0, 1, 1, 0]}", 72 * 4, 72 * 4,
     "block_m = 4, block_n = 16, block_k = 24, tile_m = 2, tile_n = 8"},
    {"strides", kFilterGrad, "2x8x8x4x", "2x4x4x6x", "6x3x3x4x", "{strides = [2, 2], padding = [1, 1, 1, 0]}",
     2 * 64 * 4, 2 * 16 * 6, "block_m = 6, block_n = 36, block_k = 8, tile_m = 6, tile_n = 12"},
    {"dilations", kFilterGrad, "1x9x10x4x", "1x5x4x2x", "2x3x3x4x", "{dilations = [2, 3]}", 90 * 4, 20 * 2,
     "block_m = 2, block_n = 12, block_k = 20, tile_m = 2, tile_n = 4"},
    {"colours", kFilterGrad, "2x6x8x3x", "2x6x8x5x", "5x3x3x3x", "{padding = same}", 2 * 48 * 3, 2 * 48 * 5,
     "block_m = 5, block_n = 28, block_k = 16, tile_m = 5, tile_n = 28"},
    {"short rows of taps", kFilterGrad, "1x6x9x4x", "1x4x8x2x", "2x3x2x4x", "", 54 * 4, 32 * 2,
     "block_m = 2, block_n = 24, block_k = 8, tile_m = 2, tile_n = 24"},
    {"one dimension", kFilterGrad, "3x10x4x", "3x8x4x", "4x3x4x", "", 30 * 4, 24 * 4,
     "block_m = 4, block_n = 12, block_k = 8, tile_m = 4, tile_n = 12"},
    {"parts", kInParts, "5x4x4x4x", "5x4x4x4x", "3x4x3x3x4x", "{padding = same}", 80 * 4, 80 * 4,
     "block_m = 4, block_n = 36, block_k = 16, tile_m = 4, tile_n = 4"},
    {"parts of images that nothing separates", kInParts, "5x16x4x", "5x16x4x", "3x4x3x4x", "{padding = same}", 80 * 4,
     80 * 4, "block_m = 4, block_n = 12, block_k = 16, tile_m = 4, tile_n = 12"},
};

// The same with operands in each other's place: rows of a tile are taps that lie side by side, its columns filters.
const Pixels kTransposedCases[] = {
    {"plain", kFilterGrad, "2x6x8x4x", "2x4x6x8x", "8x3x3x4x", "", 2 * 48 * 4, 2 * 24 * 8,
     "block_m = 24, block_n = 8, block_k = 12, tile_m = 6, tile_n = 8"},
    {"whole images", kFilterGrad, "6x3x4x4x", "6x3x4x4x", "4x2x2x4x", "{padding = [0, 1, 1, 0]}", 72 * 4, 72 * 4,
     "block_m = 16, block_n = 4, block_k = 24, tile_m = 8, tile_n = 4"},
    {"colours", kFilterGrad, "2x6x8x3x", "2x6x8x12x", "12x3x3x3x", "{padding = same}", 2 * 48 * 3, 2 * 48 * 12,
     "block_m = 27, block_n = 8, block_k = 16, tile_m = 9, tile_n = 4"},
    {"dilations", kFilterGrad, "1x9x10x4x", "1x5x4x4x", "4x3x3x4x", "{dilations = [2, 3]}", 90 * 4, 20 * 4,
     "block_m = 12, block_n = 4, block_k = 20, tile_m = 2, tile_n = 4"},
    {"one dimension", kFilterGrad, "3x10x4x", "3x8x4x", "4x3x4x", "", 30 * 4, 24 * 4,
     "block_m = 8, block_n = 4, block_k = 8, tile_m = 4, tile_n = 4"},
    {"parts", kInParts, "5x4x4x4x", "5x4x4x4x", "3x4x3x3x4x", "{padding = same}", 80 * 4, 80 * 4,
     "block_m = 24, block_n = 4, block_k = 16, tile_m = 12, tile_n = 4"},
    {"one channel", kFilterGrad, "3x9x8x1x", "3x5x4x8x", "8x5x5x1x", "", 3 * 72, 3 * 20 * 8,
     "block_m = 25, block_n = 8, block_k = 20, tile_m = 5, tile_n = 4"},
    {"one channel in one dimension", kFilterGrad, "2x20x1x", "2x16x4x", "4x5x1x", "", 40, 128,
     "block_m = 5, block_n = 4, block_k = 16, tile_m = 5, tile_n = 4"},
    {"strides", kFilterGrad, "1x8x10x3x", "1x4x5x4x", "4x7x7x3x", "{strides = [2, 2], padding = same}", 80 * 3, 20 * 4,
     "block_m = 147, block_n = 4, block_k = 10, tile_m = 7, tile_n = 4"},
};

// Few columns: vectors lie along rows of pixels. Edges on all sides, on some, on none; classes of pixels under strides;
// blocks of some rows, of an image and of several; a tap in each chunk. The last two have odd numbers of channels.
const Pixels kColumnCases[] = {
    {"gradient", kGradient, "2x6x8x6x", "6x3x3x3x", "2x6x8x3x", "{padding = same}", 2 * 48 * 6, 6 * 27,
     "block_m = 3, block_n = 16, block_k = 54, tile_m = 3, tile_n = 8"},
    {"gradient, strides", kGradient, "2x4x8x4x", "4x4x4x3x", "2x8x16x3x", "{strides = [2, 2], padding = same}",
     2 * 32 * 4, 4 * 48, "block_m = 3, block_n = 64, block_k = 16, tile_m = 3, tile_n = 16"},
    {"gradient, long taps", kGradient, "1x4x4x8x", "8x7x7x3x", "1x8x8x3x", "{strides = [2, 2], padding = same}", 16 * 8,
     8 * 147, "block_m = 4, block_n = 8, block_k = 128, tile_m = 2, tile_n = 8"},
    {"gradient, dilations", kGradient, "1x5x6x4x", "4x3x3x2x", "1x9x12x2x", "{dilations = [2, 3]}", 30 * 4, 4 * 18,
     "block_m = 2, block_n = 36, block_k = 36, tile_m = 2, tile_n = 12"},
    {"few filters", kConv, "2x5x8x4x", "2x3x3x4x", "2x5x8x2x", "{padding = same}", 2 * 40 * 4, 2 * 36,
     "block_m = 2, block_n = 80, block_k = 12, tile_m = 2, tile_n = 8"},
    {"one side", kConv, "1x4x8x4x", "3x2x2x4x", "1x4x8x3x", "{padding = [0, 1, 1, 0]}", 32 * 4, 3 * 16,
     "block_m = 4, block_n = 8, block_k = 16, tile_m = 4, tile_n = 8"},
    {"strides of rows", kConv, "1x7x8x4x", "2x3x3x4x", "1x3x8x2x", "{strides = [2, 1], padding = [0, 0, 1, 1]}", 56 * 4,
     2 * 36, "block_m = 2, block_n = 24, block_k = 36, tile_m = 1, tile_n = 8"},
    {"odd channels", kConv, "1x4x8x3x", "2x3x3x3x", "1x4x8x2x", "{padding = same}", 32 * 3, 2 * 27,
     "block_m = 2, block_n = 16, block_k = 27, tile_m = 2, tile_n = 4"},
    {"gradient, without edges", kGradient, "1x4x10x5x", "5x3x3x2x", "1x6x12x2x", "", 40 * 5, 5 * 18,
     "block_m = 2, block_n = 36, block_k = 5, tile_m = 1, tile_n = 12"},
};

constexpr const char *kColumns = ", read_rhs = true, transposed = true",
                     *kTransposed = ", stream_rhs = true, read_lhs = true, transposed = true";

} // namespace

// Where the pixels of a step of k are is looked up: a loop of tiles does not divide.
TEST(PixelRows, LookStepsUp) {
  const Pixels &p = kCases[0];
  KernelRunner kernel(p.text(std::string(p.blocks) + kTiles + ", read_lhs = true", "bf16"), *findCPULevel("amx-bf16"),
                      /*keepText=*/true);
  ASSERT_TRUE(kernel.ok()) << kernel.errors;
  const llvm::StringRef assembly = kernel.code->assembly;
  size_t loops = 0;
  for (size_t from = 0, to = 0; to != assembly.npos; from = to + 1) {
    to = assembly.find("\n.LBB", from);
    llvm::StringRef block = assembly.slice(from, to);
    block = block.take_front(block.find("\n\tj")); // up to the branch back
    if (!block.contains("tdpbf16ps"))
      continue;
    ++loops;
    EXPECT_FALSE(block.contains("mul") || block.contains("div")) << block.str();
  }
  EXPECT_GE(loops, 1u);
}

TEST(PixelRows, HaveTheBitsOfPackedOperands) {
  if (hostLevel().vectorBits < 256)
    GTEST_SKIP() << "tiles in vectors of four lanes take minutes to compile";
  checkBits(std::span(kCases).first(2), kPackedTiles, hostVectorLevel(), "bf16", kTiles);
}

TEST(PixelRows, HaveTheBitsOfPackedOperandsInVectors) { checkInVectors(kVectorCases, ", read_lhs = true"); }

// Sums that are rounded to f16 at the end are f32 until then, and so is what they are of.
TEST(PixelRows, HaveTheBitsOfPackedOperandsWithSumsOfF16) {
  Pixels plain = kVectorCases[0], ofDepth = kDepthCases[0];
  plain.sums = ofDepth.sums = "f16";
  checkBits({&plain, 1}, kPackedVectors, hostVectorLevel(), "f16", ", vector = 4");
  checkBits({&ofDepth, 1}, kPackedVectors, hostVectorLevel(), "f16", ", vector = 4", kReadsRhs);
}

// Of a filter whose first row of taps is infinite, and whose last one is: only pixels that have image there have such
// sums, and neither is multiplied by what is above or below the image.
TEST(PixelRows, MultiplyNoRowsOfTapsWithoutPixels) {
  constexpr int64_t kRows = 5, kColumns = 4, kChannels = 2, kFilters = 8, kTaps = 3;
  const Pixels p = {
      "edges", kConv, "2x5x4x2x", "8x3x1x2x", "2x5x4x8x", "{padding = [1, 1, 0, 0]}", 2 * kRows * kColumns * kChannels,
      0,       ""};
  for (const char *blocks : {"block_m = 20, block_n = 8, block_k = 6", "block_m = 4, block_n = 8, block_k = 4",
                             "block_m = 40, block_n = 8, block_k = 2"}) {
    KernelRunner kernel(p.text(std::string(blocks) + ", tile_m = 4, tile_n = 8, vector = 4, read_lhs = true", "f32"),
                        hostVectorLevel());
    ASSERT_TRUE(kernel.ok()) << kernel.errors;
    for (int64_t tap : {int64_t(0), kTaps - 1}) {
      const std::vector<float> image(p.lhsSize, 1);
      std::vector<float> filter(kFilters * kTaps * kChannels, 1);
      for (int64_t number = 0; number < kFilters; ++number)
        filter[(number * kTaps + tap) * kChannels] = std::numeric_limits<float>::infinity();
      const auto result = kernel.run({Buffer::of(image), Buffer::of(filter)})[0].as<float>();
      const int64_t without = tap == 0 ? 0 : kRows - 1;
      for (size_t index = 0; index < result.size(); ++index) {
        const int64_t row = static_cast<int64_t>(index) / (kFilters * kColumns) % kRows;
        EXPECT_EQ(result[index], row == without ? kChannels * (kTaps - 1) : std::numeric_limits<float>::infinity())
            << blocks << ", tap " << tap << ", row " << row;
      }
    }
  }
}

// Pairs of channels of a pixel: rows of k cut between any two of them.
TEST(PixelRows, HaveTheBitsOfPackedPairs) {
  if (!hostLevel().dotsBF16)
    GTEST_SKIP() << "this processor lacks avx512bf16";
  const Pixels cases[] = {
      {"plain", kConv, "2x6x18x16x", "32x3x3x16x", "2x4x16x32x", "", 2 * 6 * 18 * 16, 32 * 9 * 16,
       "block_m = 32, block_n = 32, block_k = 100, tile_m = 8, tile_n = 16"},
      {"whole images", kConv, "4x3x3x6x", "8x2x2x6x", "4x3x3x8x", "{padding = [0, 1, 1, 0]}", 36 * 6, 8 * 24,
       "block_m = 18, block_n = 8, block_k = 24, tile_m = 3, tile_n = 8"},
      {"behind an op", kConv, "4x3x3x6x", "8x2x2x6x", "4x3x3x8x", "{padding = [0, 1, 1, 0]}", 36 * 6, 8 * 24,
       "block_m = 18, block_n = 8, block_k = 24, tile_m = 3, tile_n = 8", "mp.exp"},
      {"strides", kConv, "1x8x10x2x", "16x3x3x2x", "1x4x5x16x", "{strides = [2, 2], padding = same}", 80 * 2, 16 * 18,
       "block_m = 10, block_n = 16, block_k = 18, tile_m = 5, tile_n = 8"},
      {"gradient, dilations", kGradient, "1x5x5x6x", "6x3x3x16x", "1x9x11x16x", "{dilations = [2, 3]}", 25 * 6, 54 * 16,
       "block_m = 33, block_n = 16, block_k = 30, tile_m = 11, tile_n = 16"},
  };
  checkBits(cases, kPackedVectors, hostLevel(), "bf16", ", vector = 4, instruction = dot");
}

TEST(PixelRowsOfDepth, HaveTheBitsOfPackedOperands) { checkInVectors(kDepthCases, kReadsRhs); }

TEST(PixelRowsOfDepth, HaveTheBitsOfPackedPairs) {
  if (!hostLevel().dotsBF16)
    GTEST_SKIP() << "this processor lacks avx512bf16";
  checkBits(kDepthCases, kPackedVectors, hostLevel(), "bf16", ", vector = 4, instruction = dot", kReadsRhs);
}

TEST(PixelRowsOfDepth, HaveTheBitsOfPackedOperandsInEachOthersPlace) { checkInVectors(kTransposedCases, kTransposed); }

TEST(PixelRowsOfDepth, HaveTheBitsOfPackedPairsInEachOthersPlace) {
  if (!hostLevel().dotsBF16)
    GTEST_SKIP() << "this processor lacks avx512bf16";
  // The last has rows of no whole pairs.
  checkBits(std::span(kTransposedCases).first(std::size(kTransposedCases) - 1), kPackedVectors, hostLevel(), "bf16",
            ", vector = 4, instruction = dot", kTransposed);
}

TEST(PixelColumns, HaveTheBitsOfPackedOperands) { checkInVectors(kColumnCases, kColumns); }

TEST(PixelColumns, HaveTheBitsOfPackedPairs) {
  if (!hostLevel().dotsBF16)
    GTEST_SKIP() << "this processor lacks avx512bf16";
  checkBits(std::span(kColumnCases).first(std::size(kColumnCases) - 2), kPackedVectors, hostLevel(), "bf16",
            ", vector = 4, instruction = dot", kColumns);
}

// Blocks that cut a row, chunks that cut a tap, rows of no whole vectors, and strides between pixels.
TEST(PixelColumns, RefuseOtherBlocks) {
  Pixels narrow = kColumnCases[0], strided = kColumnCases[6];
  narrow.lhs = "2x6x6x6x", narrow.result = "2x6x6x3x";
  strided.lhs = "1x5x16x4x", strided.windows = "{strides = [1, 2], padding = [0, 0, 1, 0]}";
  for (const auto &[p, blocks] :
       {std::pair(kColumnCases[0], "block_m = 3, block_n = 12, block_k = 54, tile_m = 3, tile_n = 4"),
        std::pair(kColumnCases[0], "block_m = 3, block_n = 32, block_k = 54, tile_m = 3, tile_n = 8"),
        std::pair(kColumnCases[0], "block_m = 3, block_n = 16, block_k = 27, tile_m = 3, tile_n = 8"),
        std::pair(narrow, "block_m = 3, block_n = 36, block_k = 54, tile_m = 3, tile_n = 4"),
        std::pair(strided, kColumnCases[6].blocks)}) {
    KernelRunner kernel(p.text(std::string(blocks) + ", vector = 4" + kColumns, "f32"), *findCPULevel("avx512"));
    EXPECT_FALSE(kernel.ok()) << blocks;
    EXPECT_NE(kernel.errors.find("as reading it there as columns needs"), std::string::npos) << kernel.errors;
  }
}

// A gradient whose first row of pixels is infinite, and whose last one is: taps above or below the image do not
// multiply it.
TEST(PixelRowsOfDepth, MultiplyNoRowsOfTapsWithoutPixels) {
  constexpr int64_t kRows = 5, kColumns = 4, kChannels = 4, kFilters = 8, kTaps = 3, kImages = 2;
  const Pixels p = {"edges", kFilterGrad, "2x5x4x4x", "2x5x4x8x", "8x3x1x4x", "{padding = [1, 1, 0, 0]}", 0, 0, ""};
  for (const std::string &schedule :
       {std::string("block_m = 8, block_n = 12, block_k = 20, tile_m = 4, tile_n = 4, vector = 4") + kReadsRhs,
        std::string("block_m = 12, block_n = 8, block_k = 4, tile_m = 4, tile_n = 4, vector = 4") + kTransposed,
        std::string("block_m = 12, block_n = 8, block_k = 40, tile_m = 2, tile_n = 8, vector = 4") + kTransposed}) {
    KernelRunner kernel(p.text(schedule, "f32"), hostVectorLevel());
    ASSERT_TRUE(kernel.ok()) << kernel.errors;
    for (int64_t row : {int64_t(0), kRows - 1}) {
      const std::vector<float> image(kImages * kRows * kColumns * kChannels, 1);
      std::vector<float> gradient(kImages * kRows * kColumns * kFilters, 1);
      for (int64_t pixel = 0; pixel < kImages * kRows * kColumns; ++pixel)
        if (pixel / kColumns % kRows == row)
          std::fill_n(gradient.begin() + pixel * kFilters, kFilters, std::numeric_limits<float>::infinity());
      const auto result = kernel.run({Buffer::of(image), Buffer::of(gradient)})[0].as<float>();
      const int64_t without = row == 0 ? 0 : kTaps - 1;
      for (size_t index = 0; index < result.size(); ++index) {
        const int64_t tap = static_cast<int64_t>(index) / kChannels % kTaps;
        EXPECT_EQ(result[index],
                  tap == without ? kImages * (kRows - 1) * kColumns : std::numeric_limits<float>::infinity())
            << schedule << ", row " << row << ", tap " << tap;
      }
    }
  }
}

// Chunks that cut a row, and tiles that reach from one row of taps to the next.
TEST(PixelRowsOfDepth, RefuseOtherBlocksInEachOthersPlace) {
  for (const char *blocks : {"block_m = 24, block_n = 8, block_k = 8, tile_m = 6, tile_n = 8, vector = 4",
                             "block_m = 24, block_n = 8, block_k = 12, tile_m = 8, tile_n = 8, vector = 4"}) {
    KernelRunner kernel(kTransposedCases[0].text(std::string(blocks) + kTransposed, "f32"), *findCPULevel("avx512"));
    EXPECT_FALSE(kernel.ok()) << blocks;
    EXPECT_NE(kernel.errors.find("is no image whose rows of pixels are whole steps of k"), std::string::npos)
        << kernel.errors;
  }
}

// Chunks that cut a row or an image, tiles that reach from one row of taps to the next, and rows of no whole pairs.
TEST(PixelRowsOfDepth, RefuseOtherBlocks) {
  const Pixels &plain = kDepthCases[0];
  Pixels odd = plain;
  odd.lhs = "2x6x7x4x", odd.filter = "2x4x5x8x";
  const std::string pairs =
      "block_m = 8, block_n = 36, block_k = 10, tile_m = 4, tile_n = 12, vector = 4, instruction = dot";
  for (auto [p, blocks, type] :
       {std::tuple(plain, "block_m = 8, block_n = 36, block_k = 8, tile_m = 4, tile_n = 12, vector = 4", "f32"),
        std::tuple(plain, "block_m = 8, block_n = 36, block_k = 18, tile_m = 4, tile_n = 12, vector = 4", "f32"),
        std::tuple(plain, "block_m = 8, block_n = 40, block_k = 12, tile_m = 4, tile_n = 8, vector = 4", "f32"),
        std::tuple(odd, pairs.c_str(), "bf16")}) {
    KernelRunner kernel(p.text(blocks + std::string(kReadsRhs), type), *findCPULevel("avx512bf16"));
    EXPECT_FALSE(kernel.ok()) << blocks;
    EXPECT_NE(kernel.errors.find("is no image whose rows of pixels are whole steps of k"), std::string::npos)
        << kernel.errors;
  }
}

TEST(PixelRows, HaveTheBitsOfPackedOperandsOnTheUnit) { checkOnTheUnit(kCases, ", read_lhs = true"); }

// Blocks that cut a row or an image, and tiles that cut a row, are told from those that do not; so are images of which
// no whole registers of channels lie together.
TEST(PixelRows, RefuseOtherBlocks) {
  const Pixels &plain = kCases[0];
  Pixels thin = plain;
  thin.lhs = "2x6x18x8x", thin.filter = "32x3x3x8x";
  for (auto [p, blocks] : {std::pair(plain, "block_m = 40, block_n = 32, block_k = 96, tile_m = 8, tile_n = 32"),
                           std::pair(plain, "block_m = 48, block_n = 32, block_k = 96, tile_m = 16, tile_n = 32"),
                           std::pair(plain, "block_m = 48, block_n = 32, block_k = 96, tile_m = 12, tile_n = 32"),
                           std::pair(plain, "block_m = 192, block_n = 32, block_k = 96, tile_m = 16, tile_n = 32"),
                           std::pair(thin, "block_m = 32, block_n = 32, block_k = 32, tile_m = 32, tile_n = 32")}) {
    KernelRunner kernel(p.text(std::string(blocks) + kTiles + ", read_lhs = true", "bf16"), *findCPULevel("amx-bf16"));
    EXPECT_FALSE(kernel.ok()) << blocks;
    EXPECT_NE(kernel.errors.find("and no image of blocks of whole rows of pixels"), std::string::npos) << kernel.errors;
  }
}
