//===- MapTest.cpp - map kernels against loops ------------------------------------------===//

#include "KernelRunner.h"
#include "Values.h"

#include "mp/Numerics/Float.h"
#include "mp/Numerics/Philox.h"
#include <gtest/gtest.h>

#include <cmath>
#include <random>

using namespace mp;
using namespace mp::test;

TEST(Map, BroadcastsOverRowsAndColumns) {
  KernelRunner kernel(R"(
func.func @f(%a: tensor<5x11xf32>, %r: tensor<11xf32>, %c: tensor<5x1xf32>, %s: tensor<f32>) -> tensor<5x11xf32> {
  %z = mp.kernel "k" (%x = %a, %y = %r, %w = %c, %u = %s) schedule(#mp.map<block = 16, vector = 8>)
      : (tensor<5x11xf32>, tensor<11xf32>, tensor<5x1xf32>, tensor<f32>) -> tensor<5x11xf32> {
    %0 = mp.add %x, %y : tensor<5x11xf32>, tensor<11xf32> -> tensor<5x11xf32>
    %1 = mp.mul %0, %w : tensor<5x11xf32>, tensor<5x1xf32> -> tensor<5x11xf32>
    %2 = mp.div %1, %u : tensor<5x11xf32>, tensor<f32> -> tensor<5x11xf32>
    mp.yield %2 : tensor<5x11xf32>
  }
  return %z : tensor<5x11xf32>
})");
  ASSERT_TRUE(kernel.ok()) << kernel.errors;
  EXPECT_EQ(kernel.code->kernels[0].grid, 4);
  const auto a = randomFloats(55, 1), r = randomFloats(11, 2), c = randomFloats(5, 3), s = randomFloats(1, 4);
  const auto z = kernel.run({Buffer::of(a), Buffer::of(r), Buffer::of(c), Buffer::of(s)})[0].as<float>();
  for (int i = 0; i < 5; ++i)
    for (int j = 0; j < 11; ++j)
      EXPECT_EQ(z[i * 11 + j], (a[i * 11 + j] + r[j]) * c[i] / s[0]);
}
