// Coverage, regions and refused input.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reference/Program.h"

#include "mp/IR/MP.h"

#include "mlir/IR/Dialect.h"

#include <gtest/gtest.h>

#include <limits>

using namespace mp;

TEST(Evaluator, hasARuleForEveryRegisteredOp) {
  Program program("");
  for (mlir::RegisteredOperationName name : program.getContext()->getRegisteredOperationsByDialect("mp"))
    EXPECT_TRUE(canEvaluate(name)) << name.getStringRef().str() << " has no rule in lib/Reference";
}

TEST(Evaluator, autocastRegionsMeanTheirBodies) {
  std::vector<Tensor> results = run("(%x: tensor<2xf32>) -> tensor<2xf32>", R"(
    %y = mp.relu %x : tensor<2xf32>
    %r = mp.autocast enabled = false -> (tensor<2xf32>) {
      %s = mp.autocast type = bf16 -> (tensor<2xf32>) {
        %e = mp.add %x, %y : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
        mp.yield %e : tensor<2xf32>
      }
      mp.yield %s : tensor<2xf32>
    }
    return %r : tensor<2xf32>)",
                                    {reals(ElementType::F32, {2}, {-1.5, 2.5})});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].floats(), (std::vector<float>{-1.5f, 5.0f}));
}

TEST(Evaluator, kernelsMeanTheirBodies) {
  std::vector<Tensor> results = run("(%x: tensor<2xf32>) -> tensor<2xf16>", R"(
    %r = mp.kernel "cast" (%a = %x) : (tensor<2xf32>) -> tensor<2xf16> {
      %h = mp.cast %a : tensor<2xf32> -> tensor<2xf16>
      mp.yield %h : tensor<2xf16>
    }
    return %r : tensor<2xf16>)",
                                    {reals(ElementType::F32, {2}, {1.0, 65520.0})});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].reals(), (std::vector<double>{1.0, HUGE_VAL}));
}

TEST(Evaluator, tilesAreThoseOfTheLastTwoDimensions) {
  const double inf = HUGE_VAL;
  std::vector<Tensor> results = run(
      "(%x: tensor<3x2xf16>, %y: tensor<2x3x3xf32>) -> (tensor<2x2xf32>, tensor<8xi32>)", R"(
    %s = mp.sum_row_blocks %x block 2 : tensor<3x2xf16> -> tensor<2x2xf32>
    %f = mp.nonfinite_tiles %y tile 2 x 2 : tensor<2x3x3xf32> -> tensor<8xi32>
    return %s, %f : tensor<2x2xf32>, tensor<8xi32>)",
      {reals(ElementType::F16, {3, 2}, {1, 2, 30, 40, 500, 600}), reals(ElementType::F32, {2, 3, 3},
                                                                        {1, 2, inf, 3, 4, 5, 6, 7, 8, //
                                                                         1, 2, 3, 4, 5, 6, 7, std::nan(""), -inf})});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].reals(), (std::vector<double>{31, 42, 500, 600}));
  EXPECT_EQ(results[1].integers(), (std::vector<int64_t>{0, 1, 0, 0, 0, 0, 1, 1}));
}

// The last block has one row of three in all, whose squares are about its mean until they are about another.
TEST(Evaluator, momentsOfBlocksOfRows) {
  constexpr double inf = std::numeric_limits<double>::infinity();
  std::vector<Tensor> results =
      run("(%x: tensor<3x1x2xf32>, %c: tensor<2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, "
          "tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>)",
          R"(
    %s, %f, %d, %q = mp.row_block_moments %x block 2 : tensor<3x1x2xf32>
    %r = mp.recenter_squares %f, %d, %q, %c rows 3 block 2 : tensor<2x2xf32>, tensor<2xf32>
    return %s, %f, %d, %q, %r : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>)",
          {reals(ElementType::F32, {3, 1, 2}, {1, 2, 3, 12, 5, inf}), reals(ElementType::F32, {2}, {1, 10})});
  ASSERT_EQ(results.size(), 5u);
  EXPECT_EQ(results[0].reals(), (std::vector<double>{4, 14, 5, inf}));
  EXPECT_EQ(results[1].reals(), (std::vector<double>{1, 2, 5, 0}));
  EXPECT_EQ(results[2].reals(), (std::vector<double>{2, 10, 0, inf}));
  for (auto [number, expected] : {std::pair(3, std::vector<double>{2, 50, 0}), {4, {4, 68, 16}}}) {
    std::vector<double> squares = results[number].reals();
    EXPECT_TRUE(std::isnan(squares.back()));
    squares.pop_back();
    EXPECT_EQ(squares, expected);
  }
}

