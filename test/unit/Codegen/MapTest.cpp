// Map kernels against loops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/KernelRunner.h"
#include "Codegen/Values.h"

#include "mp/Numerics/Float.h"
#include "mp/Numerics/Philox.h"
#include "llvm/Support/FormatVariadic.h"
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace mp;
using namespace mp::test;

TEST(Map, BroadcastsOverRowsAndColumns) {
  const std::string text =
      mapText({"tensor<5x11xf32>", "tensor<11xf32>", "tensor<5x1xf32>", "tensor<f32>"}, {"tensor<5x11xf32>"},
              "%0 = mp.add %a0, %a1 : tensor<5x11xf32>, tensor<11xf32> -> tensor<5x11xf32>\n"
              "%1 = mp.mul %0, %a2 : tensor<5x11xf32>, tensor<5x1xf32> -> tensor<5x11xf32>\n"
              "%2 = mp.div %1, %a3 : tensor<5x11xf32>, tensor<f32> -> tensor<5x11xf32>\n",
              "%2", "block = 16, vector = 8");
  KernelRunner kernel(text);
  ASSERT_TRUE(kernel.ok()) << kernel.errors;
  EXPECT_EQ(kernel.code->kernels[0].grid, 4);
  const auto a = randomFloats(55, 1), r = randomFloats(11, 2), c = randomFloats(5, 3), s = randomFloats(1, 4);
  const auto z = kernel.run({Buffer::of(a), Buffer::of(r), Buffer::of(c), Buffer::of(s)}, true)[0].as<float>();
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 11; ++j)
      EXPECT_EQ(z[i * 11 + j], (a[i * 11 + j] + r[j]) * c[i] / s[0]);
}

// Every size from 1 below to 9 above the numbers of the schedule; the runner looks at what lies around each buffer.
TEST(Map, EndsWhereItsBuffersEnd) {
  for (const std::string type : {"f32", "f16"})
    for (const std::string row : {"", "x6"}) {
      std::vector<int64_t> sizes;
      for (int64_t number : {8, 32, 96})
        for (int64_t size = number - 1; size <= number + 9; ++size)
          sizes.push_back(size);
      std::vector<std::string> tensors;
      std::vector<Buffer> inputs;
      std::string body, yields;
      for (size_t i = 0; i < sizes.size(); ++i) {
        const std::string number = std::to_string(i);
        tensors.push_back("tensor<" + std::to_string(sizes[i]) + row + "x" + type + ">");
        body += "%" + number + " = mp.relu %a" + number + " : " + tensors.back() + "\n";
        yields += (i ? ", %" : "%") + number;
        const size_t count = sizes[i] * (row.empty() ? 1 : 6);
        const std::vector<float> values = randomFloats(count, static_cast<uint32_t>(i));
        inputs.push_back(type == "f32" ? Buffer::of(values) : Buffer::of(std::vector<uint16_t>(count, 0xbc00)));
      }
      KernelRunner kernel(mapText(tensors, tensors, body, yields, "block = 32, vector = 8"));
      ASSERT_TRUE(kernel.ok()) << kernel.errors;
      const std::vector<Buffer> results = kernel.run(inputs);
      for (size_t i = 0; i < sizes.size(); ++i) {
        if (type == "f16") {
          EXPECT_EQ(results[i].as<uint16_t>(), std::vector<uint16_t>(inputs[i].bytes.size() / 2, 0)) << sizes[i];
          continue;
        }
        std::vector<float> expected = inputs[i].as<float>();
        for (float &value : expected)
          value = std::max(value, 0.0F);
        EXPECT_EQ(results[i].as<float>(), expected) << sizes[i];
      }
    }
}

