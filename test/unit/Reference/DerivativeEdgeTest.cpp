// Derivatives where they are a convention.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// At a kink, a tie or a NaN no difference quotient says what a gradient is: these are PyTorch's
// conventions, which the ops' descriptions state.

#include "Reference/Program.h"

#include "mp/IR/Program.h"
#include "mp/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace mp;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// The gradients of the sum of `%r`, which `statement` computes from the f64 parameters %0, %1, ... of these types,
/// with results of other names.
std::vector<std::vector<double>> gradients(const std::string &statement, const std::vector<std::string> &types,
                                           const std::string &result, const std::vector<Tensor> &values,
                                           const std::string &others = "") {
  std::string signature;
  for (size_t i = 0; i < types.size(); ++i)
    signature += (i ? ", %" : "%") + std::to_string(i) + ": " + types[i] + " {mp.parameter = \"p" + std::to_string(i) +
                 "\", mp.initializer = #mp.zeros}";
  Program program("func.func @model(" + signature +
                  ") -> (tensor<f64> {mp.loss}) attributes {mp.program = \"model\"} {\n  %r" + others + " = " +
                  statement + "\n  %l = mp.reduce_sum %r dimensions [0] : " + result +
                  " -> tensor<f64>\n  return %l : tensor<f64>\n}");
  mlir::PassManager passes(program.getContext());
  passes.addPass(createAutodiffPass());
  if (!program.func("model") || failed(passes.run(program.getModule()))) {
    ADD_FAILURE() << program.errors();
    return {};
  }
  llvm::FailureOr<std::vector<Tensor>> results = evaluate(program.func("train_step"), values);
  if (failed(results)) {
    ADD_FAILURE() << program.errors();
    return {};
  }
  std::vector<std::vector<double>> found;
  for (size_t i = 0; i < types.size(); ++i)
    found.push_back((*results)[i + 1].reals());
  return found;
}

using Values = std::vector<double>;

TEST(DerivativeEdge, EqualOperandsOfMaxGetHalfEach) {
  const std::string type = "tensor<3xf64>";
  auto found = gradients("mp.max %0, %1 : " + type + ", " + type + " -> " + type, {type, type}, type,
                         {reals(ElementType::F64, {3}, {1, 2, 5}), reals(ElementType::F64, {3}, {1, 3, 4})});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0], (Values{0.5, 0, 1}));
  EXPECT_EQ(found[1], (Values{0.5, 1, 0}));
}

TEST(DerivativeEdge, BothOperandsOfMaxGetTheGradientAtNaN) {
  const std::string type = "tensor<1xf64>";
  auto found = gradients("mp.max %0, %1 : " + type + ", " + type + " -> " + type, {type, type}, type,
                         {reals(ElementType::F64, {1}, {kNaN}), reals(ElementType::F64, {1}, {3})});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0], (Values{1}));
  EXPECT_EQ(found[1], (Values{1}));
}

TEST(DerivativeEdge, LargestElementsShareTheGradient) {
  auto found = gradients("mp.reduce_max %0 dimensions [1] : tensor<2x4xf64> -> tensor<2xf64>", {"tensor<2x4xf64>"},
                         "tensor<2xf64>", {reals(ElementType::F64, {2, 4}, {1, 7, 7, 2, 3, 3, 3, 3})});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0], (Values{0, 0.5, 0.5, 0, 0.25, 0.25, 0.25, 0.25}));
}

TEST(DerivativeEdge, AMaximumThatIsNaNHasNoFiniteGradient) {
  auto found = gradients("mp.reduce_max %0 dimensions [1] : tensor<1x2xf64> -> tensor<1xf64>", {"tensor<1x2xf64>"},
                         "tensor<1xf64>", {reals(ElementType::F64, {1, 2}, {kNaN, 1})});
  ASSERT_EQ(found.size(), 1u);
  for (double value : found[0])
    EXPECT_TRUE(std::isnan(value)) << value;
}

TEST(DerivativeEdge, ReluHasNoSlopeAtZeroAndPassesAtNaN) {
  const std::string type = "tensor<4xf64>";
  auto found = gradients("mp.relu %0 : " + type, {type}, type, {reals(ElementType::F64, {4}, {-1, 0, 2, kNaN})});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0], (Values{0, 0, 1, 1}));
}

