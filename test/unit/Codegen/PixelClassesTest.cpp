// Gradients of images under strides, each class of whose pixels reads rows of pixels, a matrix, or panels of its own.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Pixels.h"

#include <algorithm>
#include <random>

using namespace mp;
using namespace mp::test;

namespace {

// Classes of as many pixels each, with edges on one side and on both; of which one is a matrix; all of which are, or
// have no taps; of several sizes, some of which tiles do not fit; dilations that share a factor with strides; windows
// larger than the image; an op in front, behind which no matrix lies in memory.
const Pixels kCases[] = {
    {"one side", kGradient, "2x8x8x32x", "32x3x3x40x", "2x16x16x40x", "{strides = [2, 2], padding = same}", 128 * 32,
     32 * 9 * 40, "block_m = 32, block_n = 64, block_k = 64, tile_m = 8, tile_n = 32"},
    {"both sides", kGradient, "4x4x16x64x", "64x3x3x16x", "4x8x32x16x", "{strides = [2, 2], padding = [1, 1, 1, 1]}",
     256 * 64, 64 * 9 * 16, "block_m = 128, block_n = 16, block_k = 96, tile_m = 32, tile_n = 16"},
    {"long taps", kGradient, "1x8x16x32x", "32x7x7x3x", "1x16x32x3x", "{strides = [2, 2], padding = [3, 3, 3, 3]}",
     128 * 32, 32 * 49 * 3, "block_m = 32, block_n = 16, block_k = 512, tile_m = 16, tile_n = 16"},
    {"several sizes", kGradient, "2x5x5x32x", "32x3x3x16x", "2x9x9x16x", "{strides = [2, 2], padding = [1, 1, 1, 1]}",
     50 * 32, 32 * 9 * 16, "block_m = 16, block_n = 16, block_k = 64, tile_m = 4, tile_n = 16"},
    {"matrices", kGradient, "2x5x6x32x", "32x2x2x16x", "2x10x12x16x", "{strides = [2, 2]}", 60 * 32, 32 * 4 * 16,
     "block_m = 32, block_n = 16, block_k = 32, tile_m = 16, tile_n = 16"},
    {"without taps", kGradient, "2x4x8x64x", "64x1x1x16x", "2x8x16x16x", "{strides = [2, 2]}", 64 * 64, 64 * 16,
     "block_m = 64, block_n = 16, block_k = 64, tile_m = 32, tile_n = 16"},
    {"strides of rows", kGradient, "2x4x8x32x", "32x3x3x16x", "2x12x8x16x",
     "{strides = [3, 1], padding = [0, 0, 1, 1]}", 64 * 32, 32 * 9 * 16,
     "block_m = 16, block_n = 16, block_k = 32, tile_m = 8, tile_n = 16"},
    {"dilations", kGradient, "1x6x8x32x", "32x3x3x16x", "1x12x32x16x",
     "{strides = [2, 4], dilations = [3, 2], padding = [3, 2, 1, 3]}", 48 * 32, 32 * 9 * 16,
     "block_m = 24, block_n = 16, block_k = 96, tile_m = 8, tile_n = 16"},
    {"larger than the image", kGradient, "3x2x2x32x", "32x5x5x16x", "3x4x4x16x",
     "{strides = [2, 2], padding = [2, 1, 2, 1]}", 12 * 32, 32 * 25 * 16,
     "block_m = 4, block_n = 16, block_k = 288, tile_m = 2, tile_n = 16"},
    {"behind an op", kGradient, "2x8x8x32x", "32x3x3x16x", "2x16x16x16x", "{strides = [2, 2], padding = [1, 1, 1, 1]}",
     128 * 32, 32 * 9 * 16, "block_m = 64, block_n = 16, block_k = 128, tile_m = 8, tile_n = 16", "mp.exp"},
};

// Pixels of fewer channels than a register, or of no pairs, of which a block packs all of k from rows that it keeps.
const Pixels kStretches[] = {
    {"half registers", kGradient, "2x4x16x16x", "16x3x3x32x", "2x8x32x32x",
     "{strides = [2, 2], padding = [1, 1, 1, 1]}", 128 * 16, 16 * 9 * 32,
     "block_m = 32, block_n = 32, block_k = 64, tile_m = 32, tile_n = 32"},
    {"odd channels", kGradient, "2x4x8x5x", "5x5x5x16x", "2x8x16x16x", "{strides = [2, 2], padding = [2, 2, 1, 3]}",
     64 * 5, 5 * 25 * 16, "block_m = 32, block_n = 16, block_k = 64, tile_m = 16, tile_n = 16"},
};

/// One dimension of a gradient: pixels of the incoming one, windows over the image.
struct Side {
  int64_t output, filter, stride, dilation, low, high, input;
};

Side randomSide(std::mt19937 &engine) {
  auto within = [&](int64_t from, int64_t to) { return std::uniform_int_distribution<int64_t>(from, to)(engine); };
  for (;;) {
    Side side{within(1, 9), within(1, 5), within(1, 3), within(1, 2), within(0, 3), within(0, 3), 0};
    side.input = (side.output - 1) * side.stride + (side.filter - 1) * side.dilation + 1 - side.low - side.high +
                 within(0, side.stride - 1);
    if (side.input > 0)
      return side;
  }
}

std::string pairOf(int64_t a, int64_t b) { return "[" + std::to_string(a) + ", " + std::to_string(b) + "]"; }

/// The gradient of images of whole numbers, by loops over what a window has.
std::vector<float> gradientByLoops(const std::vector<float> &gradient, const std::vector<float> &filter, int64_t images,
                                   const Side &rows, const Side &columns, int64_t filters, int64_t channels) {
  std::vector<float> image(images * rows.input * columns.input * channels, 0);
  for (int64_t pixel = 0; pixel < images * rows.output * columns.output; ++pixel)
    for (int64_t tap = 0; tap < rows.filter * columns.filter; ++tap) {
      const int64_t q = pixel % columns.output, p = pixel / columns.output % rows.output;
      const int64_t h = p * rows.stride - rows.low + tap / columns.filter * rows.dilation;
      const int64_t w = q * columns.stride - columns.low + tap % columns.filter * columns.dilation;
      if (h < 0 || h >= rows.input || w < 0 || w >= columns.input)
        continue;
      const int64_t number = pixel / (rows.output * columns.output);
      const int64_t first = ((number * rows.input + h) * columns.input + w) * channels;
      for (int64_t from = 0; from < filters; ++from)
        for (int64_t channel = 0; channel < channels; ++channel)
          image[first + channel] += gradient[pixel * filters + from] *
                                    filter[(from * rows.filter * columns.filter + tap) * channels + channel];
    }
  return image;
}

constexpr const char *kReads = ", read_lhs = true";

} // namespace

