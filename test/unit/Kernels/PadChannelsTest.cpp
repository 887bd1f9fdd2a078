// Convolutions with channels of zeros give the sums of those without.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/PlanRunner.h"

#include "mp/Reference/Evaluator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

using namespace mp;
using namespace mp::test;

namespace {

/// A convolution and both of its gradients, with sizes and attributes that are legal.
struct RandomConvolution {
  std::string image, bytes, filter, result, attributes;

  RandomConvolution(unsigned seed, int64_t channels, const std::string &element) {
    std::mt19937 random(seed);
    auto pick = [&](int64_t least, int64_t most) {
      return least + static_cast<int64_t>(random() % (most - least + 1));
    };
    const int64_t images = pick(1, 2), filters = pick(1, 5);
    image = "tensor<" + std::to_string(images) + "x", filter = "tensor<" + std::to_string(filters) + "x",
    result = image;
    std::string strides, padding, dilations;
    for (int64_t dimension = 0, count = pick(1, 3); dimension < count; ++dimension) {
      const int64_t taps = pick(1, 3), dilation = pick(1, 2), stride = pick(1, 2), low = pick(0, 2), high = pick(0, 2);
      const int64_t span = (taps - 1) * dilation + 1, size = span + pick(0, 4);
      const std::string comma = dimension == 0 ? "" : ", ";
      image += std::to_string(size) + "x", filter += std::to_string(taps) + "x";
      result += std::to_string((size + low + high - span) / stride + 1) + "x";
      strides += comma + std::to_string(stride), dilations += comma + std::to_string(dilation);
      padding += comma + std::to_string(low) + ", " + std::to_string(high);
    }
    bytes = image + std::to_string(channels) + "xui8>";
    image += std::to_string(channels) + "x" + element + ">", filter += std::to_string(channels) + "x" + element + ">";
    result += std::to_string(filters) + "x" + element + ">";
    attributes = "acc f32 {strides = [" + strides + "], padding = [" + padding + "], dilations = [" + dilations + "]}";
  }

  std::string text() const { return textOf("%x", image, ""); }
  /// An image in bytes, less their mean or a half of them.
  std::string textOfBytes(const std::string &op = "sub", const std::string &scalar = "128.0") const {
    std::string wide = bytes;
    wide.replace(wide.find("ui8"), 3, "f32");
    return textOf("%i", bytes,
                  "  %c = mp.constant dense<" + scalar + "> : tensor<f32>\n  %p = mp.cast %i : " + bytes + " -> " +
                      wide + "\n  %m = mp." + op + " %p, %c : " + wide + ", tensor<f32> -> " + wide +
                      "\n  %x = mp.cast %m : " + wide + " -> " + image + "\n");
  }

private:
  std::string textOf(const std::string &argument, const std::string &type, const std::string &conversion) const {
    return "func.func @f(" + argument + ": " + type + ", %w: " + filter + ", %g: " + result + ") -> (" + result + ", " +
           image + ", " + filter + ") {\n" + conversion + //
           "  %y = mp.conv %x, %w " + attributes + " : " + image + ", " + filter + " -> " + result + "\n" +
           "  %a = mp.conv_transpose %g, %w " + attributes + " : " + result + ", " + filter + " -> " + image + "\n" +
           "  %b = mp.conv_filter_grad %x, %g " + attributes + " : " + image + ", " + result + " -> " + filter + "\n" +
           "  return %y, %a, %b : " + result + ", " + image + ", " + filter + "\n}\n";
  }
};

/// What became of a program.
struct Change {
  bool isPadded, isJoined, isGathered;
};

/// Sums of small integers, which are exact in any order.
Change expectSameBits(const std::string &text, unsigned seed) {
  CompiledProgram program(text);
  const std::vector<Tensor> arguments = randomArguments(program.func(), seed);
  llvm::FailureOr<std::vector<Tensor>> expected = evaluate(program.func(), arguments);
  EXPECT_TRUE(succeeded(expected));
  EXPECT_TRUE(program.run("mp-pad-channels{features=sm_80},cse"));
  llvm::FailureOr<std::vector<Tensor>> found = evaluate(program.func(), arguments);
  EXPECT_TRUE(succeeded(found));
  for (size_t i = 0; i < expected->size(); ++i)
    EXPECT_EQ((*expected)[i].bytes, (*found)[i].bytes) << "result " << i << ", seed " << seed << "\n" << text;
  auto has = [text = program.print()](const char *op) { return text.find(op) != std::string::npos; };
  return {has("mp.pad"), has("mp.reshape"), has("mp.gather")};
}

} // namespace

TEST(PadChannels, KeepsSums) {
  for (const int64_t channels : {1, 2, 3, 4, 5, 6, 7, 8, 9}) {
    unsigned padded = 0, joined = 0;
    for (unsigned seed = 0; seed < 80; ++seed) {
      const Change change = expectSameBits(RandomConvolution(seed, channels, seed % 2 ? "f16" : "bf16").text(), seed);
      padded += change.isPadded;
      joined += change.isJoined;
    }
    if (channels < 3 || channels == 8)
      EXPECT_EQ(padded, 0u) << channels << " channels";
    else if (channels != 4)
      EXPECT_GE(padded, 20u) << channels << " channels";
    // Of 5 to 8 channels a pixel is 16 bytes.
    if (channels == 3 || channels == 4 || channels == 9)
      EXPECT_GE(joined, 3u) << channels << " channels";
    else
      EXPECT_EQ(joined, 0u) << channels << " channels";
  }
}

