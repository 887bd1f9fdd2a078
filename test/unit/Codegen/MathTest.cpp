// exp and log over the floats.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Over a stride of all 2^32 inputs, and over all of them with HALFSTEP_LONG=1, against libm in f64.

#include "Codegen/KernelRunner.h"
#include "Codegen/Values.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>

using namespace mp;
using namespace mp::test;

static std::string textOf(const std::string &function, size_t count, const std::string &vector) {
  const std::string type = "tensor<" + std::to_string(count) + "xf32>";
  return mapText({type}, {type}, "%0 = mp." + function + " %a0 : " + type + "\n", "%0",
                 "block = 65536, vector = " + vector);
}

/// How far `found` is from `exact`, in places of the float there. Infinity counts as the float after the largest.
static double ulpsBetween(float found, double exact) {
  if (std::isnan(exact) || std::isnan(found))
    return std::isnan(exact) && std::isnan(found) ? 0 : INFINITY;
  const double beyond = std::copysign(0x1p128, exact);
  const double clamped = std::abs(exact) >= 0x1p128 ? beyond : exact;
  const double value = std::isinf(found) ? std::copysign(0x1p128, found) : found;
  const int exponent = std::max(clamped == 0 ? -126 : std::ilogb(clamped), -126);
  return std::abs(value - clamped) / std::ldexp(1.0, exponent - 23);
}

static void checkFunction(const std::string &name, double (*reference)(double)) {
  constexpr size_t kChunk = 1 << 18;
  const uint64_t stride = std::getenv("HALFSTEP_LONG") ? 1 : 509;
  KernelRunner kernel(textOf(name, kChunk, "8"));
  ASSERT_TRUE(kernel.ok()) << kernel.errors;
  double worst = 0;
  uint32_t worstBits = 0;
  std::vector<float> inputs(kChunk);
  for (uint64_t next = 0; next < uint64_t(1) << 32;) {
    for (float &input : inputs) {
      input = std::bit_cast<float>(static_cast<uint32_t>(next));
      next += stride;
    }
    const auto outputs = kernel.run({Buffer::of(inputs)})[0].as<float>();
    for (size_t i = 0; i < kChunk; ++i)
      if (const double ulps = ulpsBetween(outputs[i], reference(inputs[i])); ulps > worst) {
        worst = ulps;
        worstBits = std::bit_cast<uint32_t>(inputs[i]);
      }
  }
  std::cout << name << ": at most " << worst << " ulp, at bits " << std::hex << worstBits << std::dec << "\n";
  testing::Test::RecordProperty(name + "_ulp", std::to_string(worst));
  EXPECT_LE(worst, 2);
}

TEST(Math, ExpIsWithinTwoUlp) { checkFunction("exp", std::exp); }
TEST(Math, LogIsWithinTwoUlp) { checkFunction("log", std::log); }

TEST(Math, SpecialValuesAsInAnnexF) {
  const float inf = INFINITY, nan = NAN;
  KernelRunner exp(textOf("exp", 8, "8")), log(textOf("log", 8, "8"));
  ASSERT_TRUE(exp.ok() && log.ok());
  const auto e = exp.run({Buffer::of(std::vector<float>{0.0f, -0.0f, inf, -inf, nan, 89, -104, -100})})[0].as<float>();
  EXPECT_EQ(e[0], 1);
  EXPECT_EQ(e[1], 1);
  EXPECT_EQ(e[2], inf);
  EXPECT_EQ(e[3], 0);
  EXPECT_TRUE(std::isnan(e[4]));
  EXPECT_EQ(e[5], inf);
  EXPECT_EQ(e[6], 0);
  EXPECT_GT(e[7], 0);
  const auto l = log.run({Buffer::of(std::vector<float>{0.0f, -0.0f, inf, -inf, nan, 1, -1, 1e-45f})})[0].as<float>();
  EXPECT_EQ(l[0], -inf);
  EXPECT_EQ(l[1], -inf);
  EXPECT_EQ(l[2], inf);
  EXPECT_TRUE(std::isnan(l[3]) && std::isnan(l[4]) && std::isnan(l[6]));
  EXPECT_EQ(std::bit_cast<uint32_t>(l[5]), 0u);
  EXPECT_FLOAT_EQ(l[7], -103.27893f);
}

// The same bits at every width, on a machine with fma and on one that has to make it of other operations.
TEST(Math, BitsDependNeitherOnWidthNorOnTheProcessor) {
  for (const char *name : {"exp", "log"}) {
    constexpr size_t kCount = 15 * 4096;
    std::vector<float> inputs(kCount);
    for (size_t i = 0; i < kCount; ++i)
      inputs[i] = std::bit_cast<float>(static_cast<uint32_t>(i * 69905));
    const auto bitsOf = [&](const KernelRunner &kernel, const std::vector<float> &values) {
      return kernel.run({Buffer::of(values)})[0].as<uint32_t>();
    };
    const auto expected = bitsOf(KernelRunner(textOf(name, kCount, "8")), inputs);
    EXPECT_EQ(bitsOf(KernelRunner(textOf(name, kCount, "4")), inputs), expected);
    EXPECT_EQ(bitsOf(KernelRunner(textOf(name, kCount, "16")), inputs), expected);
    EXPECT_EQ(bitsOf(KernelRunner(textOf(name, kCount, "4"), *findTarget("sse2")), inputs), expected);
    // Fifteen elements are fewer than a vector: one by one.
    KernelRunner single(textOf(name, 15, "16"));
    for (size_t at = 0; at < kCount; at += 15 * 8)
      EXPECT_EQ(bitsOf(single, {inputs.begin() + at, inputs.begin() + at + 15}),
                std::vector<uint32_t>(expected.begin() + at, expected.begin() + at + 15));
  }
}
