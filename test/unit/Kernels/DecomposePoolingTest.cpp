// Poolings that keep who won give the bits of those that look again.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/PlanRunner.h"

#include "mp/Reference/Evaluator.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

using namespace mp;
using namespace mp::test;

namespace {

/// The sizes of an image and of what pooling it gives, each followed by "x".
struct Shapes {
  std::string image, result, window;
};

/// A tensor of few different values: there are windows of equal ones.
Tensor pick(ElementType element, const std::vector<int64_t> &shape, const std::vector<double> &values, unsigned seed) {
  std::mt19937 random(seed);
  TensorTypeT type;
  type.element = element;
  type.shape = shape;
  std::vector<double> picked(*elementCount(type));
  for (double &value : picked)
    value = values[random() % values.size()];
  return Tensor::ofReals(type, picked);
}

std::vector<int64_t> sizesOf(const std::string &text) {
  std::vector<int64_t> sizes;
  for (size_t at = 0; at < text.size(); at = text.find('x', at) + 1)
    sizes.push_back(std::stoll(text.substr(at)));
  return sizes;
}

/// A pooling of `source`, its gradient and that of the relu in front of it, or of what would have been one.
std::string textOf(const Shapes &of, const std::string &element, const std::string &source) {
  const std::string image = "tensor<" + of.image + element + ">", result = "tensor<" + of.result + element + ">";
  return "func.func @f(%x: " + image + ", %g: " + result + ") -> (" + result + ", " + image + ", " + image + ") {\n" +
         "  %r = mp.relu %x : " + image + "\n" + //
         "  %p = mp.max_pool " + source + " {window = " + of.window + "} : " + image + " -> " + result + "\n" +
         "  %a = mp.max_pool_grad " + source + ", %g {window = " + of.window + "} : " + image + ", " + result + " -> " +
         image + "\n" + //
         "  %b = mp.relu_grad " + source + ", %a : " + image + "\n" + "  return %p, %b, %r : " + result + ", " + image +
         ", " + image + "\n}\n";
}

void expectSameBits(const Shapes &of, ElementType element, const std::string &source, unsigned seed) {
  constexpr double kNaN = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();
  CompiledProgram program(textOf(of, elementName(element), source));
  const std::vector<Tensor> arguments = {
      pick(element, sizesOf(of.image), {kNaN, -kInf, -1, -0.0, 0, 0.5, 2, 2, kInf}, seed),
      pick(element, sizesOf(of.result), {kNaN, -kInf, -1.5, -0.0, 0, 1, 1e-7, kInf}, seed + 1)};
  llvm::FailureOr<std::vector<Tensor>> expected = evaluate(program.func(), arguments);
  ASSERT_TRUE(succeeded(expected));
  ASSERT_TRUE(program.run("mp-decompose,cse"));
  ASSERT_NE(program.print().find("mp.max_unpool"), std::string::npos);
  ASSERT_EQ(program.print().find("mp.max_pool_grad"), std::string::npos);
  llvm::FailureOr<std::vector<Tensor>> found = evaluate(program.func(), arguments);
  ASSERT_TRUE(succeeded(found));
  for (size_t i = 0; i < expected->size(); ++i)
    EXPECT_EQ((*expected)[i].bytes, (*found)[i].bytes)
        << "result " << i << " of " << of.image << " by " << of.window << " of " << source << ", seed " << seed;
}

} // namespace

TEST(DecomposePooling, KeepsBits) {
  const Shapes shapes[] = {{"3x13x13x5x", "3x6x6x5x", "[2, 2]"}, {"2x6x7x3x", "2x2x1x3x", "[3, 4]"},
                           {"2x11x4x", "2x3x4x", "[3]"},         {"2x4x5x7x2x", "2x2x5x3x2x", "[2, 1, 2]"},
                           {"1x1x1x1x", "1x1x1x1x", "[1, 1]"},   {"1x16x16x2x", "1x1x1x2x", "[16, 16]"}};
  for (const Shapes &of : shapes)
    for (ElementType element : {ElementType::F16, ElementType::BF16, ElementType::F32, ElementType::F64})
      for (const char *source : {"%r", "%x"})
        for (unsigned seed = 0; seed < 8; ++seed)
          expectSameBits(of, element, source, seed);
}
