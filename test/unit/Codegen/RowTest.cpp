// Kernels over rows, columns and blocks against loops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/KernelRunner.h"
#include "Codegen/Values.h"

#include "mp/Numerics/Float.h"
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

using namespace mp;
using namespace mp::test;

static constexpr float kInf = std::numeric_limits<float>::infinity();
static constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// log(sum(exp(row))) in f64.
static double logSumExp(const float *row, int columns) {
  const double largest = *std::max_element(row, row + columns);
  double sum = 0;
  for (int j = 0; j < columns; ++j)
    sum += std::exp(row[j] - largest);
  return std::log(sum) + largest;
}

TEST(Row, SoftmaxWithMapsAroundIt) {
  for (int columns : {1, 10, 16, 37}) {
    const std::string c = std::to_string(columns), full = "tensor<6x" + c + "xf32>";
    KernelRunner kernel("func.func @f(%a: " + full + ") -> (" + full +
                        ", tensor<6xf32>) { %z:2 = mp.kernel \"k\" (%x = %a) "
                        "schedule(#mp.row<rows = 4, vector = 8>) : (" +
                        full + ") -> (" + full +
                        ", tensor<6xf32>) {\n"
                        "%t = mp.constant dense<0.5> : tensor<f32>\n"
                        "%0 = mp.mul %x, %t : " +
                        full + ", tensor<f32> -> " + full +
                        "\n"
                        "%1 = mp.softmax %0 : " +
                        full +
                        "\n"
                        "%2 = mp.reduce_max %1 dimensions [1] : " +
                        full +
                        " -> tensor<6xf32>\n"
                        "%3 = mp.reshape %2 : tensor<6xf32> -> tensor<6x1xf32>\n"
                        "%4 = mp.div %1, %3 : " +
                        full + ", tensor<6x1xf32> -> " + full +
                        "\n"
                        "mp.yield %4, %2 : " +
                        full + ", tensor<6xf32> }\n return %z#0, %z#1 : " + full + ", tensor<6xf32> }");
    ASSERT_TRUE(kernel.ok()) << kernel.errors;
    EXPECT_EQ(kernel.code->kernels[0].grid, 2);
    const auto a = randomFloats(6 * columns, columns);
    const auto results = kernel.run({Buffer::of(a)});
    const auto z = results[0].as<float>(), largest = results[1].as<float>();
    for (int i = 0; i < 6; ++i) {
      std::vector<float> row(columns);
      for (int j = 0; j < columns; ++j)
        row[j] = a[i * columns + j] * 0.5f;
      const double log = logSumExp(row.data(), columns), top = *std::max_element(row.begin(), row.end());
      EXPECT_NEAR(largest[i], std::exp(top - log), 1e-6);
      for (int j = 0; j < columns; ++j)
        EXPECT_NEAR(z[i * columns + j], std::exp(row[j] - top), 1e-6);
    }
  }
}