// Parts are the leading bf16 of what those before leave; infinities and the largest numbers are in the first.
TEST(Evaluator, partsAddUpToWhatIsPacked) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double third = 1.0f / 3, largest = std::numeric_limits<float>::max();
  const std::vector<double> values = {third, -largest, -kInfinity, 1 + 0x1p-8, 0x1.018102p-3, -0x1p-100};
  const Tensor x = reals(ElementType::F32, {1, 6}, values);
  auto packed = [&](int parts) {
    const std::string panels = "batches 1 panels <rows = 1, depth = 32, unit = 2, depth_inner = true, parts = " +
                               std::to_string(parts) + "> : ",
                      words = "tensor<1x1x1x" + std::to_string(32 * parts) + "xbf16>";
    return run("(%x: tensor<1x6xf32>) -> (" + words + ", tensor<1x6xf32>)",
               "%p = mp.pack %x " + panels + "tensor<1x6xf32> -> " + words + "\n%y = mp.unpack %p " + panels + words +
                   " -> tensor<1x6xf32>\nreturn %p, %y : " + words + ", tensor<1x6xf32>",
               {x});
  };
  const auto all = packed(3);
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1].reals(), values);
  const std::vector<double> parts = all[0].reals();
  EXPECT_EQ(parts[0], 0x1.56p-2);
  EXPECT_EQ(parts[32] + parts[64], third - 0x1.56p-2);
  EXPECT_EQ(parts[1], -0x1.fep127);
  EXPECT_EQ(parts[2], -kInfinity);
  EXPECT_EQ(parts[34], 0);
  EXPECT_EQ(parts[3], 1); // a tie
  EXPECT_EQ(parts[35], 0x1p-8);
  const std::vector<double> two = packed(2)[1].reals();
  EXPECT_EQ(two[3], values[3]);
  EXPECT_NE(two[4], values[4]);
  EXPECT_NEAR(two[4], values[4], 0x1p-17 * values[4]);
}

// A row for each filter with its taps and channels, or one for each channel with the last tap first.
TEST(Evaluator, filtersArePackedAsConvolutionsReadThem) {
  const std::vector<double> values = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}; // 2 filters of 3 taps of 2 channels
  auto packed = [&](const std::string &how, const std::string &panels) {
    const std::string all = "batches 1 filters " + how + "panels <" + panels + ", unit = 1, depth_inner = true> : ";
    const auto results = run(
        "(%x: tensor<2x3x2xf32>) -> (tensor<1x1x1x12xf32>, tensor<2x3x2xf32>)",
        "%p = mp.pack %x " + all + "tensor<2x3x2xf32> -> tensor<1x1x1x12xf32>\n%y = mp.unpack %p " + all +
            "tensor<1x1x1x12xf32> -> tensor<2x3x2xf32>\n" + "return %p, %y : tensor<1x1x1x12xf32>, tensor<2x3x2xf32>",
        {reals(ElementType::F32, {2, 3, 2}, values)});
    EXPECT_EQ(results.at(1).reals(), values);
    return results.at(0).reals();
  };
  EXPECT_EQ(packed("", "rows = 2, depth = 6"), values);
  EXPECT_EQ(packed("transposed ", "rows = 2, depth = 6"), (std::vector<double>{5, 11, 3, 9, 1, 7, 6, 12, 4, 10, 2, 8}));
}

