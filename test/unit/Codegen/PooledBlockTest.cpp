// Convolutions that pool what a block has made: the bits of a pooling of what lies in memory.
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

/// A convolution with a relu and a pooling behind it, its sizes with "x" behind each.
struct PooledConv {
  const char *name, *image, *filter, *conv, *result;
  const char *windows; ///< of the convolution
  const char *pool;    ///< "mp.max_pool", with its windows as the op has them
  int64_t imageSize, filterSize;
  const char *blocks;

  std::string pooling() const { return std::string(pool).substr(0, std::string(pool).find(' ')); }
  bool hasIndices() const { return pooling() == "mp.max_pool_with_indices"; }
  std::string type(const char *sizes, const std::string &element) const {
    return std::string("tensor<") + sizes + element + ">";
  }
  std::string results(const std::string &element) const {
    return type(result, element) + (hasIndices() ? ", " + type(result, "ui8") : "");
  }
  /// The pooling of `%y`, and a map behind it.
  std::string poolText(const std::string &element) const {
    const std::string text = pool, to = type(result, element);
    const std::string values = hasIndices() ? "%p, %i" : "%p";
    return values + " = " + pooling() + " %y" + text.substr(text.find(' ')) + " : " + type(conv, element) + " -> " +
           results(element) + "\n %n = mp.neg %p : " + to + "\n mp.yield %n" + (hasIndices() ? ", %i" : "") + " : " +
           results(element) + "\n";
  }
  std::string convText(const std::string &element) const {
    const std::string to = type(conv, element);
    return "%c = mp.conv %a, %b acc f32 " + std::string(windows) + " : " + type(image, element) + ", " +
           type(filter, element) + " -> " + to + "\n %y = mp.relu %c : " + to + "\n";
  }
};

std::string kernelText(const std::vector<std::string> &inputs, const std::string &bindings, const std::string &results,
                       int64_t count, const std::string &schedule, const std::string &body) {
  std::string arguments, types, returned;
  for (size_t i = 0; i < inputs.size(); ++i) {
    arguments += (i ? ", %x" : "%x") + std::to_string(i) + ": " + inputs[i];
    types += (i ? ", " : "") + inputs[i];
  }
  for (int64_t i = 0; i < count; ++i)
    returned += (i ? ", %z#" : "%z#") + std::to_string(i);
  return "func.func @f(" + arguments + ") -> (" + results + ") {\n %z:" + std::to_string(count) +
         " = mp.kernel \"k\" (" + bindings + ") schedule(#mp." + schedule + ") : (" + types + ") -> (" + results +
         ") {\n" + body + " }\n return " + returned + " : " + results + "\n}\n";
}

// Blocks of lines of windows, of an image whose last line no window has, of several images; windows of other sizes,
// that overlap and are padded; columns that are no whole vectors; chunks of k; one, two and three dimensions; packed
// operands.
const PooledConv kCases[] = {
    {"lines", "2x10x18x16x", "16x3x3x16x", "2x8x16x16x", "2x4x8x16x", "", "mp.max_pool_with_indices window [2, 2]",
     2 * 180 * 16, 16 * 9 * 16, "block_m = 32, block_n = 16, block_k = 144, tile_m = 8, tile_n = 16"},
    {"packed, chunks, a last block of less", "3x10x18x16x", "20x3x3x16x", "3x8x16x20x", "3x4x8x20x", "",
     "mp.max_pool_with_indices window [2, 2]", 3 * 180 * 16, 20 * 9 * 16,
     "block_m = 160, block_n = 32, block_k = 32, tile_m = 5, tile_n = 16"},
    {"a line that no window has", "4x7x7x16x", "24x3x3x16x", "4x5x5x24x", "4x2x2x24x", "",
     "mp.max_pool_with_indices window [2, 2]", 4 * 49 * 16, 24 * 9 * 16,
     "block_m = 50, block_n = 32, block_k = 96, tile_m = 5, tile_n = 16"},
    {"one channel", "2x8x8x4x", "1x3x3x4x", "2x6x6x1x", "2x2x3x1x", "", "mp.max_pool_with_indices window [3, 2]",
     2 * 64 * 4, 9 * 4, "block_m = 18, block_n = 16, block_k = 36, tile_m = 6, tile_n = 16"},
    {"all in one block", "2x7x7x16x", "16x3x3x16x", "2x5x5x16x", "2x2x2x16x", "", "mp.max_pool {window = [2, 2]}",
     2 * 49 * 16, 16 * 9 * 16, "block_m = 64, block_n = 16, block_k = 144, tile_m = 8, tile_n = 16"},
    {"overlapping and padded", "2x7x7x16x", "16x3x3x16x", "2x7x7x16x", "2x4x4x16x", "{padding = same}",
     "mp.max_pool {window = [3, 3], strides = [2, 2], padding = same}", 2 * 49 * 16, 16 * 9 * 16,
     "block_m = 49, block_n = 16, block_k = 144, tile_m = 7, tile_n = 16"},
    {"of the convolution's shape", "2x6x6x8x", "16x3x3x8x", "2x6x6x16x", "2x6x6x16x", "{padding = same}",
     "mp.avg_pool {window = [3, 3], strides = [1, 1], padding = same, count_padding = false}", 2 * 36 * 8, 16 * 9 * 8,
     "block_m = 36, block_n = 16, block_k = 72, tile_m = 6, tile_n = 16"},
    {"one dimension", "3x14x16x", "16x3x16x", "3x12x16x", "3x3x16x", "", "mp.max_pool_with_indices window [4]", 42 * 16,
     16 * 3 * 16, "block_m = 8, block_n = 16, block_k = 48, tile_m = 4, tile_n = 16"},
    {"three dimensions", "2x6x6x6x4x", "16x3x3x3x4x", "2x4x4x4x16x", "2x2x2x4x16x", "",
     "mp.max_pool_with_indices window [2, 2, 1]", 2 * 216 * 4, 16 * 27 * 4,
     "block_m = 32, block_n = 16, block_k = 108, tile_m = 4, tile_n = 16"},
};