TEST(Row, LossGradientAndAccuracyInOneLaunch) {
  constexpr int kRows = 7, kClasses = 10;
  KernelRunner kernel(R"(
func.func @f(%a: tensor<7x10xf16>, %b: tensor<7xui8>, %c: tensor<f32>) -> (tensor<7xf32>, tensor<7x10xf16>, tensor<7xf32>) {
  %z:3 = mp.kernel "loss" (%x = %a, %y = %b, %s = %c) schedule(#mp.row<rows = 3, vector = 8>)
      : (tensor<7x10xf16>, tensor<7xui8>, tensor<f32>) -> (tensor<7xf32>, tensor<7x10xf16>, tensor<7xf32>) {
    %0 = mp.softmax_cross_entropy_rows %x, %y : tensor<7x10xf16>, tensor<7xui8> -> tensor<7xf32>
    %1 = mp.softmax_cross_entropy_grad %x, %y, %s : tensor<7x10xf16>, tensor<7xui8>, tensor<f32>
    %2 = mp.argmax %x dimension 1 : tensor<7x10xf16> -> tensor<7xi32>
    %3 = mp.cast %y : tensor<7xui8> -> tensor<7xi32>
    %4 = mp.compare eq %2, %3 : tensor<7xi32>, tensor<7xi32> -> tensor<7xi1>
    %5 = mp.cast %4 : tensor<7xi1> -> tensor<7xf32>
    mp.yield %0, %1, %5 : tensor<7xf32>, tensor<7x10xf16>, tensor<7xf32>
  }
  return %z#0, %z#1, %z#2 : tensor<7xf32>, tensor<7x10xf16>, tensor<7xf32>
})");
  ASSERT_TRUE(kernel.ok()) << kernel.errors;
  const auto logits = encoded(randomFloats(kRows * kClasses, 3), encodeF16);
  const std::vector<uint8_t> labels = {0, 9, 3, 200, 5, 5, 1};
  const auto results = kernel.run({Buffer::of(logits), Buffer::of(labels), Buffer::of(std::vector<float>{1024})});
  const auto loss = results[0].as<float>(), hit = results[2].as<float>();
  const auto gradient = results[1].as<uint16_t>();
  for (int i = 0; i < kRows; ++i) {
    float row[kClasses];
    for (int j = 0; j < kClasses; ++j)
      row[j] = decodeF16(logits[i * kClasses + j]);
    const double log = logSumExp(row, kClasses);
    if (labels[i] < kClasses)
      EXPECT_NEAR(loss[i], log - row[labels[i]], 2e-6);
    else
      EXPECT_TRUE(std::isnan(loss[i]));
    EXPECT_EQ(hit[i], std::max_element(row, row + kClasses) - row == labels[i]);
    for (int j = 0; j < kClasses; ++j) {
      const double expected = (std::exp(row[j] - log) - (labels[i] == j)) / kRows * 1024;
      EXPECT_NEAR(decodeF16(gradient[i * kClasses + j]), expected, std::abs(expected) * 0x1p-10 + 1e-6);
    }
  }
}

TEST(Row, ArgmaxTakesTheFirstNaNAndElseTheFirstLargest) {
  KernelRunner kernel(R"(
func.func @f(%a: tensor<4x5xf32>) -> tensor<4xi64> {
  %z = mp.kernel "k" (%x = %a) schedule(#mp.row<rows = 8, vector = 8>) : (tensor<4x5xf32>) -> tensor<4xi64> {
    %0 = mp.argmax %x dimension 1 : tensor<4x5xf32> -> tensor<4xi64>
    mp.yield %0 : tensor<4xi64>
  }
  return %z : tensor<4xi64>
})");
  ASSERT_TRUE(kernel.ok()) << kernel.errors;
  const std::vector<float> a = {1,     3,     3,     2,     0,     1, kNaN, 9, kNaN, kInf,
                                -kInf, -kInf, -kInf, -kInf, -kInf, 0, 1,    2, 3,    4};
  EXPECT_EQ(kernel.run({Buffer::of(a)})[0].as<int64_t>(), (std::vector<int64_t>{1, 1, 0, 4}));
}

TEST(Row, SoftmaxGradientAndWeightedLoss) {
  KernelRunner kernel(R"(
func.func @f(%a: tensor<3x4x20xf32>, %b: tensor<3x4x20xf32>, %c: tensor<3x4xi32>, %d: tensor<3x4xf32>)
    -> (tensor<3x4x20xf32>, tensor<3x4x20xf32>, tensor<3x4x1xf32>) {
  %z:3 = mp.kernel "k" (%x = %a, %y = %b, %l = %c, %w = %d) schedule(#mp.row<rows = 5, vector = 8>)
      : (tensor<3x4x20xf32>, tensor<3x4x20xf32>, tensor<3x4xi32>, tensor<3x4xf32>)
      -> (tensor<3x4x20xf32>, tensor<3x4x20xf32>, tensor<3x4x1xf32>) {
    %0 = mp.softmax_grad %x, %y : tensor<3x4x20xf32>
    %1 = mp.softmax_cross_entropy_grad_rows %x, %l, %w : tensor<3x4x20xf32>, tensor<3x4xi32>, tensor<3x4xf32> -> tensor<3x4x20xf32>
    %2 = mp.reduce_mean %x dimensions [2] keep_dims : tensor<3x4x20xf32> -> tensor<3x4x1xf32>
    mp.yield %0, %1, %2 : tensor<3x4x20xf32>, tensor<3x4x20xf32>, tensor<3x4x1xf32>
  }
  return %z#0, %z#1, %z#2 : tensor<3x4x20xf32>, tensor<3x4x20xf32>, tensor<3x4x1xf32>
})");
  ASSERT_TRUE(kernel.ok()) << kernel.errors;
  const auto x = randomFloats(240, 1, 1), y = randomFloats(240, 2, 1);
  std::vector<int32_t> labels(12);
  std::vector<float> weights(12);
  for (int i = 0; i < 12; ++i)
    labels[i] = i * 3 % 20, weights[i] = i % 5 == 0 ? 0 : 0.25f * i;
  const auto results = kernel.run({Buffer::of(x), Buffer::of(y), Buffer::of(labels), Buffer::of(weights)});
  const auto gx = results[0].as<float>(), gz = results[1].as<float>(), mean = results[2].as<float>();
  for (int i = 0; i < 12; ++i) {
    const float *row = &x[i * 20], *g = &y[i * 20];
    double dot = 0, sum = 0;
    for (int j = 0; j < 20; ++j)
      dot += double(row[j]) * g[j], sum += row[j];
    EXPECT_NEAR(mean[i], sum / 20, 1e-6);
    const double log = logSumExp(row, 20);
    for (int j = 0; j < 20; ++j) {
      EXPECT_NEAR(gx[i * 20 + j], row[j] * (g[j] - dot), 2e-5);
      EXPECT_NEAR(gz[i * 20 + j], (std::exp(row[j] - log) - (labels[i] == j)) * weights[i], 1e-6);
    }
  }
}

TEST(Row, RefusesWhatIsNotByRows) {
  // The result of each row serves every row as a column: legal by shape since the matrix is square.
  KernelRunner kernel(R"(
func.func @f(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %z = mp.kernel "square" (%x = %a) schedule(#mp.row<rows = 4, vector = 4>) : (tensor<4x4xf32>) -> tensor<4x4xf32> {
    %0 = mp.reduce_sum %x dimensions [1] : tensor<4x4xf32> -> tensor<4xf32>
    %1 = mp.add %x, %0 : tensor<4x4xf32>, tensor<4xf32> -> tensor<4x4xf32>
    mp.yield %1 : tensor<4x4xf32>
  }
  return %z : tensor<4x4xf32>
})");
  EXPECT_FALSE(kernel.ok());
  EXPECT_NE(kernel.errors.find("in kernel 'square'"), std::string::npos) << kernel.errors;
}

TEST(Column, SumsInTheOrderOfRows) {
  for (int columns : {1, 9, 40, 131}) {
    const std::string c = std::to_string(columns);
    KernelRunner kernel(
        "func.func @f(%a: tensor<5x7x" + c + "xf16>, %b: tensor<33x" + c + "xf32>) -> (tensor<" + c + "xf16>, tensor<" +
        c + "xf32>, tensor<1x" + c +
        "xf32>) {\n"
        "%z:3 = mp.kernel \"k\" (%x = %a, %y = %b) schedule(#mp.column<columns = 64, vector = 8>) : (tensor<5x7x" +
        c + "xf16>, tensor<33x" + c + "xf32>) -> (tensor<" + c + "xf16>, tensor<" + c + "xf32>, tensor<1x" + c +
        "xf32>) {\n"
        "%0 = mp.reduce_sum %x dimensions [0, 1] : tensor<5x7x" +
        c + "xf16> -> tensor<" + c +
        "xf16>\n"
        "%1 = mp.cast %0 : tensor<" +
        c + "xf16> -> tensor<" + c +
        "xf32>\n"
        "%2 = mp.reduce_mean %y dimensions [0] keep_dims : tensor<33x" +
        c + "xf32> -> tensor<1x" + c +
        "xf32>\n"
        "mp.yield %0, %1, %2 : tensor<" +
        c + "xf16>, tensor<" + c + "xf32>, tensor<1x" + c +
        "xf32> }\n"
        "return %z#0, %z#1, %z#2 : tensor<" +
        c + "xf16>, tensor<" + c + "xf32>, tensor<1x" + c + "xf32> }");
    ASSERT_TRUE(kernel.ok()) << kernel.errors;
    EXPECT_EQ(kernel.code->kernels[0].grid, 2 * ((columns + 63) / 64));
    const auto a = encoded(randomFloats(35 * columns, 1), encodeF16);
    const auto b = randomFloats(33 * columns, 2);
    const auto results = kernel.run({Buffer::of(a), Buffer::of(b)}, true);
    for (int j = 0; j < columns; ++j) {
      float sum = 0, other = 0;
      for (int i = 0; i < 35; ++i)
        sum += decodeF16(a[i * columns + j]);
      for (int i = 0; i < 33; ++i)
        other += b[i * columns + j];
      EXPECT_EQ(results[0].as<uint16_t>()[j], encodeF16(sum));
      EXPECT_EQ(results[1].as<float>()[j], decodeF16(encodeF16(sum)));
      EXPECT_EQ(results[2].as<float>()[j], other / 33);
    }
  }
}

TEST(Partial, FlagsAndSquaresOfBlocks) {
  KernelRunner kernel(R"(
func.func @f(%a: tensor<9x11xf32>, %b: tensor<f32>, %c: tensor<50xf16>) -> (tensor<4xi32>, tensor<4xf32>, tensor<2xi32>) {
  %z:3 = mp.kernel "k" (%x = %a, %s = %b, %y = %c) schedule(#mp.partial<block = 30, vector = 8>)
      : (tensor<9x11xf32>, tensor<f32>, tensor<50xf16>) -> (tensor<4xi32>, tensor<4xf32>, tensor<2xi32>) {
    %0 = mp.mul %x, %s : tensor<9x11xf32>, tensor<f32> -> tensor<9x11xf32>
    %1 = mp.nonfinite_blocks %0 {block = 30 : i64} : tensor<9x11xf32> -> tensor<4xi32>
    %2 = mp.sum_squares_blocks %x {block = 30 : i64} : tensor<9x11xf32> -> tensor<4xf32>
    %3 = mp.nonfinite_blocks %y {block = 30 : i64} : tensor<50xf16> -> tensor<2xi32>
    mp.yield %1, %2, %3 : tensor<4xi32>, tensor<4xf32>, tensor<2xi32>
  }
  return %z#0, %z#1, %z#2 : tensor<4xi32>, tensor<4xf32>, tensor<2xi32>
})");
  ASSERT_TRUE(kernel.ok()) << kernel.errors;
  EXPECT_EQ(kernel.code->kernels[0].grid, 10);
  auto a = randomFloats(99, 1);
  a[35] = 3e38f, a[98] = kNaN;
  std::vector<uint16_t> c(50, 0x3c00);
  c[7] = 0xfc00;
  const auto results = kernel.run({Buffer::of(a), Buffer::of(std::vector<float>{8}), Buffer::of(c)}, true);
  EXPECT_EQ(results[0].as<int32_t>(), (std::vector<int32_t>{0, 1, 0, 1}));
  EXPECT_EQ(results[2].as<int32_t>(), (std::vector<int32_t>{1, 0}));
  double sum = 0;
  for (int i = 0; i < 30; ++i)
    sum += double(a[i]) * a[i];
  EXPECT_NEAR(results[1].as<float>()[0], sum, sum * 1e-6);
  EXPECT_EQ(results[1].as<float>()[1], kInf);
  EXPECT_TRUE(std::isnan(results[1].as<float>()[3]));
}

TEST(Serial, RunsOpAfterOp) {
  KernelRunner kernel(R"(
func.func @f(%a: tensor<4x6x5xf32>, %b: tensor<3xi32>, %c: tensor<2xi32>)
    -> (tensor<4x5xf32>, tensor<i32>, tensor<5x6x4xf32>, tensor<4x5xi32>, tensor<f32>) {
  %z:5 = mp.kernel "k" (%x = %a, %y = %b, %w = %c) schedule(#mp.serial<vector = 8>)
      : (tensor<4x6x5xf32>, tensor<3xi32>, tensor<2xi32>)
      -> (tensor<4x5xf32>, tensor<i32>, tensor<5x6x4xf32>, tensor<4x5xi32>, tensor<f32>) {
    %0 = mp.reduce_sum %x dimensions [1] : tensor<4x6x5xf32> -> tensor<4x5xf32>
    %1 = mp.first_bad %y, %w, %y : tensor<3xi32>, tensor<2xi32>, tensor<3xi32>
    %2 = mp.transpose %x permutation [2, 1, 0] : tensor<4x6x5xf32> -> tensor<5x6x4xf32>
    %3 = mp.reduce_max %2 dimensions [0, 2] keep_dims : tensor<5x6x4xf32> -> tensor<1x6x1xf32>
    %4 = mp.sub %2, %3 : tensor<5x6x4xf32>, tensor<1x6x1xf32> -> tensor<5x6x4xf32>
    %5 = mp.argmax %x dimension 1 : tensor<4x6x5xf32> -> tensor<4x5xi32>
    %6 = mp.reduce_mean %0 dimensions [0, 1] : tensor<4x5xf32> -> tensor<f32>
    mp.yield %0, %1, %4, %5, %6 : tensor<4x5xf32>, tensor<i32>, tensor<5x6x4xf32>, tensor<4x5xi32>, tensor<f32>
  }
  return %z#0, %z#1, %z#2, %z#3, %z#4 : tensor<4x5xf32>, tensor<i32>, tensor<5x6x4xf32>, tensor<4x5xi32>, tensor<f32>
})");
  ASSERT_TRUE(kernel.ok()) << kernel.errors;
  const auto x = randomFloats(120, 1);
  const auto results =
      kernel.run({Buffer::of(x), Buffer::of(std::vector<int32_t>{0, 0, 0}), Buffer::of(std::vector<int32_t>{0, 1})});
  EXPECT_EQ(results[1].as<int32_t>()[0], 1);
  const auto sums = results[0].as<float>(), moved = results[2].as<float>();
  double mean = 0;
  for (int i = 0; i < 4; ++i)
    for (int k = 0; k < 5; ++k) {
      float sum = 0;
      int best = 0;
      for (int j = 0; j < 6; ++j) {
        sum += x[(i * 6 + j) * 5 + k];
        if (x[(i * 6 + j) * 5 + k] > x[(i * 6 + best) * 5 + k])
          best = j;
      }
      EXPECT_EQ(sums[i * 5 + k], sum);
      EXPECT_EQ(results[3].as<int32_t>()[i * 5 + k], best);
      mean += sum / 20;
    }
  EXPECT_NEAR(results[4].as<float>()[0], mean, 1e-5);
  for (int j = 0; j < 6; ++j) {
    float largest = -kInf;
    for (int i = 0; i < 4; ++i)
      for (int k = 0; k < 5; ++k)
        largest = std::max(largest, x[(i * 6 + j) * 5 + k]);
    for (int i = 0; i < 4; ++i)
      for (int k = 0; k < 5; ++k)
        EXPECT_EQ(moved[(k * 6 + j) * 4 + i], x[(i * 6 + j) * 5 + k] - largest);
  }
}
