// Maps and sums over windows, channel by channel, against loops, whatever their blocks and vectors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All values are whole numbers, so that sums are exact in any order.

#include "Codegen/KernelRunner.h"
#include "Codegen/Values.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <optional>

using namespace mp;
using namespace mp::test;

namespace {

/// One dimension of an image, and the windows over it.
struct Side {
  int64_t input, filter, stride = 1, low = 0, high = 0, dilation = 1;

  int64_t output() const { return (input + low + high - (filter - 1) * dilation - 1) / stride + 1; }
};

struct Images {
  const char *name;
  Side rows, columns;
  int64_t channels, images = 2;

  int64_t taps() const { return rows.filter * columns.filter; }
  int64_t pixels() const { return images * rows.input * columns.input; }
  int64_t results() const { return images * rows.output() * columns.output(); }
  static std::string tensor(std::initializer_list<int64_t> sizes) {
    std::string text = "tensor<";
    for (int64_t size : sizes)
      text += std::to_string(size) + "x";
    return text + "f32>";
  }
  std::string imageType() const { return tensor({images, rows.input, columns.input, channels}); }
  std::string resultType() const { return tensor({images, rows.output(), columns.output(), channels}); }
  std::string tapsType() const { return tensor({taps(), channels}); }
  std::string rowSumsType() const { return tensor({images, taps(), rows.output(), channels}); }
  std::string filterSumsType() const { return tensor({images, taps(), channels}); }

  /// `key` of both sides: " window [3, 3]" with `separator` " = " or " ".
  std::string windows(const std::string &separator) const {
    auto pair = [&](const char *key, int64_t a, int64_t b) {
      return std::string(key) + separator + "[" + std::to_string(a) + ", " + std::to_string(b) + "]";
    };
    const std::string comma = separator == " " ? " " : ", ";
    return pair("window", rows.filter, columns.filter) + comma + pair("strides", rows.stride, columns.stride) + comma +
           "padding" + separator + "[" + std::to_string(rows.low) + ", " + std::to_string(rows.high) + ", " +
           std::to_string(columns.low) + ", " + std::to_string(columns.high) + "]" + comma +
           pair("dilations", rows.dilation, columns.dilation);
  }

  /// body(result, tap, pixel) for every tap of every window that reads a pixel of the image, in row-major order.
  void forEachTap(const std::function<void(int64_t result, int64_t tap, int64_t pixel)> &body) const {
    for (int64_t result = 0; result < results(); ++result)
      for (int64_t tap = 0; tap < taps(); ++tap) {
        const int64_t q = result % columns.output(), line = result / columns.output(), p = line % rows.output();
        const int64_t h = p * rows.stride - rows.low + tap / columns.filter * rows.dilation;
        const int64_t w = q * columns.stride - columns.low + tap % columns.filter * columns.dilation;
        if (h >= 0 && h < rows.input && w >= 0 && w < columns.input)
          body(result, tap, (line / rows.output() * rows.input + h) * columns.input + w);
      }
  }
};

// Groups of pixels and what is left of a line; channels that are whole vectors, that leave some, and fewer than one;
// lines without an inner pixel; windows that leave pixels out, and that overlap.
const Images kCases[] = {
    {"same", {5, 3, 1, 1, 1}, {15, 3, 1, 1, 1}, 20},
    {"one side", {6, 2, 2, 1, 0}, {9, 3, 1, 0, 2}, 16},
    {"dilations", {9, 3, 1, 2, 2, 2}, {19, 3, 1, 0, 1, 3}, 8},
    {"windows larger than the image", {2, 3, 1, 2, 2}, {3, 5, 1, 3, 3}, 8},
    {"one column, left of every whole window", {3, 3, 1, 1, 1}, {3, 8, 1, 4, 1}, 8},
    {"apart", {5, 2, 2}, {15, 2, 2}, 16},
    {"overlapping", {9, 3, 2, 1, 1}, {17, 3, 2, 1, 1}, 24},
    {"strides beyond windows", {8, 1, 3}, {16, 2, 3, 1, 0}, 3},
};

std::vector<float> wholeNumbers(int64_t count, uint32_t seed) {
  std::vector<float> values = randomFloats(static_cast<size_t>(count), seed);
  for (float &value : values)
    value = std::round(value);
  return values;
}

/// body(level, number) for each level of vectors that runs here.
void forLevels(const std::function<void(const CPULevel &level, size_t number)> &body) {
  size_t number = 0;
  for (const CPULevel &level : allCPULevels())
    if (level.vectorBits <= hostLevel().vectorBits && !level.tilesBF16 && !level.dotsBF16)
      body(level, number++);
}

/// Compiles the map for vectors of all levels, and for blocks within a line, of a line and more, and of whole images.
void checkMap(const Images &shape, const std::vector<std::string> &inputTypes, const std::string &resultType,
              const std::string &body, const std::vector<std::vector<float>> &inputs,
              const std::vector<float> &expected, std::optional<size_t> inPlace = std::nullopt) {
  std::vector<Buffer> buffers;
  for (const std::vector<float> &input : inputs)
    buffers.push_back(Buffer::of(input));
  const int64_t blocks[] = {shape.columns.input * shape.channels / 16 * 16 + 16, 1 << 20, 16};
  forLevels([&](const CPULevel &level, size_t number) {
    const std::string schedule =
        "block = " + std::to_string(blocks[number % 3]) + ", vector = " + std::to_string(level.lanes());
    KernelRunner kernel(mapText(inputTypes, {resultType}, body, "%0", schedule), level);
    ASSERT_TRUE(kernel.ok()) << kernel.errors;
    EXPECT_EQ(kernel.run(buffers, /*backwards=*/true, inPlace)[0].as<float>(), expected)
        << shape.name << ", " << level.name;
  });
}

std::vector<float> zeros(int64_t pixels, int64_t channels) {
  return std::vector<float>(static_cast<size_t>(pixels * channels));
}

} // namespace