/// What evaluating the identity on tensor<2xf32> says of these arguments.
static std::string errorOf(llvm::ArrayRef<Tensor> arguments,
                           const std::string &text = "func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {"
                                                     " return %x : tensor<2xf32> }") {
  Program program(text);
  if (!program.func())
    return "does not parse: " + program.errors();
  EXPECT_TRUE(failed(evaluate(program.func(), arguments)));
  return program.errors();
}

TEST(Evaluator, argmaxTakesTheFirstOfEqualElements) {
  const Tensor rows = reals(ElementType::F32, {2, 4}, {1, 3, 3, 2, 5, 4, 5, 5});
  std::vector<Tensor> results = run("(%x: tensor<2x4xf32>) -> tensor<2xi32>", R"(
    %r = mp.argmax %x dimension 1 : tensor<2x4xf32> -> tensor<2xi32>
    return %r : tensor<2xi32>)",
                                    {rows});
  ASSERT_EQ(results.size(), 1u);
  EXPECT_EQ(results[0].integers(), (std::vector<int64_t>{1, 0}));
}

// 24929 * 673 is 2^24 + 1, in the middle of two neighbours of f32. 2^-30 more or less decides, and f64 has no place for
// it.
TEST(Evaluator, eachSumOfTheStatedTypeIsRoundedOnce) {
  const std::pair<double, double> cases[] = {{0x1p-30, 0x1p24 + 2}, {0, 0x1p24}, {-0x1p-30, 0x1p24}};
  for (auto [little, expected] : cases) {
    std::vector<Tensor> results =
        run("(%x: tensor<1x2xf32>, %y: tensor<2x1xf32>) -> tensor<1x1xf32>", R"(
    %r = mp.matmul %x, %y acc f32 : tensor<1x2xf32>, tensor<2x1xf32> -> tensor<1x1xf32>
    return %r : tensor<1x1xf32>)",
            {reals(ElementType::F32, {1, 2}, {little, 24929}), reals(ElementType::F32, {2, 1}, {1, 673})},
            {.exactAccumulator = true});
    ASSERT_EQ(results.size(), 1u);
    EXPECT_EQ(results[0].reals().front(), expected) << little;
  }
}

TEST(Evaluator, refusesArgumentsThatDoNotFit) {
  EXPECT_EQ(errorOf({}), "takes 1 arguments, got 0\n");
  EXPECT_EQ(errorOf({reals(ElementType::F32, {3}, {1, 2, 3})}), "argument #0 is 'tensor<2xf32>', got tensor<3xf32>\n");
  EXPECT_EQ(errorOf({reals(ElementType::F16, {2}, {1, 2})}), "argument #0 is 'tensor<2xf32>', got tensor<2xf16>\n");
  EXPECT_EQ(errorOf({Tensor{{makeType(ElementType::F32, {2}), std::vector<std::byte>(7)}}}),
            "argument #0 holds 7 bytes, its type has 8\n");
}

TEST(Evaluator, refusesOpenSizes) {
  EXPECT_EQ(errorOf({reals(ElementType::F32, {2}, {1, 2})},
                    "func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> { return %x : tensor<?xf32> }"),
            "cannot evaluate a value of type 'tensor<?xf32>': its size is open, run mp-specialize "
            "first\n");
}

TEST(Evaluator, refusesOpsOfOtherDialectsAndFunctionsWithoutBody) {
  EXPECT_EQ(errorOf({}, "func.func private @f()"), "has no body to evaluate\n");
  EXPECT_EQ(errorOf({}, "func.func private @g()\nfunc.func @f() { call @g() : () -> ()\n return }"),
            "the reference evaluator has no rule for 'func.call'\n");
}

TEST(Evaluator, refusesValuesTooLargeToHold) {
  // No op has such a value; an argument that none reads may be one.
  EXPECT_EQ(errorOf({reals(ElementType::F32, {2}, {1, 2})},
                    "func.func @f(%x: tensor<9223372036854775807x9223372036854775807xf32>) { return }"),
            "cannot evaluate a value of type 'tensor<9223372036854775807x9223372036854775807xf32>'\n");
}