TEST(Map, MovesAndReadsElementsInAnyOrder) {
  // [4, 6, 5] -> transposed [5, 4, 6] -> [5, 24] plus a row, and the index of each.
  const std::string text =
      mapText({"tensor<4x6x5xf32>", "tensor<24xf32>"}, {"tensor<5x24xf32>", "tensor<5x4x6xi32>"},
              "%0 = mp.transpose %a0 permutation [2, 0, 1] : tensor<4x6x5xf32> -> tensor<5x4x6xf32>\n"
              "%1 = mp.reshape %0 : tensor<5x4x6xf32> -> tensor<5x24xf32>\n"
              "%2 = mp.broadcast %a1 : tensor<24xf32> -> tensor<5x24xf32>\n"
              "%3 = mp.sub %1, %2 : tensor<5x24xf32>, tensor<5x24xf32> -> tensor<5x24xf32>\n"
              "%4 = mp.iota dimension 1 -> tensor<5x4x6xi32>\n",
              "%3, %4", "block = 8, vector = 8");
  KernelRunner kernel(text);
  ASSERT_TRUE(kernel.ok()) << kernel.errors;
  EXPECT_EQ(kernel.code->kernels[0].grid, 30);
  const auto a = randomFloats(120, 1), r = randomFloats(24, 2);
  const auto results = kernel.run({Buffer::of(a), Buffer::of(r)});
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 4; ++j)
      for (int k = 0; k < 6; ++k) {
        EXPECT_EQ(results[0].as<float>()[i * 24 + j * 6 + k], a[(j * 6 + k) * 5 + i] - r[j * 6 + k]);
        EXPECT_EQ(results[1].as<int32_t>()[(i * 4 + j) * 6 + k], j);
      }
}

// The row of a reshape is no row of its operand: lanes may not cross either.
TEST(Map, ReshapesBetweenUnevenRows) {
  const std::string text = mapText({"tensor<6x10xf32>", "tensor<10xf32>", "tensor<15x1xf32>"}, {"tensor<15x4xf32>"},
                                   "%0 = mp.add %a0, %a1 : tensor<6x10xf32>, tensor<10xf32> -> tensor<6x10xf32>\n"
                                   "%1 = mp.reshape %0 : tensor<6x10xf32> -> tensor<15x4xf32>\n"
                                   "%2 = mp.mul %1, %a2 : tensor<15x4xf32>, tensor<15x1xf32> -> tensor<15x4xf32>\n",
                                   "%2", "block = 16, vector = 4");
  KernelRunner kernel(text);
  ASSERT_TRUE(kernel.ok()) << kernel.errors;
  const auto a = randomFloats(60, 1), r = randomFloats(10, 2), c = randomFloats(15, 3);
  const auto z = kernel.run({Buffer::of(a), Buffer::of(r), Buffer::of(c)})[0].as<float>();
  for (int i = 0; i < 60; ++i)
    EXPECT_EQ(z[i], (a[i] + r[i % 10]) * c[i / 4]);
}

// Lanes of every number of words, also beyond the last whole register.
TEST(Map, DropoutMasksFollowPhilox) {
  const int64_t seed = 0x123456789abcdef0, step = 0x7000000005;
  for (const double rate : {0.0, 0.3, 0.999999, 0.9999999999})
    for (const int words : {1, 8, 21}) {
      const std::string tensor = "tensor<" + std::to_string(words) + "xi64>";
      KernelRunner kernel(mapText({"tensor<2xi64>"}, {tensor},
                                  "%0 = mp.dropout_mask %a0 {rate = " + llvm::formatv("{0:F12}", rate).str() +
                                      ", stream = 5} : " + tensor + "\n",
                                  "%0", "block = 8, vector = 8"));
      ASSERT_TRUE(kernel.ok()) << kernel.errors;
      const auto mask = kernel.run({Buffer::of(std::vector<int64_t>{seed, step})})[0].as<uint64_t>();
      for (int i = 0; i < 64 * words; ++i)
        ASSERT_EQ(mask[i / 64] >> i % 64 & 1, uniformFloat(randomBits(seed, step, 5, i)) >= rate) << rate << ' ' << i;
    }
}