TEST(Windows, MultiplyByTaps) {
  bool isReversed = false;
  for (const Images &shape : kCases) {
    const auto x = wholeNumbers(shape.pixels() * shape.channels, 1), w = wholeNumbers(shape.taps() * shape.channels, 2);
    std::vector<float> expected = zeros(shape.results(), shape.channels);
    shape.forEachTap([&](int64_t result, int64_t tap, int64_t pixel) {
      const int64_t own = isReversed ? shape.taps() - 1 - tap : tap;
      for (int64_t c = 0; c < shape.channels; ++c)
        expected[result * shape.channels + c] += x[pixel * shape.channels + c] * w[own * shape.channels + c];
    });
    checkMap(shape, {shape.imageType(), shape.tapsType()}, shape.resultType(),
             "%0 = mp.depthwise_conv %a0, %a1 " + std::string(isReversed ? "reversed " : "") + shape.windows(" ") +
                 " : " + shape.imageType() + ", " + shape.tapsType() + " -> " + shape.resultType() + "\n",
             {x, w}, expected);
    isReversed = !isReversed;
  }
}

// Windows of two ops that no pixel has inside of the image for both: to what is there each pixel is added once.
TEST(Windows, AddToWhatIsThereOnce) {
  const Images narrow = {"narrow", {8, 3, 1, 1, 1}, {4, 5, 1, 2, 2}, 16},
               wide = {"wide", {8, 3, 1, 1, 1}, {4, 9, 1, 4, 4}, 16};
  const std::string type = narrow.imageType();
  const auto x = wholeNumbers(narrow.pixels() * narrow.channels, 1), w = wholeNumbers(narrow.taps() * 16, 2),
             v = wholeNumbers(wide.taps() * 16, 3), there = wholeNumbers(narrow.pixels() * narrow.channels, 4);
  std::vector<float> expected = there;
  for (const auto &[shape, taps] : {std::pair(&narrow, &w), std::pair(&wide, &v)})
    shape->forEachTap([&](int64_t result, int64_t tap, int64_t pixel) {
      for (int64_t c = 0; c < 16; ++c)
        expected[result * 16 + c] += x[pixel * 16 + c] * (*taps)[tap * 16 + c];
    });
  auto conv = [&](const Images &shape, const char *taps) {
    return std::string("mp.depthwise_conv %a0, ") + taps + " " + shape.windows(" ") + " : " + type + ", " +
           shape.tapsType() + " -> " + type + "\n";
  };
  const std::string types = " : " + type + ", " + type + " -> " + type + "\n";
  checkMap(narrow, {type, narrow.tapsType(), wide.tapsType(), type}, type,
           "%n = " + conv(narrow, "%a1") + "%w = " + conv(wide, "%a2") + "%s = mp.add %n, %w" + types +
               "%0 = mp.add %a3, %s" + types,
           {x, w, v, there}, expected, /*inPlace=*/3);
}

