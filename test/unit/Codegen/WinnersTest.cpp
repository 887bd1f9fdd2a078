// Poolings that keep who won, of values that are hard to compare.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/KernelRunner.h"
#include "Reference/Program.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

using namespace mp;
using namespace mp::test;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();

/// Few different values, so that windows have equal ones.
std::vector<double> pick(size_t count, const std::vector<double> &values, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<double> picked(count);
  for (double &value : picked)
    value = values[random() % values.size()];
  return picked;
}

/// What a map kernel of one op makes of `operands`.
std::vector<Buffer> runKernel(const std::vector<std::string> &inputs, const std::vector<std::string> &results,
                              const std::string &body, const std::string &yields, const std::vector<Tensor> &operands,
                              const CPULevel &level) {
  KernelRunner kernel(mapText(inputs, results, body, yields, "block = 64, vector = 16"), level);
  EXPECT_TRUE(kernel.ok()) << kernel.errors;
  std::vector<Buffer> buffers;
  for (const Tensor &operand : operands)
    buffers.push_back({operand.bytes});
  return kernel.ok() ? kernel.run(buffers, /*backwards=*/true) : std::vector<Buffer>();
}

// Vectors of channels and a rest, a line and a column that no window has.
void checkBits(const std::string &name, ElementType element, const CPULevel &level) {
  const std::string image = "tensor<3x7x9x21x" + name + ">", pooled = "tensor<3x3x4x21x" + name + ">",
                    indices = "tensor<3x3x4x21xui8>";
  const Tensor x = reals(element, {3, 7, 9, 21}, pick(3 * 7 * 9 * 21, {kNaN, -kInf, -1, -0.0, 0, 0.5, 2, kInf}, 1));
  const std::string pool = "mp.max_pool_with_indices %a0 window [2, 2] : " + image + " -> " + pooled + ", " + indices;
  const std::vector<Tensor> expected = run("(%a0: " + image + ") -> (" + pooled + ", " + indices + ")",
                                           "%p, %i = " + pool + "\n return %p, %i : " + pooled + ", " + indices, {x});
  const std::vector<Buffer> found = runKernel({image}, {pooled, indices}, "%p, %i = " + pool, "%p, %i", {x}, level);
  ASSERT_TRUE(expected.size() == 2 && found.size() == 2);
  EXPECT_EQ(expected[0].bytes, found[0].bytes) << name << " for " << level.name;
  EXPECT_EQ(expected[1].bytes, found[1].bytes) << name << " for " << level.name;

  const Tensor values = reals(element, {3, 3, 4, 21}, pick(3 * 3 * 4 * 21, {kNaN, -kInf, -1.5, -0.0, 0, 1, kInf}, 2));
  const std::string unpool = "%u = mp.max_unpool %a0, %a1 window [2, 2] : " + indices + ", " + pooled + " -> " + image;
  const std::vector<Tensor> unpooled = run("(%a0: " + indices + ", %a1: " + pooled + ") -> " + image,
                                           unpool + "\n return %u : " + image, {expected[1], values});
  const std::vector<Buffer> own = runKernel({indices, pooled}, {image}, unpool, "%u", {expected[1], values}, level);
  ASSERT_TRUE(unpooled.size() == 1 && own.size() == 1);
  EXPECT_EQ(unpooled[0].bytes, own[0].bytes) << name << " for " << level.name;
}

} // namespace

TEST(Winners, HaveTheBitsOfTheEvaluator) {
  for (auto [name, element] : {std::pair("f16", ElementType::F16), std::pair("f64", ElementType::F64)})
    checkBits(name, element, hostLevel());
  for (const CPULevel &level : allCPULevels())
    if (level.vectorBits <= hostLevel().vectorBits && level.dotsBF16 <= hostLevel().dotsBF16 && !level.tilesBF16) {
      checkBits("f32", ElementType::F32, level);
      checkBits("bf16", ElementType::BF16, level);
    }
}