// Along rows, whose bits begin anywhere in a byte, and across them.
TEST(Map, DropoutReadsItsMask) {
  std::vector<uint64_t> mask;
  for (int i = 0; i < 13; ++i)
    mask.push_back(0x9E3779B97F4A7C15 * (i + 1));
  for (const int vector : {1, 4, 16, 64})
    for (const bool isTransposed : {false, true}) {
      const std::string transpose =
          "%1 = mp.transpose %0 permutation [1, 0] : tensor<7x101xf32> -> tensor<101x7xf32>\n";
      KernelRunner kernel(mapText({"tensor<7x101xf32>", "tensor<13xi64>"},
                                  {isTransposed ? "tensor<101x7xf32>" : "tensor<7x101xf32>"},
                                  "%0 = mp.masked_dropout %a0, %a1 {rate = 0.3} : tensor<7x101xf32>, tensor<13xi64>\n" +
                                      (isTransposed ? transpose : ""),
                                  isTransposed ? "%1" : "%0", "block = 64, vector = " + std::to_string(vector)));
      ASSERT_TRUE(kernel.ok()) << kernel.errors;
      const auto x = randomFloats(707, 1);
      const auto result = kernel.run({Buffer::of(x), Buffer::of(mask)})[0].as<float>();
      for (int i = 0; i < 707; ++i) {
        const float kept = x[i] * static_cast<float>(1 / (1 - 0.3));
        const int at = isTransposed ? i % 101 * 7 + i / 101 : i;
        ASSERT_EQ(result[at], mask[i / 64] >> i % 64 & 1 ? kept : 0) << vector << ' ' << i;
      }
    }
}

TEST(Map, RefusesExpOfF64) {
  for (const char *op : {"exp", "log"}) {
    KernelRunner kernel(mapText({"tensor<4xf64>"}, {"tensor<4xf64>"},
                                std::string("%0 = mp.") + op + " %a0 : tensor<4xf64>\n", "%0",
                                "block = 8, vector = 8"));
    EXPECT_FALSE(kernel.ok());
    EXPECT_NE(kernel.errors.find(std::string("'mp.") + op + "' op needs " + op + " of f64"), std::string::npos)
        << kernel.errors;
    EXPECT_NE(kernel.errors.find("in kernel 'k'"), std::string::npos) << kernel.errors;
  }
}

TEST(Map, RefusesAKernelWithoutSchedule) {
  KernelRunner kernel(
      "func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> { %z = mp.kernel \"k\" (%x = %a) : (tensor<4xf32>) -> "
      "tensor<4xf32> { %0 = mp.relu %x : tensor<4xf32>\n mp.yield %0 : tensor<4xf32> }\n return %z : tensor<4xf32> }");
  EXPECT_FALSE(kernel.ok());
  EXPECT_NE(kernel.errors.find("has no schedule"), std::string::npos) << kernel.errors;
}

// Optimizers and state

static float beyondF32Power(double beta, int64_t t) {
  double power = 1;
  for (double square = beta; t != 0; t >>= 1, square *= square)
    if (t & 1)
      power *= square;
  return static_cast<float>(1 - power);
}

