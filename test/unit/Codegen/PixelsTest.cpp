// Convolutions whose tiles read rows of pixels: the bits of the same products with packed operands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AMX/TileUnit.h"
#include "Codegen/KernelRunner.h"
#include "Codegen/Values.h"

#include "mp/Numerics/Float.h"
#include <gtest/gtest.h>

#include <span>

using namespace mp;
using namespace mp::test;

namespace {

/// A convolution, its sizes with "x" behind each, and the blocks and tiles that read its pixels.
struct Pixels {
  const char *name, *op, *lhs, *filter, *result, *windows;
  int64_t lhsSize, filterSize;
  const char *blocks;

  std::string text(const std::string &schedule, const std::string &type) const {
    const std::string x = std::string("tensor<") + lhs + type + ">", w = std::string("tensor<") + filter + type + ">",
                      y = std::string("tensor<") + result + type + ">";
    return "func.func @f(%x: " + x + ", %w: " + w + ") -> " + y + " {\n %z = mp.kernel \"k\" (%a = %x, %b = %w) " +
           "schedule(#mp.contraction<" + schedule + ">) : (" + x + ", " + w + ") -> " + y + " {\n %0 = " + op +
           " %a, %b acc f32 " + windows + " : " + x + ", " + w + " -> " + y + "\n mp.yield %0 : " + y +
           "\n }\n return %z : " + y + "\n}\n";
  }
};

constexpr const char *kConv = "mp.conv", *kGradient = "mp.conv_transpose";

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
};

// Of vectors, which take a channel at a time: pixels of three, and rows of k cut anywhere.
const Pixels kVectorCases[] = {
    {"plain", kConv, "2x6x18x32x", "32x3x3x32x", "2x4x16x32x", "", 2 * 6 * 18 * 32, 32 * 9 * 32,
     "block_m = 32, block_n = 32, block_k = 100, tile_m = 8, tile_n = 16"},
    {"colours", kConv, "2x5x7x3x", "24x3x3x3x", "2x5x7x24x", "{padding = same}", 2 * 35 * 3, 24 * 27,
     "block_m = 35, block_n = 32, block_k = 11, tile_m = 7, tile_n = 16"},
    {"whole images", kConv, "4x3x3x5x", "8x2x2x5x", "4x3x3x8x", "{padding = [0, 1, 1, 0]}", 36 * 5, 8 * 20,
     "block_m = 18, block_n = 8, block_k = 20, tile_m = 3, tile_n = 8"},
    {"strides", kConv, "1x8x10x3x", "16x3x3x3x", "1x4x5x16x", "{strides = [2, 2], padding = same}", 80 * 3, 16 * 27,
     "block_m = 10, block_n = 16, block_k = 27, tile_m = 5, tile_n = 8"},
    {"gradient, dilations", kGradient, "1x5x5x7x", "7x3x3x16x", "1x9x11x16x", "{dilations = [2, 3]}", 25 * 7, 63 * 16,
     "block_m = 33, block_n = 16, block_k = 30, tile_m = 11, tile_n = 16"},
};

/// The results of a kernel with this schedule; none where it was refused.
std::vector<Buffer> run(const Pixels &p, const std::string &schedule, const CPULevel &level, const std::string &type) {
  KernelRunner kernel(p.text(schedule, type), level);
  EXPECT_TRUE(kernel.ok()) << p.name << ": " << kernel.errors;
  if (!kernel.ok())
    return {};
  auto encodedAs = [&](const std::vector<float> &values) {
    return type == "f32" ? Buffer::of(values) : Buffer::of(encoded(values, type == "bf16" ? encodeBF16 : encodeF16));
  };
  return kernel.run({encodedAs(randomFloats(p.lhsSize, 1)), encodedAs(randomFloats(p.filterSize, 2))},
                    /*backwards=*/true);
}

/// Compares with a schedule that packs. `more` is what both have.
void checkBits(std::span<const Pixels> cases, const std::string &packed, const CPULevel &level, const char *type,
               const std::string &more) {
  for (const Pixels &p : cases) {
    const auto expected = run(p, packed + more, level, type),
               read = run(p, p.blocks + more + ", read_lhs = true", level, type);
    ASSERT_FALSE(expected.empty() || read.empty());
    EXPECT_EQ(expected[0].bytes, read[0].bytes) << p.name;
  }
}

constexpr const char *kPackedTiles = "block_m = 32, block_n = 32, block_k = 32, tile_m = 32, tile_n = 32",
                     *kTiles = ", vector = 16, instruction = amx";

} // namespace

TEST(PixelRows, HaveTheBitsOfPackedOperands) {
  if (hostLevel().vectorBits < 256)
    GTEST_SKIP() << "tiles in vectors of four lanes take minutes to compile";
  checkBits(std::span(kCases).first(2), kPackedTiles, hostVectorLevel(), "bf16", kTiles);
}

TEST(PixelRows, HaveTheBitsOfPackedOperandsInVectors) {
  checkBits(kVectorCases, "block_m = 8, block_n = 16, block_k = 32, tile_m = 4, tile_n = 8", hostVectorLevel(), "f32",
            ", vector = 4");
}

TEST(PixelRows, HaveTheBitsOfPackedOperandsOnTheUnit) {
  bool isRun = false;
  for (auto [name, type] : {std::pair("amx-bf16", "bf16"), std::pair("amx-fp16", "f16")})
    if (const TileUnit unit(*findCPULevel(name)); unit.isThere()) {
      checkBits(kCases, kPackedTiles, *findCPULevel(name), type, kTiles);
      isRun = true;
    }
  if (!isRun)
    GTEST_SKIP() << "this processor lacks what code around tiles needs: avx512bf16";
}

// Blocks that cut a row or an image, and tiles that cut a row, are told from those that do not; so are images of which
// no whole registers of channels lie together, and strides' gradients, whose rows lie in classes.
TEST(PixelRows, RefuseOtherBlocks) {
  const Pixels &plain = kCases[0];
  Pixels thin = plain, strided = kCases[9];
  thin.lhs = "2x6x18x8x", thin.filter = "32x3x3x8x";
  strided.lhs = "2x3x3x64x", strided.windows = "{padding = same, strides = [2, 2]}";
  for (auto [p, blocks] : {std::pair(plain, "block_m = 40, block_n = 32, block_k = 96, tile_m = 8, tile_n = 32"),
                           std::pair(plain, "block_m = 48, block_n = 32, block_k = 96, tile_m = 16, tile_n = 32"),
                           std::pair(plain, "block_m = 48, block_n = 32, block_k = 96, tile_m = 12, tile_n = 32"),
                           std::pair(plain, "block_m = 192, block_n = 32, block_k = 96, tile_m = 16, tile_n = 32"),
                           std::pair(thin, plain.blocks), std::pair(strided, kCases[9].blocks)}) {
    KernelRunner kernel(p.text(std::string(blocks) + kTiles + ", read_lhs = true", "bf16"), *findCPULevel("amx-bf16"));
    EXPECT_FALSE(kernel.ok()) << blocks;
    EXPECT_NE(kernel.errors.find("and no image of blocks of whole rows of pixels"), std::string::npos) << kernel.errors;
  }
}
