// The seconds of a kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Analysis/CostModel.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace mp;

namespace {

constexpr size_t kF16 = static_cast<size_t>(ArithmeticType::F16), kF32 = static_cast<size_t>(ArithmeticType::F32);

CPULevel simpleLevel() {
  CPULevel level = allCPULevels().front();
  level.contractionRates = {100, 100, 100, 50};
  level.mapRates = {10, 10, 10, 5};
  level.memoryBandwidth = 1000;
  level.launchSeconds = 1;
  return level;
}

TEST(CostModel, TheSlowerOfArithmeticAndMemoryCounts) {
  Work work;
  work.mapOperations[kF32] = 100;
  EXPECT_DOUBLE_EQ(estimateSeconds(work, simpleLevel()), 11);
  work.bytes = 5000;
  EXPECT_DOUBLE_EQ(estimateSeconds(work, simpleLevel()), 11);
  work.bytes = 20000;
  EXPECT_DOUBLE_EQ(estimateSeconds(work, simpleLevel()), 21);
  work.contractionOperations[kF32] = 3000;
  EXPECT_DOUBLE_EQ(estimateSeconds(work, simpleLevel()), 41);
}

TEST(CostModel, WorkAddsUp) {
  Work a, b;
  a.mapOperations[kF16] = 1, a.bytes = 2;
  b.mapOperations[kF16] = 3, b.contractionOperations[kF32] = 4, b.bytes = 5;
  a += b;
  EXPECT_EQ(a.mapOperations[kF16], 4);
  EXPECT_EQ(a.contractionOperations[kF32], 4);
  EXPECT_EQ(a.bytes, 7);
}

class CostOfOps : public testing::Test {
protected:
  CostOfOps() { context.loadDialect<MPDialect, func::FuncDialect>(); }