TEST(PixelClasses, HaveTheBitsOfPackedOperandsOnTheUnit) { checkOnTheUnit(kCases, kReads); }

TEST(PixelClasses, HaveTheBitsOfPackedStretchesOnTheUnit) { checkOnTheUnit(kStretches, kReads); }

TEST(PixelClasses, HaveTheBitsOfPackedOperandsInVectors) {
  const std::string more = ", vector = 4";
  checkBits(std::span(kCases).first(4), kPackedVectors, hostVectorLevel(), "f32", more);
  checkBits(std::span(kCases).last(3), kPackedVectors, hostVectorLevel(), "f32", more);
}

TEST(PixelClasses, HaveTheBitsOfPackedPairs) {
  if (!hostLevel().dotsBF16)
    GTEST_SKIP() << "this processor lacks avx512bf16";
  checkBits(kCases, kPackedVectors, hostLevel(), "bf16", ", vector = 4, instruction = dot");
}

// Small whole numbers, whose sums are exact in any order: random windows, blocks of a row of pixels of the first class.
TEST(PixelClasses, AreTheGradientByLoops) {
  const TileUnit unit(*findCPULevel("amx-bf16"));
  if (!unit.isThere())
    GTEST_SKIP() << "this processor lacks what code around tiles needs: avx512bf16";
  constexpr int64_t kFilters = 32, kChannels = 16;
  constexpr int kTries = 40;
  int run = 0;
  std::mt19937 engine(7);
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const Side rows = randomSide(engine), columns = randomSide(engine);
    const int64_t images = 1 + attempt % 3;
    auto sizes = [](int64_t a, int64_t b, int64_t c, int64_t d) {
      std::string text;
      for (int64_t size : {a, b, c, d})
        text += std::to_string(size) + "x";
      return text;
    };
    const std::string lhs = sizes(images, rows.output, columns.output, kFilters),
                      filter = sizes(kFilters, rows.filter, columns.filter, kChannels),
                      result = sizes(images, rows.input, columns.input, kChannels),
                      windows = "{strides = " + pairOf(rows.stride, columns.stride) + ", padding = [" +
                                std::to_string(rows.low) + ", " + std::to_string(rows.high) + ", " +
                                std::to_string(columns.low) + ", " + std::to_string(columns.high) +
                                "], dilations = " + pairOf(rows.dilation, columns.dilation) + "}";
    const int64_t line = (columns.input + columns.stride - 1) / columns.stride;
    const std::string blocks = "block_m = " + std::to_string(line) +
                               ", block_n = 16, block_k = " + std::to_string(32 * (1 + attempt % 4)) +
                               ", tile_m = " + std::to_string(line) + ", tile_n = 16";
    const Pixels p = {windows.c_str(),
                      kGradient,
                      lhs.c_str(),
                      filter.c_str(),
                      result.c_str(),
                      windows.c_str(),
                      images * rows.output * columns.output * kFilters,
                      kFilters * rows.filter * columns.filter * kChannels,
                      ""};
    KernelRunner kernel(p.text(blocks + kTiles + kReads, "bf16"), *findCPULevel("amx-bf16"));
    // What has no class of taps whose rows are as long as the first's is refused.
    if (!kernel.ok() && kernel.errors.find("as reading it there needs") != std::string::npos)
      continue;
    ASSERT_TRUE(kernel.ok()) << p.text(blocks, "bf16") << kernel.errors;
    auto wholeNumbers = [&](int64_t count) {
      std::vector<float> values(count);
      std::generate(values.begin(), values.end(),
                    [&] { return static_cast<float>(std::uniform_int_distribution<int>(-1, 1)(engine)); });
      return values;
    };
    const std::vector<float> gradient = wholeNumbers(p.lhsSize), taps = wholeNumbers(p.filterSize);
    const auto found = kernel.run({Buffer::of(encoded(gradient, encodeBF16)), Buffer::of(encoded(taps, encodeBF16))});
    const std::vector<float> expected = gradientByLoops(gradient, taps, images, rows, columns, kFilters, kChannels);
    EXPECT_EQ(found[0].bytes, Buffer::of(encoded(expected, encodeBF16)).bytes) << p.text(blocks, "bf16");
    ++run;
  }
  EXPECT_GE(run, kTries / 2);
}

// Where no class is as the blocks and tiles read it, the schedule is refused.
TEST(PixelClasses, RefuseOtherBlocks) {
  Pixels thin = kCases[0], few = kCases[4];
  few.lhs = "1x5x6x32x", few.result = "1x10x12x16x";
  thin.lhs = "2x8x8x8x", thin.filter = "8x9x9x40x";
  for (const auto &[p, blocks] :
       {std::pair(kCases[2], "block_m = 40, block_n = 16, block_k = 32, tile_m = 8, tile_n = 16"),
        std::pair(few, "block_m = 32, block_n = 16, block_k = 32, tile_m = 32, tile_n = 16"),
        std::pair(thin, kCases[0].blocks)}) {
    KernelRunner kernel(p.text(std::string(blocks) + kTiles + kReads, "bf16"), *findCPULevel("amx-bf16"));
    EXPECT_FALSE(kernel.ok()) << p.name;
    EXPECT_NE(kernel.errors.find("and no image of blocks of whole rows of pixels"), std::string::npos) << kernel.errors;
  }
}