using Results = std::vector<std::vector<std::byte>>;

Results bytesOf(const std::vector<Buffer> &buffers) {
  Results all;
  for (const Buffer &buffer : buffers)
    all.push_back(buffer.bytes);
  return all;
}

/// `more` is what the schedule says besides.
void checkBits(std::span<const PooledConv> cases, const CPULevel &level, const std::string &element,
               const std::string &more) {
  auto fill = [&](int64_t count, unsigned seed) {
    const std::vector<float> values = randomFloats(count, seed);
    return element == "f32" ? Buffer::of(values)
                            : Buffer::of(encoded(values, element == "bf16" ? encodeBF16 : encodeF16));
  };
  for (const PooledConv &p : cases) {
    const std::string image = p.type(p.image, element), filter = p.type(p.filter, element),
                      conv = p.type(p.conv, element), schedule = "contraction<" + std::string(p.blocks) + more + ">";
    const int64_t count = p.hasIndices() ? 2 : 1;
    KernelRunner whole(kernelText({image, filter}, "%a = %x0, %b = %x1", conv, 1, schedule,
                                  p.convText(element) + " mp.yield %y : " + conv + "\n"),
                       level);
    KernelRunner pooled(
        kernelText({conv}, "%y = %x0", p.results(element), count, "map<block = 64, vector = 4>", p.poolText(element)),
        level);
    KernelRunner both(kernelText({image, filter}, "%a = %x0, %b = %x1", p.results(element), count, schedule,
                                 p.convText(element) + p.poolText(element)),
                      level);
    ASSERT_TRUE(whole.ok() && pooled.ok() && both.ok())
        << p.name << ": " << whole.errors << pooled.errors << both.errors;
    const std::vector<Buffer> inputs = {fill(p.imageSize, 1), fill(p.filterSize, 2)};
    EXPECT_EQ(bytesOf(pooled.run(whole.run(inputs))), bytesOf(both.run(inputs, /*backwards=*/true))) << p.name;
  }
}

} // namespace

TEST(PooledBlock, HasTheBitsOfAPoolingInMemory) {
  checkBits(kCases, hostVectorLevel(), "f32", ", vector = 4");
  checkBits(std::span(kCases).first(2), hostVectorLevel(), "f16", ", vector = 8");
  for (const CPULevel &level : allCPULevels())
    if (level.vectorBits <= hostLevel().vectorBits && level.dotsBF16 <= hostLevel().dotsBF16 && !level.tilesBF16)
      checkBits(std::span(kCases).subspan(1, 1), level, "bf16", ", vector = 4");
}

TEST(PooledBlock, HasTheBitsOfPixelsThatAreRead) {
  checkBits(std::span(kCases).first(1), hostVectorLevel(), "f32", ", vector = 8, read_lhs = true");
  checkBits(std::span(kCases).subspan(2, 1), hostVectorLevel(), "f32", ", vector = 8, read_lhs = true");
}

TEST(PooledBlock, HasTheBitsOfPairs) {
  if (!hostLevel().dotsBF16)
    GTEST_SKIP() << "this processor lacks avx512bf16";
  checkBits(kCases, hostLevel(), "bf16", ", vector = 16, instruction = dot");
}

TEST(PooledBlock, HasTheBitsOfTheUnit) {
  const TileUnit unit(*findCPULevel("amx-bf16"));
  if (!unit.isThere())
    GTEST_SKIP() << "this processor lacks what code around tiles needs: avx512bf16";
  const PooledConv cases[] = {{"lines", "2x10x18x32x", "32x3x3x32x", "2x8x16x32x", "2x4x8x32x", "",
                               "mp.max_pool_with_indices window [2, 2]", 2 * 180 * 32, 32 * 9 * 32,
                               "block_m = 64, block_n = 32, block_k = 96, tile_m = 32, tile_n = 32"},
                              {"a line that no window has", "3x7x7x32x", "24x3x3x32x", "3x5x5x24x", "3x2x2x24x", "",
                               "mp.max_pool_with_indices window [2, 2]", 3 * 49 * 32, 24 * 9 * 32,
                               "block_m = 96, block_n = 32, block_k = 288, tile_m = 32, tile_n = 32"}};
  checkBits(cases, *findCPULevel("amx-bf16"), "bf16", ", vector = 16, instruction = amx");
}

// Blocks that cut a window, or an image where that is to be whole, and columns that are those of another block.
TEST(PooledBlock, RefusesOtherBlocks) {
  for (auto [number, blocks] :
       {std::pair(0, "block_m = 16, block_n = 16, block_k = 144, tile_m = 8, tile_n = 16, vector = 4"),
        std::pair(2, "block_m = 30, block_n = 32, block_k = 96, tile_m = 5, tile_n = 16, vector = 4"),
        std::pair(2, "block_m = 50, block_n = 16, block_k = 96, tile_m = 5, tile_n = 16, vector = 4")}) {
    const PooledConv &p = kCases[number];
    KernelRunner kernel(kernelText({p.type(p.image, "f32"), p.type(p.filter, "f32")}, "%a = %x0, %b = %x1",
                                   p.results("f32"), 2, "contraction<" + std::string(blocks) + ">",
                                   p.convText("f32") + p.poolText("f32")),
                        hostVectorLevel());
    EXPECT_FALSE(kernel.ok()) << blocks;
    EXPECT_NE(kernel.errors.find("pools a product that is made in blocks of"), std::string::npos) << kernel.errors;
  }
}
