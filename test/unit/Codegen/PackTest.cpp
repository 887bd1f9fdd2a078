// Operands that are packed by one kernel and read by another.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/KernelRunner.h"
#include "Codegen/PackedOperand.h"
#include "Codegen/Parts.h"
#include "Codegen/Values.h"

#include "mp/Numerics/Float.h"
#include <gtest/gtest.h>

#include <cmath>

using namespace mp;
using namespace mp::test;

static std::string packText(const Packed &p, const char *from, const char *to, int panels) {
  const std::string input = p.type(from), result = p.packedType(to);
  return "func.func @f(%a: " + input + ") -> " + result +
         " {\n %z = mp.kernel \"k\" (%x = %a) schedule(#mp.pack<panels = " + std::to_string(panels) +
         ", vector = 8>) : (" + input + ") -> " + result + " {\n %0 = mp.pack %x" + p.attributes() + " : " + input +
         " -> " + result + "\n mp.yield %0 : " + result + "\n }\n return %z : " + result + "\n}\n";
}

// Every way to read memory and to write panels, with ends of rows, of chunks and of units.
TEST(Pack, PutsElementsWherePanelsHaveThem) {
  for (const bool isTransposed : {false, true})
    for (const bool isDepthInner : {false, true})
      for (const int64_t rows : {1, 12, 31, 64})
        for (const int64_t k : {1, 16, 37}) {
          const Packed p{{2, rows, k, 6, 16, 1, isDepthInner}, isTransposed};
          for (int panels : {1, 4}) {
            KernelRunner kernel(packText(p, "f32", "f32", panels));
            ASSERT_TRUE(kernel.ok()) << kernel.errors;
            const auto values = randomFloats(p.count(), 1);
            ASSERT_EQ(kernel.run({Buffer::of(values)}, true)[0].as<float>(), packed(p, values))
                << isTransposed << isDepthInner << ' ' << rows << ' ' << k << ' ' << panels;
          }
          const Packed pairs{{2, rows, k, rows == 64 ? 32 : 6, 16, 2, isDepthInner}, isTransposed};
          KernelRunner kernel(packText(pairs, "bf16", "bf16", 2));
          ASSERT_TRUE(kernel.ok()) << kernel.errors;
          const auto values = encoded(randomFloats(p.count(), 1), encodeBF16);
          ASSERT_EQ(kernel.run({Buffer::of(values)}, true)[0].as<uint16_t>(), packed(pairs, values))
              << isTransposed << isDepthInner << ' ' << rows << ' ' << k;
        }
}

// f16 is packed as the f32 that it is multiplied as.
TEST(Pack, WidensExactly) {
  const Packed p{{1, 9, 11, 4, 8, 1, true}, false};
  KernelRunner kernel(packText(p, "f16", "f32", 1));
  ASSERT_TRUE(kernel.ok()) << kernel.errors;
  const auto values = encoded(randomFloats(p.count(), 1), encodeF16);
  std::vector<float> wide;
  for (uint16_t value : values)
    wide.push_back(decodeF16(value));
  EXPECT_EQ(kernel.run({Buffer::of(values)})[0].as<float>(), packed(p, wide));
}