// What a pixel has further is no zero in such an image.
TEST(PadChannels, ConvertsCopiesOfBytes) {
  for (const int64_t channels : {3, 4, 5, 6, 7}) {
    unsigned gathered = 0, joined = 0;
    for (unsigned seed = 0; seed < 80; ++seed) {
      const RandomConvolution convolution(seed, channels, seed % 2 ? "f16" : "bf16");
      const Change change = expectSameBits(convolution.textOfBytes(), seed);
      gathered += change.isGathered;
      joined += change.isJoined;
    }
    if (channels == 4)
      EXPECT_EQ(gathered, 0u);
    else
      EXPECT_GE(gathered, 20u) << channels << " channels";
    if (channels < 5)
      EXPECT_GE(joined, 3u) << channels << " channels";
  }
}

TEST(PadChannels, CopiesLinesOfBytes) {
  for (const int64_t channels : {1, 2, 3}) {
    unsigned lines = 0, others = 0;
    for (unsigned seed = 0; seed < 160; ++seed) {
      const RandomConvolution convolution(seed, channels, seed % 2 ? "f16" : "bf16");
      lines += expectSameBits(convolution.textOfBytes("mul", "0.5"), seed).isGathered;
      // Where a line has padding zeros would not stay zeros.
      others += expectSameBits(convolution.textOfBytes(), seed).isGathered;
    }
    EXPECT_GE(lines, 40u) << channels << " channels";
    if (channels < 3) {
      EXPECT_GE(others, 3u) << channels << " channels";
      EXPECT_LT(others, lines / 2) << channels << " channels";
    }
  }
}

TEST(PadChannels, LeavesOtherTypes) { EXPECT_FALSE(expectSameBits(RandomConvolution(1, 3, "f32").text(), 1).isPadded); }

TEST(PadChannels, PadsWhatIsConverted) {
  const Change change =
      expectSameBits("func.func @f(%x: tensor<2x7x6x3xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<2x5x4x4xf16> {\n"
                     "  %i = mp.cast %x : tensor<2x7x6x3xf32> -> tensor<2x7x6x3xf16>\n"
                     "  %f = mp.cast %w : tensor<4x3x3x3xf32> -> tensor<4x3x3x3xf16>\n"
                     "  %y = mp.conv %i, %f acc f32 : tensor<2x7x6x3xf16>, tensor<4x3x3x3xf16> -> tensor<2x5x4x4xf16>\n"
                     "  return %y : tensor<2x5x4x4xf16>\n}\n",
                     1);
  EXPECT_TRUE(change.isPadded);
}

// A pair of pixels is multiplied by a tap of zeros where only one of them is the window's.
TEST(PadChannels, SpoilsWhatLiesBesideInfinities) {
  CompiledProgram program(
      "func.func @f(%x: tensor<1x12x4xf16>, %w: tensor<1x5x4xf16>, %g: tensor<1x6x1xf16>)\n"
      "    -> (tensor<1x6x1xf16>, tensor<1x12x4xf16>) {\n"
      "  %y = mp.conv %x, %w acc f32 {strides = [2], padding = [1, 2]} : tensor<1x12x4xf16>, tensor<1x5x4xf16>"
      " -> tensor<1x6x1xf16>\n"
      "  %a = mp.conv_transpose %g, %w acc f32 {strides = [2], padding = [1, 2]} : tensor<1x6x1xf16>, tensor<1x5x4xf16>"
      " -> tensor<1x12x4xf16>\n"
      "  return %y, %a : tensor<1x6x1xf16>, tensor<1x12x4xf16>\n}\n");
  const double infinity = std::numeric_limits<double>::infinity();
  std::vector<Tensor> arguments = randomArguments(program.func(), 0);
  std::vector<double> image(48, 1.0), filter(20, 1.0), gradient(6, 1.0);
  image[4 * 4] = infinity, gradient[3] = infinity;
  arguments[0] = Tensor::ofReals(arguments[0].type, image);
  arguments[1] = Tensor::ofReals(arguments[1].type, filter);
  arguments[2] = Tensor::ofReals(arguments[2].type, gradient);
  auto whatIs = [&](bool (*is)(double), int64_t number, int64_t channels) {
    const std::vector<Tensor> found = *evaluate(program.func(), arguments);
    const std::vector<double> values = found[number].reals();
    std::vector<int64_t> pixels;
    for (size_t i = 0; i < values.size(); i += channels)
      if (is(values[i]))
        pixels.push_back(static_cast<int64_t>(i) / channels);
    return pixels;
  };
  auto isInfinite = [](double x) { return std::isinf(x); };
  auto isNaN = [](double x) { return std::isnan(x); };
  using Pixels = std::vector<int64_t>;
  for (const bool isPadded : {false, true}) {
    if (isPadded)
      ASSERT_TRUE(program.run("mp-pad-channels{features=sm_80}"));
    EXPECT_EQ(whatIs(isInfinite, 0, 1), Pixels({1, 2}));
    EXPECT_EQ(whatIs(isNaN, 0, 1), isPadded ? Pixels({3}) : Pixels());
    EXPECT_EQ(whatIs(isInfinite, 1, 4), Pixels({5, 6, 7, 8, 9}));
    EXPECT_EQ(whatIs(isNaN, 1, 4), isPadded ? Pixels({4}) : Pixels());
  }
}