// Two tensors in one kernel, one block of them in place of the other's operands: every block finds its own.
TEST(Map, AdamOfSeveralTensors) {
  const std::string big = "tensor<17x9xf32>", small = "tensor<9xf32>";
  KernelRunner kernel(mapText(
      {big, big, big, big, small, small, small, small, "tensor<f32>", "tensor<i64>", "tensor<i32>"},
      {big, big, big, small, small, small},
      "%0:3 = mp.adam %a0, %a1, %a2, %a3, %a8, %a9 guard %a10 {weight_decay = 0.1 : f64} : " + big + "\n" +
          "%1:3 = mp.adamw %a4, %a5, %a6, %a7, %a8, %a9 guard %a10 {weight_decay = 0.1 : f64} : " + small + "\n",
      "%0#0, %0#1, %0#2, %1#0, %1#1, %1#2", "block = 64, vector = 8"));
  ASSERT_TRUE(kernel.ok()) << kernel.errors;
  EXPECT_EQ(kernel.code->kernels[0].grid, 4);
  std::vector<std::vector<float>> values;
  for (int i = 0; i < 8; ++i) {
    values.push_back(randomFloats(i < 4 ? 153 : 9, i, 1));
    if (i % 4 == 3)
      for (float &v : values.back())
        v *= v;
  }
  const float rate = 0.01f;
  const int64_t step = 6;
  for (int32_t guard : {-1, 0}) {
    std::vector<Buffer> inputs;
    for (const auto &value : values)
      inputs.push_back(Buffer::of(value));
    inputs.push_back(Buffer::of(std::vector<float>{rate}));
    inputs.push_back(Buffer::of(std::vector<int64_t>{step}));
    inputs.push_back(Buffer::of(std::vector<int32_t>{guard}));
    const auto results = kernel.run(inputs);
    const float b1 = 0.9f, b2 = static_cast<float>(0.999), one1 = static_cast<float>(1 - 0.9);
    const float one2 = static_cast<float>(1 - 0.999), epsilon = static_cast<float>(1e-8), decay = 0.1f;
    const float c1 = beyondF32Power(0.9, step + 1);
    double power = 1;
    for (int i = 0; i < 7; ++i)
      power *= 0.999;
    const auto rootC2 = static_cast<float>(std::sqrt(1 - power));
    for (int tensor = 0; tensor < 2; ++tensor)
      for (size_t i = 0; i < values[tensor * 4].size(); ++i) {
        float p = values[tensor * 4][i], g = values[tensor * 4 + 1][i], m = values[tensor * 4 + 2][i];
        float v = values[tensor * 4 + 3][i];
        if (guard < 0) {
          if (tensor == 0)
            g = g + decay * p;
          else
            p = p * (1.0f - rate * decay);
          m = b1 * m + one1 * g;
          v = b2 * v + one2 * g * g;
          p = p - rate / c1 * m / (std::sqrt(v) / rootC2 + epsilon);
        }
        ASSERT_EQ(results[tensor * 3].as<float>()[i], p) << i;
        ASSERT_EQ(results[tensor * 3 + 1].as<float>()[i], m) << i;
        ASSERT_EQ(results[tensor * 3 + 2].as<float>()[i], v) << i;
      }
  }
}

TEST(Map, StochasticGradientDescent) {
  for (bool nesterov : {false, true}) {
    KernelRunner kernel(mapText(
        {"tensor<19xf32>", "tensor<19xf32>", "tensor<f32>", "tensor<19xf32>"}, {"tensor<19xf32>", "tensor<19xf32>"},
        std::string("%0:2 = mp.sgd %a0, %a1, %a2 velocity %a3 {momentum = 0.9 : f32, weight_decay = 0.01 : f32") +
            (nesterov ? ", nesterov" : "") + "} : tensor<19xf32>\n",
        "%0#0, %0#1", "block = 64, vector = 8"));
    ASSERT_TRUE(kernel.ok()) << kernel.errors;
    const auto p = randomFloats(19, 1), g = randomFloats(19, 2), v = randomFloats(19, 3);
    const auto results =
        kernel.run({Buffer::of(p), Buffer::of(g), Buffer::of(std::vector<float>{0.1f}), Buffer::of(v)});
    for (int i = 0; i < 19; ++i) {
      const float gradient = std::fma(0.01f, p[i], g[i]), velocity = 0.9f * v[i] + gradient;
      const float d = nesterov ? std::fma(0.9f, velocity, gradient) : velocity;
      EXPECT_EQ(results[0].as<float>()[i], std::fma(-0.1f, d, p[i]));
      EXPECT_EQ(results[1].as<float>()[i], velocity);
    }
  }
}