// Parts of an element have their places, whichever way memory is read, behind the ends of rows and of chunks 0.
TEST(Pack, PutsPartsWherePanelsHaveThem) {
  for (const bool isTransposed : {false, true})
    for (const bool isDepthInner : {false, true})
      for (const int64_t rows : {1, 31, 64})
        for (const int64_t k : {33, 64, 100})
          for (auto [type, parts] : {std::pair("f16", 2), std::pair("f32", 2), std::pair("f32", 3)}) {
            const Packed p{{2, rows, k, rows == 64 ? 32 : 6, 64, 2, isDepthInner, parts}, isTransposed};
            KernelRunner kernel(packText(p, type, "bf16", 2));
            ASSERT_TRUE(kernel.ok()) << kernel.errors;
            const auto values = randomFloats(p.count(), 1);
            const bool isF16 = std::string_view(type) == "f16";
            const auto z = kernel.run({isF16 ? Buffer::of(encoded(values, encodeF16)) : Buffer::of(values)}, true);
            std::vector<uint16_t> expected(p.packedCount(), 0);
            for (int64_t number = 0; number < p.matrix.batch; ++number)
              for (int64_t row = 0; row < rows; ++row)
                for (int64_t column = 0; column < k; ++column) {
                  const float value = values[p.at(number, row, column)];
                  const auto own = partsOf(isF16 ? decodeF16(encodeF16(value)) : value, parts);
                  for (int part = 0; part < parts; ++part)
                    expected[p.matrix.indexOf(number, row, column, part)] = encodeBF16(own[part]);
                }
            ASSERT_EQ(z[0].as<uint16_t>(), expected)
                << type << ' ' << parts << isTransposed << isDepthInner << ' ' << rows << ' ' << k;
          }
}

// The product has the bits that it has of operands that its blocks pack.
TEST(Pack, ProductsReadPanelsWhereTheyLie) {
  for (const bool isTransposed : {false, true})
    for (const int64_t batch : {1, 3}) {
      const int64_t m = 25, n = 40, k = 37;
      const Packed lhs{{batch, m, k, 6, 16, 1, !isTransposed}, isTransposed},
          rhs{{batch, n, k, 16, 16, 1, false}, !isTransposed};
      KernelRunner kernel(productOfPanels(
          lhs, rhs, "f32", "block_m = 12, block_n = 32, block_k = 16, tile_m = 6, tile_n = 16, vector = 8"));
      ASSERT_TRUE(kernel.ok()) << kernel.errors;
      const auto a = randomFloats(lhs.count(), 1), b = randomFloats(rhs.count(), 2);
      const auto z = kernel.run({Buffer::of(packed(lhs, a)), Buffer::of(packed(rhs, b))}, true)[0].as<float>();
      for (int64_t q = 0; q < batch; ++q)
        for (int64_t i = 0; i < m; ++i)
          for (int64_t j = 0; j < n; ++j) {
            float sum = 0;
            for (int64_t l = 0; l < k; ++l)
              sum = std::fma(a[lhs.at(q, i, l)], b[rhs.at(q, j, l)], sum);
            ASSERT_EQ(z[(q * m + i) * n + j], sum) << isTransposed << ' ' << q << ' ' << i << ' ' << j;
          }
    }
}

// A schedule whose tiles read other panels is refused: they would read beyond the operand.
TEST(Pack, RefusesOtherPanels) {
  for (const char *schedule : {"block_m = 4, block_n = 16, block_k = 8, tile_m = 4, tile_n = 16, vector = 8",
                               "block_m = 6, block_n = 16, block_k = 4, tile_m = 6, tile_n = 16, vector = 8"}) {
    KernelRunner kernel(std::string(R"(
func.func @f(%a: tensor<1x1x1x48xf32>, %b: tensor<8x16xf32>) -> tensor<6x16xf32> {
  %z = mp.kernel "k" (%x = %a, %y = %b) schedule(#mp.contraction<)") +
                        schedule + R"(>) : (tensor<1x1x1x48xf32>, tensor<8x16xf32>) -> tensor<6x16xf32> {
    %0 = mp.unpack %x batches 1 panels <rows = 6, depth = 8, unit = 1, depth_inner = true> : tensor<1x1x1x48xf32> -> tensor<6x8xf32>
    %1 = mp.matmul %0, %y acc f32 : tensor<6x8xf32>, tensor<8x16xf32> -> tensor<6x16xf32>
    mp.yield %1 : tensor<6x16xf32>
  }
  return %z : tensor<6x16xf32>
})");
    EXPECT_FALSE(kernel.ok());
    EXPECT_NE(kernel.errors.find("has panels that the schedule of its kernel does not read"), std::string::npos)
        << kernel.errors;
  }
}