// What PyTorch's backward formulas give at each kink, where the two sides differ (tools/autograd/derivatives.yaml).
TEST(DerivativeEdge, KinksHaveTheSlopesOfPyTorch) {
  struct Kink {
    const char *op;
    Values at, slopes;
  };
  const Kink kinks[] = {
      {"mp.abs %0", {-2, 0, 3}, {-1, 0, 1}},
      {"mp.clamp %0 {min = -1.0 : f64, max = 2.0 : f64}", {-1, 2, 3}, {1, 1, 0}},
      {"mp.leaky_relu %0 {negative_slope = 0.25 : f64}", {-1, 0, 2}, {0.25, 0.25, 1}},
      {"mp.elu %0 {alpha = 0.5 : f64}", {0, 1, 2}, {0.5, 1, 1}},
      {"mp.hard_sigmoid %0", {-3, 0, 3}, {0, 1.0 / 6, 0}},
      {"mp.hard_swish %0", {-3, 0, 3}, {0, 0.5, 1}},
  };
  const std::string type = "tensor<3xf64>";
  for (const Kink &kink : kinks) {
    auto found = gradients(kink.op + (" : " + type), {type}, type, {reals(ElementType::F64, {3}, kink.at)});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0], kink.slopes) << kink.op;
  }
}

TEST(DerivativeEdge, EqualOperandsOfMinGetHalfEach) {
  const std::string type = "tensor<3xf64>";
  auto found = gradients("mp.min %0, %1 : " + type + ", " + type + " -> " + type, {type, type}, type,
                         {reals(ElementType::F64, {3}, {1, 2, 5}), reals(ElementType::F64, {3}, {1, 3, 4})});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0], (Values{0.5, 1, 0}));
  EXPECT_EQ(found[1], (Values{0.5, 0, 1}));
}

// 0^0 and its powers: no NaN of 0 times an infinity.
TEST(DerivativeEdge, PowersOfZero) {
  const std::string type = "tensor<4xf64>";
  auto found = gradients("mp.pow %0, %1 : " + type + ", " + type + " -> " + type, {type, type}, type,
                         {reals(ElementType::F64, {4}, {0, 0, 0, 2}), reals(ElementType::F64, {4}, {0, 1, 2, 0})});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0], (Values{0, 1, 0, 0}));
  EXPECT_EQ(found[1], (Values{0, 0, 0, std::log(2.0)}));
}

// At 0 the slope counts, and the slope's own gradient is that of the elements it multiplies.
TEST(DerivativeEdge, SlopesOfPReluCountAtZero) {
  const std::string type = "tensor<3xf64>";
  auto found = gradients("mp.prelu %0, %1 : " + type + ", tensor<1xf64> -> " + type, {type, "tensor<1xf64>"}, type,
                         {reals(ElementType::F64, {3}, {-2, 0, 3}), reals(ElementType::F64, {1}, {0.25})});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0], (Values{0.25, 0.25, 1}));
  EXPECT_EQ(found[1], (Values{-2}));
}

TEST(DerivativeEdge, TheOriginHasNoAngle) {
  const std::string type = "tensor<1xf64>";
  auto found = gradients("mp.atan2 %0, %1 : " + type + ", " + type + " -> " + type, {type, type}, type,
                         {reals(ElementType::F64, {1}, {0}), reals(ElementType::F64, {1}, {0})});
  ASSERT_EQ(found.size(), 2u);
  EXPECT_TRUE(std::isnan(found[0][0]) && std::isnan(found[1][0]));
}

// Each gets the product of the others, which division by a zero would not give.
TEST(DerivativeEdge, ProductsWithZeros) {
  const std::string type = "tensor<3x3xf64>";
  auto found = gradients("mp.reduce_prod %0 dimensions [1] : " + type + " -> tensor<3xf64>", {type}, "tensor<3xf64>",
                         {reals(ElementType::F64, {3, 3}, {2, 4, 8, 2, 0, 8, 0, 4, 0})});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0], (Values{32, 16, 8, 0, 16, 0, 0, 0, 0}));
}

TEST(DerivativeEdge, AVectorOfLengthZeroIsDividedByEpsilon) {
  const std::string type = "tensor<2xf64>";
  auto found = gradients("mp.l2_normalize %0 {epsilon = 0.5 : f64} : " + type, {type}, type,
                         {reals(ElementType::F64, {2}, {0, 0})});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0], (Values{2, 2}));
}

TEST(DerivativeEdge, OfEqualElementsTheFirstAreTheLargest) {
  const std::string type = "tensor<4xf64>";
  auto found = gradients("mp.top_k %0 k 2 : " + type + " -> tensor<2xf64>, tensor<2xi32>", {type}, "tensor<2xf64>",
                         {reals(ElementType::F64, {4}, {1, 3, 3, 3})}, ", %places");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0], (Values{0, 1, 1, 0}));
}

} // namespace