// The traces of docs/loss-scaling.md: X overflow, . clean; the scale after each update.
TEST(Map, LossScaleTraces) {
  struct Trace {
    const char *pattern, *attributes;
    float scale;
    int32_t hysteresis;
    std::vector<float> scales;
  };
  const std::string rest = "backoff_factor = 0.5 : f32, ceiling = 3.4028234e+38 : f32, ";
  const Trace traces[] = {
      {"...X..XX..",
       "growth_factor = 2.0 : f32, growth_interval = 2 : i32, hysteresis = 1 : i32, floor = 0.0 : f32",
       8,
       1,
       {8, 16, 16, 8, 8, 16, 8, 4, 4, 8}},
      {"...X..XX..",
       "growth_factor = 2.0 : f32, growth_interval = 2 : i32, hysteresis = 2 : i32, floor = 1.0 : f32",
       8,
       2,
       {8, 16, 16, 16, 16, 32, 32, 16, 16, 32}},
      {"XXXXX",
       "growth_factor = 2.0 : f32, growth_interval = 2 : i32, hysteresis = 2 : i32, floor = 1.0 : f32",
       4,
       2,
       {4, 2, 2, 1, 1}},
      {"...X..XX..",
       "growth_factor = 2.0 : f32, growth_interval = 2 : i32, hysteresis = 2 : i32, floor = 1.0 : f32, "
       "hysteresis_kind = #mp<hysteresis_kind cumulative>",
       8,
       2,
       {8, 16, 16, 16, 16, 32, 32, 16, 16, 32}},
      {"..",
       "growth_factor = 2.0 : f32, growth_interval = 1 : i32, hysteresis = 1 : i32, floor = 0.0 : f32",
       0x1p127f,
       1,
       {0x1p127f, 0x1p127f}}};
  for (const Trace &trace : traces) {
    KernelRunner kernel(
        mapText({"tensor<f32>", "tensor<i32>", "tensor<i32>", "tensor<i32>", "tensor<i64>", "tensor<2xi64>"},
                {"tensor<f32>", "tensor<i32>", "tensor<i32>", "tensor<i64>", "tensor<i32>", "tensor<2xi64>"},
                "%0:3 = mp.update_loss_scale %a0, %a1, %a2, %a3 {" + rest + trace.attributes + "}\n" +
                    "%1:2 = mp.count_skips %a4, %a1, %a3\n"
                    "%2 = mp.advance %a5 guard %a3 : tensor<2xi64>\n",
                "%0#0, %0#1, %0#2, %1#0, %1#1, %2", "block = 8, vector = 8"));
    ASSERT_TRUE(kernel.ok()) << kernel.errors;
    Buffer scale = Buffer::of(std::vector<float>{trace.scale}), growth = Buffer::of(std::vector<int32_t>{0});
    Buffer left = Buffer::of(std::vector<int32_t>{trace.hysteresis}), total = Buffer::of(std::vector<int64_t>{0});
    Buffer rng = Buffer::of(std::vector<int64_t>{-7, 5});
    int64_t skipped = 0, advanced = 5;
    for (size_t at = 0; at < trace.scales.size(); ++at) {
      const bool isBad = trace.pattern[at] == 'X';
      const auto results =
          kernel.run({scale, growth, left, Buffer::of(std::vector<int32_t>{isBad ? 3 : -1}), total, rng});
      scale = results[0], growth = results[1], left = results[2], total = results[3], rng = results[5];
      skipped += isBad, advanced += !isBad;
      EXPECT_EQ(scale.as<float>()[0], trace.scales[at]) << trace.pattern << " at " << at;
      EXPECT_EQ(total.as<int64_t>()[0], skipped);
      EXPECT_EQ(rng.as<int64_t>(), (std::vector<int64_t>{-7, advanced}));
    }
  }
}
