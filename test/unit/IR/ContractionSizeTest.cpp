// How many products a contraction sums, also while the batch is open.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/IR/MP.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mp;

namespace {

/// getContractionSize() of the op of that type in a function of `arguments`.
template <typename Op> int64_t sizeOf(const std::string &arguments, const std::string &op) {
  mlir::MLIRContext context;
  context.loadDialect<MPDialect, mlir::func::FuncDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>("func.func @f(" + arguments + ") {\n" + op + "\nreturn\n}",
                                                        mlir::ParserConfig(&context));
  if (!module)
    return -2;
  int64_t size = -2;
  module->walk([&](Op found) { size = found.getContractionSize(); });
  return size;
}

TEST(ContractionSize, OfAMatmulIsItsK) {
  EXPECT_EQ(sizeOf<MatmulOp>("%a: tensor<?x8xf32>, %b: tensor<8x2xf32>",
                             "%c = mp.matmul %a, %b acc f32 : tensor<?x8xf32>, tensor<8x2xf32> -> tensor<?x2xf32>"),
            8);
}

// The gradient of a weight sums over the batch.
TEST(ContractionSize, IsMinusOneWhileKIsOpen) {
  EXPECT_EQ(sizeOf<MatmulOp>("%a: tensor<?x8xf32>, %b: tensor<?x2xf32>",
                             "%c = mp.matmul %a, %b transpose_lhs acc f32 "
                             ": tensor<?x8xf32>, tensor<?x2xf32> -> tensor<8x2xf32>"),
            -1);
  EXPECT_EQ(sizeOf<MatmulPartsOp>("%a: tensor<?x8xf32>, %b: tensor<?x2xf32>",
                                  "%c = mp.matmul_parts %a, %b transpose_lhs depth 4 acc f32 "
                                  ": tensor<?x8xf32>, tensor<?x2xf32> -> tensor<?x8x2xf32>"),
            -1);
  EXPECT_EQ(sizeOf<ConvFilterGradOp>("%x: tensor<?x5x5x4xf32>, %g: tensor<?x3x3x6xf32>",
                                     "%w = mp.conv_filter_grad %x, %g acc f32 "
                                     ": tensor<?x5x5x4xf32>, tensor<?x3x3x6xf32> -> tensor<6x3x3x4xf32>"),
            -1);
}

TEST(ContractionSize, OfConvolutionsIsThatOfTheirContractions) {
  EXPECT_EQ(sizeOf<ConvOp>("%x: tensor<?x5x5x4xf32>, %w: tensor<6x3x3x2xf32>",
                           "%y = mp.conv %x, %w acc f32 {groups = 2} "
                           ": tensor<?x5x5x4xf32>, tensor<6x3x3x2xf32> -> tensor<?x3x3x6xf32>"),
            3 * 3 * 2);
  EXPECT_EQ(sizeOf<ConvTransposeOp>("%g: tensor<?x3x3x6xf32>, %w: tensor<6x3x3x2xf32>",
                                    "%x = mp.conv_transpose %g, %w acc f32 {groups = 2} "
                                    ": tensor<?x3x3x6xf32>, tensor<6x3x3x2xf32> -> tensor<?x5x5x4xf32>"),
            3 * 3 * 3);
  EXPECT_EQ(sizeOf<ConvFilterGradOp>("%x: tensor<7x5x5x4xf32>, %g: tensor<7x3x3x6xf32>",
                                     "%w = mp.conv_filter_grad %x, %g acc f32 "
                                     ": tensor<7x5x5x4xf32>, tensor<7x3x3x6xf32> -> tensor<6x3x3x4xf32>"),
            7 * 3 * 3);
}

} // namespace
