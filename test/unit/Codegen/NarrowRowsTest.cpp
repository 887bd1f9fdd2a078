// Rows of few columns, a row in each lane, against a row at a time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/KernelRunner.h"
#include "Codegen/Values.h"

#include "mp/Numerics/Float.h"
#include <gtest/gtest.h>

#include <limits>

using namespace mp;
using namespace mp::test;

/// 37 rows of so many columns through every kind of op over rows; a row of it is NaN, one infinite.
static std::string textOf(int columns, const std::string &type, int vector) {
  const std::string n = std::to_string(columns), full = "tensor<37x" + n + "x" + type + ">";
  const std::string wide = "tensor<37x" + n + "xf32>", each = "tensor<37xf32>", column = "tensor<37x1xf32>";
  const std::string mask = "tensor<" + std::to_string((37 * columns + 63) / 64 + 1) + "xi64>";
  const std::string inputs = full + ", tensor<37xi32>, tensor<" + n + "xf32>, " + mask;
  const std::string results = each + ", " + full + ", tensor<37xi64>, " + wide + ", " + column + ", " + full;
  return "func.func @f(%a: " + full + ", %b: tensor<37xi32>, %c: tensor<" + n + "xf32>, %d: " + mask + ") -> (" +
         results +
         ") {\n%z:6 = mp.kernel \"k\" (%x = %a, %y = %b, %w = %c, %m = %d) schedule(#mp.row<rows = 37, vector = " +
         std::to_string(vector) + ">) : (" + inputs + ") -> (" + results + ") {\n" +
         "%0 = mp.softmax_cross_entropy_rows %x, %y : " + full + ", tensor<37xi32> -> " + each + "\n" +
         "%s = mp.constant dense<0.5> : tensor<f32>\n" + "%1 = mp.softmax_cross_entropy_grad %x, %y, %s : " + full +
         ", tensor<37xi32>, tensor<f32>\n" + "%2 = mp.argmax %x dimension 1 : " + full + " -> tensor<37xi64>\n" +
         "%e = mp.cast %x : " + full + " -> " + wide + "\n" + "%k = mp.masked_dropout %e, %m {rate = 0.25} : " + wide +
         ", " + mask + "\n" + "%t = mp.softmax %k : " + wide + "\n" + "%3 = mp.mul %t, %w : " + wide + ", tensor<" + n +
         "xf32> -> " + wide + "\n" + "%r = mp.reduce_mean %3 dimensions [1] : " + wide + " -> " + each + "\n" +
         "%4 = mp.reshape %r : " + each + " -> " + column + "\n" + "%u = mp.sub %3, %4 : " + wide + ", " + column +
         " -> " + wide + "\n" + "%5 = mp.cast %u : " + wide + " -> " + full + "\n" +
         "mp.yield %0, %1, %2, %3, %4, %5 : " + results + " }\nreturn %z#0, %z#1, %z#2, %z#3, %z#4, %z#5 : " + results +
         " }";
}

// Every bit, at every number of columns up to that of the lanes of a sum, and of lanes.
TEST(NarrowRows, HaveTheBitsOfRowsAlone) {
  for (const std::string type : {"f32", "f16", "bf16"})
    for (int columns : {1, 2, 7, 10, 15, 16}) {
      const int count = 37 * columns;
      auto values = randomFloats(count, columns);
      values[3 * columns] = std::numeric_limits<float>::quiet_NaN();
      values[5 * columns + columns / 2] = std::numeric_limits<float>::infinity();
      values[6 * columns] = values[7 * columns - 1];
      std::vector<int32_t> labels;
      for (int row = 0; row < 37; ++row)
        labels.push_back(row == 9 ? -1 : row == 20 ? columns : row % columns);
      std::vector<uint64_t> mask;
      for (int word = 0; word < (count + 63) / 64 + 1; ++word)
        mask.push_back(0x9E3779B97F4A7C15 * (word + 1));
      const Buffer input = type == "f32"   ? Buffer::of(values)
                           : type == "f16" ? Buffer::of(encoded(values, encodeF16))
                                           : Buffer::of(encoded(values, encodeBF16));
      const std::vector<Buffer> inputs = {input, Buffer::of(labels), Buffer::of(randomFloats(columns, 3)),
                                          Buffer::of(mask)};
      KernelRunner alone(textOf(columns, type, 1));
      ASSERT_TRUE(alone.ok()) << alone.errors;
      const std::vector<Buffer> expected = alone.run(inputs, true);
      for (int vector : {4, 8, 16}) {
        KernelRunner together(textOf(columns, type, vector));
        ASSERT_TRUE(together.ok()) << together.errors;
        const std::vector<Buffer> results = together.run(inputs, true);
        for (size_t i = 0; i < results.size(); ++i)
          EXPECT_EQ(results[i].as<uint8_t>(), expected[i].as<uint8_t>())
              << type << ", " << columns << " columns, " << vector << " lanes, result " << i;
      }
    }
}

// A register holds a column of as many rows as it has lanes: no row is looked at alone.
TEST(NarrowRows, TakeWholeRegisters) {
  const std::string text = R"(
func.func @f(%a: tensor<64x10xf32>) -> tensor<64xf32> {
  %z = mp.kernel "k" (%x = %a) schedule(#mp.row<rows = 64, vector = 8>) : (tensor<64x10xf32>) -> tensor<64xf32> {
    %0 = mp.reduce_max %x dimensions [1] : tensor<64x10xf32> -> tensor<64xf32>
    mp.yield %0 : tensor<64xf32>
  }
  return %z : tensor<64xf32>
})";
  KernelRunner kernel(text, *findCPULevel("avx2"), /*keepText=*/true);
  ASSERT_TRUE(kernel.ok()) << kernel.errors;
  EXPECT_NE(kernel.code->llvm.find("llvm.maximum.v8f32"), std::string::npos) << kernel.code->llvm;
}
