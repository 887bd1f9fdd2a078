// Convolutions and their gradients.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values worked out by hand, and at random that the three ops are adjoint: with y = conv(x, w) and any g,
// <y, g> = <x, conv_transpose(g, w)> = <w, conv_filter_grad(x, g)>, exactly in whole numbers. What conv itself gives is
// compared with NumPy in test/Integration/numpy_conv.py.

#include "Reference/Program.h"

#include <gtest/gtest.h>

#include <numeric>
#include <random>

using namespace mp;

namespace {

using Sizes = std::vector<int64_t>;

std::string typeText(const Sizes &shape, const std::string &element) {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + element + ">";
}

std::string listText(const Sizes &numbers) {
  std::string text;
  for (int64_t number : numbers)
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  return "[" + text + "]";
}

/// A convolution at random.
struct Problem {
  Sizes image, filter, result, strides, padding, dilations;
  int64_t groups = 1;

  std::string attributes() const {
    return "{strides = " + listText(strides) + ", padding = " + listText(padding) +
           ", dilations = " + listText(dilations) + ", groups = " + std::to_string(groups) + "}";
  }
};

class Problems {
public:
  explicit Problems(uint64_t seed) : random(seed) {}

  Problem make() {
    Problem problem;
    // 0 of a size that may be 0 one time in eight.
    auto size = [&](int64_t most) { return pick(8) == 0 ? 0 : 1 + pick(most); };
    problem.groups = 1 + pick(3);
    const int64_t batch = size(3), channels = size(3), filters = problem.groups * size(3);
    problem.image = problem.result = {batch};
    problem.filter = {filters};
    for (int64_t dimension = 1 + pick(3); dimension > 0; --dimension)
      addDimension(problem);
    problem.image.push_back(problem.groups * channels);
    problem.filter.push_back(channels);
    problem.result.push_back(filters);
    return problem;
  }

  Tensor whole(const Sizes &shape) {
    std::vector<double> values(std::accumulate(shape.begin(), shape.end(), int64_t(1), std::multiplies<>()));
    for (double &value : values)
      value = static_cast<double>(pick(19)) - 9;
    return reals(ElementType::F64, shape, values);
  }

private:
  int64_t pick(int64_t count) { return static_cast<int64_t>(random() % static_cast<uint64_t>(count)); }

  /// Windows larger than the image, strides beyond the window, pixels that no window reads, padding that a window lies
  /// in as a whole: all that is left is that the result has a pixel.
  void addDimension(Problem &problem) {
    const int64_t taps = 1 + pick(4), dilation = 1 + pick(2), stride = 1 + pick(4), span = (taps - 1) * dilation + 1;
    const int64_t low = pick(4), high = pick(4), image = std::max<int64_t>(1, span - low - high) + pick(5);
    problem.image.push_back(image);
    problem.filter.push_back(taps);
    problem.result.push_back((image + low + high - span) / stride + 1);
    problem.strides.push_back(stride);
    problem.padding.insert(problem.padding.end(), {low, high});
    problem.dilations.push_back(dilation);
  }

  std::mt19937_64 random;
};

double dot(const Tensor &a, const Tensor &b) {
  const std::vector<double> lhs = a.reals(), rhs = b.reals();
  EXPECT_EQ(a.type.shape, b.type.shape);
  return std::inner_product(lhs.begin(), lhs.end(), rhs.begin(), 0.0);
}

/// What an op of two tensors gives.
Tensor runOp(const std::string &op, const std::string &attributes, const std::string &acc, const Tensor &lhs,
             const Tensor &rhs, const std::string &result, const EvaluatorOptions &options = {}) {
  const std::string types = typeName(lhs.type) + ", " + typeName(rhs.type);
  std::vector<Tensor> results = run("(%a: " + typeName(lhs.type) + ", %b: " + typeName(rhs.type) + ") -> " + result,
                                    "%r = mp." + op + " %a, %b acc " + acc + " " + attributes + " : " + types + " -> " +
                                        result + "\n return %r : " + result,
                                    {lhs, rhs}, options);
  return results.empty() ? Tensor() : std::move(results.front());
}

} // namespace