TEST(Windows, GiveBackByTaps) {
  for (const Images &shape : kCases) {
    const auto g = wholeNumbers(shape.results() * shape.channels, 1),
               w = wholeNumbers(shape.taps() * shape.channels, 2);
    std::vector<float> expected = zeros(shape.pixels(), shape.channels);
    shape.forEachTap([&](int64_t result, int64_t tap, int64_t pixel) {
      for (int64_t c = 0; c < shape.channels; ++c)
        expected[pixel * shape.channels + c] += g[result * shape.channels + c] * w[tap * shape.channels + c];
    });
    checkMap(shape, {shape.resultType(), shape.tapsType()}, shape.imageType(),
             "%0 = mp.depthwise_conv_transpose %a0, %a1 " + shape.windows(" ") + " : " + shape.resultType() + ", " +
                 shape.tapsType() + " -> " + shape.imageType() + "\n",
             {g, w}, expected);
  }
}

TEST(Windows, FindTheLargest) {
  for (const Images &shape : kCases) {
    if (shape.rows.low >= shape.rows.filter || shape.rows.dilation != 1)
      continue; // windows of padding alone
    const auto x = wholeNumbers(shape.pixels() * shape.channels, 1),
               g = wholeNumbers(shape.results() * shape.channels, 2);
    std::vector<float> largest(g.size(), -INFINITY), gradient = zeros(shape.pixels(), shape.channels);
    std::vector<int64_t> winners(g.size());
    shape.forEachTap([&](int64_t result, int64_t, int64_t pixel) {
      for (int64_t c = 0; c < shape.channels; ++c)
        if (const float value = x[pixel * shape.channels + c]; value > largest[result * shape.channels + c]) {
          largest[result * shape.channels + c] = value;
          winners[result * shape.channels + c] = pixel;
        }
    });
    for (size_t i = 0; i < g.size(); ++i)
      gradient[winners[i] * shape.channels + i % shape.channels] += g[i];
    const std::string windows = " {" + shape.windows(" = ") + "} : ";
    checkMap(shape, {shape.imageType()}, shape.resultType(),
             "%0 = mp.max_pool %a0" + windows + shape.imageType() + " -> " + shape.resultType() + "\n", {x}, largest);
    checkMap(shape, {shape.imageType(), shape.resultType()}, shape.imageType(),
             "%0 = mp.max_pool_grad %a0, %a1" + windows + shape.imageType() + ", " + shape.resultType() + " -> " +
                 shape.imageType() + "\n",
             {x, g}, gradient);
  }
}

// Blocks of some columns, of the taps of an image and of several images.
TEST(Windows, SumUpTheGradientOfTaps) {
  for (const Images &shape : kCases) {
    const auto x = wholeNumbers(shape.pixels() * shape.channels, 1),
               g = wholeNumbers(shape.results() * shape.channels, 2);
    std::vector<float> expected = zeros(shape.images * shape.taps(), shape.channels);
    shape.forEachTap([&](int64_t result, int64_t tap, int64_t pixel) {
      const int64_t image = result / (shape.results() / shape.images);
      for (int64_t c = 0; c < shape.channels; ++c)
        expected[(image * shape.taps() + tap) * shape.channels + c] +=
            x[pixel * shape.channels + c] * g[result * shape.channels + c];
    });
    const std::string types = shape.imageType() + ", " + shape.resultType(), sums = shape.rowSumsType();
    const int64_t columns[] = {64, 1 << 20, 16};
    forLevels([&](const CPULevel &level, size_t number) {
      const std::string schedule =
          "columns = " + std::to_string(columns[number % 3]) + ", vector = " + std::to_string(level.lanes());
      KernelRunner kernel(
          "func.func @f(%x: " + shape.imageType() + ", %g: " + shape.resultType() + ") -> " + shape.filterSumsType() +
              " {\n%z = mp.kernel \"k\" (%a = %x, %b = %g) schedule(#mp.column<" + schedule + ">) : (" + types +
              ") -> " + shape.filterSumsType() + " {\n%0 = mp.depthwise_conv_row_sums %a, %b " + shape.windows(" ") +
              " : " + types + " -> " + sums + "\n%1 = mp.reduce_sum %0 dimensions [2] : " + sums + " -> " +
              shape.filterSumsType() + "\nmp.yield %1 : " + shape.filterSumsType() +
              "\n}\nreturn %z : " + shape.filterSumsType() + "\n}\n",
          level);
      ASSERT_TRUE(kernel.ok()) << kernel.errors;
      EXPECT_EQ(kernel.run({Buffer::of(x), Buffer::of(g)}, /*backwards=*/true)[0].as<float>(), expected)
          << shape.name << ", " << level.name;
    });
  }
}
