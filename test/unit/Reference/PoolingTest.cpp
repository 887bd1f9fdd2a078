// Poolings and their gradients.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values worked out by hand. What random windows give is compared with NumPy in test/Integration/numpy_pooling.py.

#include "Reference/Program.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace mp;

namespace {

using Values = std::vector<double>;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

std::string typeText(int64_t pixels, const std::string &element) {
  return "tensor<1x" + std::to_string(pixels) + "x1x" + element + ">";
}

/// One image of one dimension and one channel.
Values pool(const std::string &op, const std::string &attributes, const Values &image, int64_t pixels,
            const std::string &element = "f32") {
  const std::string from = typeText(static_cast<int64_t>(image.size()), element), to = typeText(pixels, element);
  const Tensor x =
      reals(element == "f16" ? ElementType::F16 : ElementType::F32, {1, static_cast<int64_t>(image.size()), 1}, image);
  std::vector<Tensor> results =
      run("(%x: " + from + ") -> " + to,
          "%r = mp." + op + " %x {" + attributes + "} : " + from + " -> " + to + "\n return %r : " + to, {x});
  return results.empty() ? Values() : results.front().reals();
}

Values maxPoolGrad(const std::string &attributes, const Values &image, const Values &gradient) {
  const std::string x = typeText(static_cast<int64_t>(image.size()), "f32"),
                    g = typeText(static_cast<int64_t>(gradient.size()), "f32");
  std::vector<Tensor> results =
      run("(%x: " + x + ", %g: " + g + ") -> " + x,
          "%r = mp.max_pool_grad %x, %g {" + attributes + "} : " + x + ", " + g + " -> " + x + "\n return %r : " + x,
          {reals(ElementType::F32, {1, static_cast<int64_t>(image.size()), 1}, image),
           reals(ElementType::F32, {1, static_cast<int64_t>(gradient.size()), 1}, gradient)});
  return results.empty() ? Values() : results.front().reals();
}

} // namespace

TEST(Pooling, paddingNeverWins) {
  EXPECT_EQ(pool("max_pool", "window = [2]", {-3, -1, -5, -2}, 2), (Values{-1, -2}));
  EXPECT_EQ(pool("max_pool", "window = [3], strides = [1], padding = same", {-3, -1, -5}, 3), (Values{-1, -1, -1}));
  EXPECT_EQ(pool("max_pool", "window = [2], strides = [1], dilations = [2], padding = [1, 1]", {-3, -1, -5}, 3),
            (Values{-1, -3, -1}));
}

TEST(Pooling, theFirstOfEqualOnesWins) {
  const double least = -std::numeric_limits<double>::infinity();
  EXPECT_TRUE(std::signbit(pool("max_pool", "window = [2]", {-0.0, 0.0}, 1).front()));
  EXPECT_FALSE(std::signbit(pool("max_pool", "window = [2]", {0.0, -0.0}, 1).front()));
  EXPECT_EQ(maxPoolGrad("window = [3]", {1, 2, 2}, {5}), (Values{0, 5, 0}));
  EXPECT_EQ(maxPoolGrad("window = [3], padding = [1, 0]", {least, least}, {5}), (Values{5, 0}));
}

TEST(Pooling, theFirstNaNWins) {
  EXPECT_TRUE(std::isnan(pool("max_pool", "window = [3]", {1, kNaN, 7}, 1).front()));
  EXPECT_EQ(maxPoolGrad("window = [4]", {9, kNaN, kNaN, 10}, {5}), (Values{0, 5, 0, 0}));
}

TEST(Pooling, gradientsOfWindowsThatOverlapAddUp) {
  EXPECT_EQ(maxPoolGrad("window = [3], strides = [1]", {1, 2, 9, 3, 4}, {1, 10, 100}), (Values{0, 0, 111, 0, 0}));
  // The last pixel is one that no window has.
  EXPECT_EQ(maxPoolGrad("window = [2]", {1, 2, 4, 3, 9}, {1, 10}), (Values{0, 1, 10, 0, 0}));
}

TEST(Pooling, paddingCountsWhereTheTextSaysSo) {
  const std::string windows = "window = [3], strides = [1], padding = same, count_padding = ";
  EXPECT_EQ(pool("avg_pool", windows + "true", {3, 6, 9}, 3), (Values{3, 6, 5}));
  EXPECT_EQ(pool("avg_pool", windows + "false", {3, 6, 9}, 3), (Values{4.5, 6, 7.5}));
  EXPECT_EQ(pool("avg_pool_grad", windows + "true", {3, 6, 9}, 3), (Values{3, 6, 5}));
  EXPECT_EQ(pool("avg_pool_grad", windows + "false", {6, 6, 6}, 3), (Values{5, 8, 5}));
}

TEST(Pooling, averagesAreRoundedOnce) {
  // In f16 2048 + 1 is 2048, and so would be the sum of the three.
  EXPECT_EQ(pool("avg_pool", "window = [4]", {2048, 1, 1, 2}, 1, "f16"), (Values{513}));
}