TEST(Convolution, aFilterIsNotTurnedAroundAndPaddingIsZero) {
  const Tensor x = reals(ElementType::F32, {1, 3, 1}, {1, 2, 3}), w = reals(ElementType::F32, {1, 2, 1}, {10, 1});
  EXPECT_EQ(runOp("conv", "", "f32", x, w, "tensor<1x2x1xf32>").reals(), (std::vector<double>{12, 23}));
  EXPECT_EQ(runOp("conv", "{padding = [1, 0]}", "f32", x, w, "tensor<1x3x1xf32>").reals(),
            (std::vector<double>{1, 12, 23}));
  EXPECT_EQ(runOp("conv", "{padding = same}", "f32", x, w, "tensor<1x3x1xf32>").reals(),
            (std::vector<double>{12, 23, 30}));
  EXPECT_EQ(runOp("conv", "{dilations = [2]}", "f32", x, w, "tensor<1x1x1xf32>").reals(), (std::vector<double>{13}));
  EXPECT_EQ(runOp("conv", "{strides = [2], padding = [0, 1]}", "f32", x, w, "tensor<1x2x1xf32>").reals(),
            (std::vector<double>{12, 30}));
}

TEST(Convolution, aTransposedOneSpreadsPixels) {
  const Tensor g = reals(ElementType::F32, {1, 2, 1}, {1, 2}), w = reals(ElementType::F32, {1, 2, 1}, {10, 1});
  EXPECT_EQ(runOp("conv_transpose", "", "f32", g, w, "tensor<1x3x1xf32>").reals(), (std::vector<double>{10, 21, 2}));
  // The last pixel is one that no window reads.
  EXPECT_EQ(runOp("conv_transpose", "{strides = [2]}", "f32", g, w, "tensor<1x5x1xf32>").reals(),
            (std::vector<double>{10, 1, 20, 2, 0}));
  // A class without taps: pixels between those that a filter of 1 reads.
  const Tensor one = reals(ElementType::F32, {1, 1, 1}, {10});
  EXPECT_EQ(runOp("conv_transpose", "{strides = [2]}", "f32", g, one, "tensor<1x3x1xf32>").reals(),
            (std::vector<double>{10, 0, 20}));
}

TEST(Convolution, groupsAreRunsOfChannelsAndOfFilters) {
  const Tensor x = reals(ElementType::F32, {1, 1, 4}, {1, 2, 3, 4});
  const Tensor w = reals(ElementType::F32, {4, 1, 2}, {1, 10, 100, 1000, 1, 10, 100, 1000});
  EXPECT_EQ(runOp("conv", "{groups = 2}", "f32", x, w, "tensor<1x1x4xf32>").reals(),
            (std::vector<double>{21, 2100, 43, 4300}));
}

TEST(Convolution, aBiasIsAddedInTheAccumulator) {
  std::vector<Tensor> results =
      run("(%x: tensor<1x2x1xf16>, %w: tensor<2x2x1xf16>, %b: tensor<2xf32>) -> tensor<1x1x2xf16>",
          R"(
    %r = mp.conv %x, %w bias %b : tensor<2xf32> acc f32 : tensor<1x2x1xf16>, tensor<2x2x1xf16> -> tensor<1x1x2xf16>
    return %r : tensor<1x1x2xf16>)",
          {reals(ElementType::F16, {1, 2, 1}, {2048, 1}), reals(ElementType::F16, {2, 2, 1}, {1, 1, 1, 1}),
           reals(ElementType::F32, {2}, {1, 0.5})});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].reals(), (std::vector<double>{2050, 2050})); // 2049 + 1; 2049.5 to nearest
}

TEST(Convolution, sumsInTheStatedTypeAreInOrder) {
  // 2048 + 1 + 1 in f16, in the order of taps, then channels: 1 is lost, twice.
  const Tensor x = reals(ElementType::F16, {1, 3, 1}, {2048, 1, 1}), w = reals(ElementType::F16, {1, 3, 1}, {1, 1, 1});
  EXPECT_EQ(runOp("conv", "", "f16", x, w, "tensor<1x1x1xf16>", {.exactAccumulator = true}).reals(),
            (std::vector<double>{2048}));
  EXPECT_EQ(runOp("conv", "", "f16", x, w, "tensor<1x1x1xf16>").reals(), (std::vector<double>{2050}));
}

TEST(Convolution, theThreeAreAdjoint) {
  Problems problems(1);
  for (int number = 0; number < 400; ++number) {
    const Problem problem = problems.make();
    SCOPED_TRACE(typeText(problem.image, "f64") + " * " + typeText(problem.filter, "f64") + " " + problem.attributes());
    const Tensor x = problems.whole(problem.image), w = problems.whole(problem.filter);
    const Tensor g = problems.whole(problem.result);
    auto runIt = [&](const std::string &op, const Tensor &a, const Tensor &b, const Sizes &shape) {
      return runOp(op, problem.attributes(), "f64", a, b, typeText(shape, "f64"));
    };
    const double product = dot(runIt("conv", x, w, problem.result), g);
    EXPECT_EQ(dot(runIt("conv_transpose", g, w, problem.image), x), product);
    EXPECT_EQ(dot(runIt("conv_filter_grad", x, g, problem.filter), w), product);
    if (HasFailure())
      return;
  }
}