  /// The first op of a function with this body.
  Operation *parse(const std::string &body) {
    std::string arguments = "%x: tensor<4x8xf16>, %w: tensor<8x2xf16>, %f: tensor<4x8xf32>, %i: tensor<4x8xi1>";
    module = parseSourceString<ModuleOp>("func.func @f(" + arguments + ") {\n" + body + "\nreturn\n}",
                                         ParserConfig(&context));
    return &cast<func::FuncOp>(module->getBody()->front()).getBody().front().front();
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(CostOfOps, AProductIsTwoOperationsForEachK) {
  Work work = countWork(parse("%0 = mp.matmul %x, %w acc f32 : tensor<4x8xf16>, tensor<8x2xf16> -> tensor<4x2xf16>"));
  EXPECT_EQ(work.contractionOperations[kF16], 4 * 2 * 8 * 2);
  EXPECT_EQ(work.bytes, 2 * (4 * 8 + 8 * 2 + 4 * 2));
}

// Under strides of 2 a pixel meets 4, 2, 2 or 1 of 3 x 3 taps: a quarter of them, and nothing in between is counted.
TEST_F(CostOfOps, TheGradientOfStridesMultipliesNoZeros) {
  auto count = [&](const std::string &strides, const std::string &gradient) {
    Operation *filter =
        parse("%k = mp.constant dense<0.0> : tensor<6x3x3x5xf32>\n%g = mp.constant dense<0.0> : tensor<" + gradient +
              "xf32>\n%0 = mp.conv_transpose %g, %k acc f32 {strides = " + strides +
              ", padding = [1, 1, 1, 1]} : tensor<" + gradient + "xf32>, tensor<6x3x3x5xf32> -> tensor<2x8x8x5xf32>");
    return countWork(filter->getNextNode()->getNextNode()).contractionOperations[kF32];
  };
  // [2 * 8 * 8 x 9 * 6] x [9 * 6 x 5]
  EXPECT_EQ(count("[1, 1]", "2x8x8x6"), 2 * (2 * 8 * 8) * (9 * 6) * 5);
  EXPECT_EQ(count("[2, 2]", "2x4x4x6"), 2 * (2 * 4 * 4) * ((1 + 2 + 2 + 4) * 6) * 5);
  // Of sixteen kinds of pixels nine meet one tap and the others none.
  EXPECT_EQ(count("[4, 4]", "2x2x2x6"), 2 * (2 * 2 * 2) * (9 * 6) * 5);
}

// On a GPU each class of pixels is code of its own: of many the whole is computed, with the zeros, and counted.
TEST_F(CostOfOps, ACodeOfTheWholeMultipliesZeros) {
  auto count = [&](const std::string &strides, const std::string &gradient, const std::string &schedule) {
    const std::string types = "tensor<" + gradient + "xf16>, tensor<6x3x3x5xf16>";
    Operation *constant = parse(
        "%g = mp.constant dense<0.0> : tensor<" + gradient +
        "xf16>\n%k = mp.constant dense<0.0> : tensor<6x3x3x5xf16>\n"
        "%0 = mp.kernel \"k\" (%a = %g, %b = %k) " +
        schedule + " : (" + types +
        ") -> tensor<2x10x10x5xf16> {\n%1 = mp.conv_transpose %a, %b acc f32 {strides = " + strides +
        ", padding = [1, 1, 1, 1]} : " + types + " -> tensor<2x10x10x5xf16>\nmp.yield %1 : tensor<2x10x10x5xf16>\n}");
    return countWork(cast<KernelOp>(constant->getNextNode()->getNextNode())).contractionOperations[kF16];
  };
  const std::string ofGPU = "schedule(#mp.mma<block_m = 64, block_n = 64, block_k = 32, warps_m = 2, warps_n = 2, "
                            "stages = 2, instruction = mma.m16n8k16>)",
                    ofCPU = "schedule(#mp.contraction<block_m = 48, block_n = 64, block_k = 64, tile_m = 6, "
                            "tile_n = 16, vector = 8>)";
  const double whole = 2 * (2 * 10 * 10) * (9 * 6) * 5;
  // Of 25 kinds of pixels nine meet one tap and the others none.
  EXPECT_EQ(count("[5, 5]", "2x2x2x6", ofGPU), whole);
  EXPECT_EQ(count("[5, 5]", "2x2x2x6", ofCPU), 2 * (2 * 2 * 2) * (9 * 6) * 5);
  EXPECT_EQ(count("[5, 5]", "2x2x2x6", ""), 2 * (2 * 2 * 2) * (9 * 6) * 5);
  // Of four kinds each meets its own, on both.
  EXPECT_EQ(count("[2, 2]", "2x5x5x6", ofGPU), 2 * (2 * 5 * 5) * ((1 + 2 + 2 + 4) * 6) * 5);
  EXPECT_EQ(count("[2, 2]", "2x5x5x6", ofCPU), 2 * (2 * 5 * 5) * ((1 + 2 + 2 + 4) * 6) * 5);
}

// A GPU computes the pixels of windows and no others, 16 of 25; a CPU all of them.
TEST_F(CostOfOps, PixelsOfNoWindowAreNotComputedOnAGPU) {
  auto count = [&](const std::string &schedule) {
    const std::string types = "tensor<2x5x5x8xf16>, tensor<8x3x3x8xf16>", image = "tensor<2x5x5x8xf16>",
                      result = "tensor<2x2x2x8xf16>";
    Operation *constant =
        parse("%g = mp.constant dense<0.0> : tensor<2x5x5x8xf16>\n%k = mp.constant dense<0.0> : tensor<8x3x3x8xf16>\n"
              "%0 = mp.kernel \"k\" (%a = %g, %b = %k) " +
              schedule + " : (" + types + ") -> " + result + " {\n%s = mp.neg %a : tensor<2x5x5x8xf16>\n" +
              "%1 = mp.conv %s, %b acc f32 {padding = [1, 1, 1, 1]} : " + types + " -> " + image +
              "\n%2 = mp.neg %1 : " + image + "\n%3 = mp.max_pool %2 {window = [2, 2]} : " + image + " -> " + result +
              "\n%4 = mp.neg %3 : " + result + "\nmp.yield %4 : " + result + "\n}");
    return countWork(cast<KernelOp>(constant->getNextNode()->getNextNode()));
  };
  const Work ofGPU = count("schedule(#mp.mma<block_m = 64, block_n = 64, block_k = 32, warps_m = 2, warps_n = 2, "
                           "stages = 2, instruction = mma.m16n8k16>)"),
             ofCPU = count("schedule(#mp.contraction<block_m = 50, block_n = 16, block_k = 72, tile_m = 5, "
                           "tile_n = 16, vector = 8>)");
  constexpr double kOfK = 2.0 * (3 * 3 * 8) * 8;
  EXPECT_DOUBLE_EQ(ofCPU.contractionOperations[kF16], 2 * 25 * kOfK);
  EXPECT_DOUBLE_EQ(ofGPU.contractionOperations[kF16], 2 * 16 * kOfK);
  // So does the map in front of the pooling; that in front of the product, of as many elements, and the one behind the
  // pooling are whole.
  EXPECT_DOUBLE_EQ(ofCPU.mapOperations[kF16] - ofGPU.mapOperations[kF16], 2 * (25 - 16) * 8);
  // Both read and write the same.
  EXPECT_EQ(ofGPU.bytes, ofCPU.bytes);
}

TEST_F(CostOfOps, AttentionWorksInFloat32) {
  Operation *reshape =
      parse("%q = mp.reshape %x : tensor<4x8xf16> -> tensor<1x1x4x8xf16>\n"
            "%0:2 = mp.attention %q, %q, %q : tensor<1x1x4x8xf16>, tensor<1x1x4x8xf16>, tensor<1x1x4x8xf16>");
  const Work work = countWork(reshape->getNextNode());
  EXPECT_EQ(work.contractionOperations[kF16], 0);
  EXPECT_GE(work.contractionOperations[kF32], 2 * 2 * 4 * 4 * 8);
}

TEST_F(CostOfOps, AReductionWorksOnWhatItReads) {
  Work work = countWork(parse("%0 = mp.reduce_sum %f dimensions [0] : tensor<4x8xf32> -> tensor<8xf32>"));
  EXPECT_EQ(work.mapOperations[kF32], 32);
  EXPECT_EQ(work.bytes, 4 * 40);
}

TEST_F(CostOfOps, MovementIsTrafficOnly) {
  Work work = countWork(parse("%0 = mp.transpose %i permutation [1, 0] : tensor<4x8xi1> -> tensor<8x4xi1>"));
  EXPECT_EQ(work.mapOperations[kF32], 0);
  EXPECT_EQ(work.bytes, 64);
}

TEST_F(CostOfOps, AKernelReadsAndWritesItsBordersOnce) {
  auto kernel = cast<KernelOp>(parse(R"(
    %0 = mp.kernel "k" (%a = %f) : (tensor<4x8xf32>) -> tensor<4x8xf32> {
      %1 = mp.relu %a : tensor<4x8xf32>
      %2 = mp.add %1, %a : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x8xf32>
      mp.yield %2 : tensor<4x8xf32>
    })"));
  Work work = countWork(kernel);
  EXPECT_EQ(work.mapOperations[kF32], 64);
  EXPECT_EQ(work.bytes, 2 * 4 * 32);
}

TEST_F(CostOfOps, ExpensiveFunctionsCostMore) {
  double exp = countArithmetic(parse("%0 = mp.exp %f : tensor<4x8xf32>")).mapOperations[kF32];
  double relu = countArithmetic(parse("%0 = mp.relu %f : tensor<4x8xf32>")).mapOperations[kF32];
  EXPECT_GT(exp, 10 * relu);
}

} // namespace
