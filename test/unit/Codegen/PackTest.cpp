// Operands that are packed by one kernel and read by another.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/KernelRunner.h"
#include "Codegen/PackedOperand.h"
#include "Codegen/Parts.h"
#include "Codegen/Values.h"

#include "mp/Numerics/Float.h"
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>

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

namespace {

/// Filters [K, taps..., C], and what they are as a matrix.
struct Filters {
  std::vector<int64_t> shape;
  bool isTransposed;

  int64_t taps() const { return std::accumulate(shape.begin() + 1, shape.end() - 1, int64_t{1}, std::multiplies<>()); }
  int64_t count() const { return shape.front() * taps() * shape.back(); }
  int64_t rows() const { return isTransposed ? shape.back() : shape.front(); }
  int64_t k() const { return count() / rows(); }
  /// The element of a row and k.
  int64_t at(int64_t row, int64_t k) const {
    const int64_t filters = shape.front(), channels = shape.back();
    if (!isTransposed)
      return row * taps() * channels + k;
    return (k % filters * taps() + taps() - 1 - k / filters) * channels + row;
  }
  std::string type(const char *element) const {
    std::string text = "tensor<";
    for (int64_t size : shape)
      text += std::to_string(size) + "x";
    return text + element + ">";
  }
  /// Of panels of `panelRows` rows and `depth` of k.
  Packed packed(int64_t panelRows, int64_t depth, int64_t unit, bool isDepthInner) const {
    return {{1, rows(), k(), panelRows, depth, unit, isDepthInner}, isTransposed};
  }
  std::string attributes(const Packed &p) const {
    std::string text = p.attributes();
    return text.insert(text.find("batches 1") + 9, " filters");
  }
};

template <typename T>
std::vector<T> packedFilters(const Filters &filters, const Packed &p, const std::vector<T> &values) {
  std::vector<T> result(p.packedCount(), T(0));
  for (int64_t row = 0; row < filters.rows(); ++row)
    for (int64_t k = 0; k < filters.k(); ++k)
      result[p.matrix.indexOf(0, row, k)] = values[filters.at(row, k)];
  return result;
}

} // namespace

// In one to three dimensions, with ends of filters and of channels within panels, words and chunks.
TEST(Pack, PutsFiltersWherePanelsHaveThem) {
  for (const std::vector<int64_t> &shape : std::vector<std::vector<int64_t>>{
           {5, 3, 7}, {16, 3, 3, 16}, {37, 1, 1, 33}, {3, 2, 5, 1}, {1, 3, 3, 3}, {8, 2, 3, 2, 20}})
    for (const bool isTransposed : {false, true})
      for (const bool isDepthInner : {false, true}) {
        const Filters filters{shape, isTransposed};
        SCOPED_TRACE(filters.type("f32") + (isTransposed ? " transposed" : "") + (isDepthInner ? " depth inner" : ""));
        auto text = [&](const Packed &p, const char *element) {
          const std::string input = filters.type(element), result = p.packedType(element);
          return "func.func @f(%a: " + input + ") -> " + result +
                 " {\n %z = mp.kernel \"k\" (%x = %a) schedule(#mp.pack<panels = 2, vector = 8>) : (" + input +
                 ") -> " + result + " {\n %0 = mp.pack %x" + filters.attributes(p) + " : " + input + " -> " + result +
                 "\n mp.yield %0 : " + result + "\n }\n return %z : " + result + "\n}\n";
        };
        const auto values = randomFloats(filters.count(), 1);
        const Packed words = filters.packed(6, 16, 1, isDepthInner);
        KernelRunner kernel(text(words, "f32"));
        ASSERT_TRUE(kernel.ok()) << kernel.errors;
        EXPECT_EQ(kernel.run({Buffer::of(values)}, true)[0].as<float>(), packedFilters(filters, words, values));
        const Packed pairs = filters.packed(16, 16, 2, isDepthInner);
        KernelRunner ofPairs(text(pairs, "bf16"));
        ASSERT_TRUE(ofPairs.ok()) << ofPairs.errors;
        const auto low = encoded(values, encodeBF16);
        EXPECT_EQ(ofPairs.run({Buffer::of(low)}, true)[0].as<uint16_t>(), packedFilters(filters, pairs, low));
      }
}

/// A convolution [2, 5, 4, C] of filters [K, 3, 2, C], or its data gradient, whose kernel reads the filters as they lie
/// or packed as `how` says.
static std::string convolutionText(bool isGradient, const Filters &filters, const std::string &how) {
  const int64_t k = filters.shape.front(), c = filters.shape.back();
  auto image = [](int64_t height, int64_t width, int64_t channels) {
    return "tensor<2x" + std::to_string(height) + "x" + std::to_string(width) + "x" + std::to_string(channels) +
           "xf32>";
  };
  const std::string of = filters.type("f32"), given = isGradient ? image(3, 3, k) : image(5, 4, c),
                    result = isGradient ? image(5, 4, c) : image(3, 3, k);
  const Packed p = filters.packed(8, 12, 1, false);
  const std::string operand = how.empty() ? of : p.packedType("f32");
  return "func.func @f(%a: " + given + ", %b: " + operand + ") -> " + result +
         " {\n %z = mp.kernel \"k\" (%x = %a, %y = %b) schedule(#mp.contraction<block_m = 8, block_n = 16, block_k = "
         "12, "
         "tile_m = 4, tile_n = 8, vector = 8" +
         (how.empty() ? "" : ", pack_rhs = true") + ">) : (" + given + ", " + operand + ") -> " + result + " {\n" +
         (how.empty() ? "" : " %0 = mp.unpack %y" + how + " : " + operand + " -> " + of + "\n") + " %1 = mp.conv" +
         (isGradient ? "_transpose" : "") + " %x, " + (how.empty() ? "%y" : "%0") +
         " acc f32 {strides = [1, 1], padding = [0, 0, 0, 0], dilations = [1, 1], groups = 1} : " + given + ", " + of +
         " -> " + result + "\n mp.yield %1 : " + result + "\n }\n return %z : " + result + "\n}\n";
}

// A convolution, and its data gradient, has the bits that it has of filters that its blocks pack.
TEST(Pack, ConvolutionsReadPackedFilters) {
  for (const bool isGradient : {false, true}) {
    const Filters filters{{10, 3, 2, 9}, isGradient};
    const Packed p = filters.packed(8, 12, 1, false);
    KernelRunner own(convolutionText(isGradient, filters, "")),
        packed(convolutionText(isGradient, filters, filters.attributes(p)));
    ASSERT_TRUE(own.ok()) << own.errors;
    ASSERT_TRUE(packed.ok()) << packed.errors;
    const auto a = randomFloats(isGradient ? 2 * 3 * 3 * 10 : 2 * 5 * 4 * 9, 1), b = randomFloats(filters.count(), 2);
    EXPECT_EQ(packed.run({Buffer::of(a), Buffer::of(packedFilters(filters, p, b))}, true)[0].as<float>(),
              own.run({Buffer::of(a), Buffer::of(b)}, true)[0].as<float>())
        << isGradient;
  }
}

// Filters in the order of the other direction, or a matrix of the same size, are refused.
TEST(Pack, RefusesFiltersInAnotherOrder) {
  const Filters forward{{6, 3, 2, 6}, false}, backward{{6, 3, 2, 6}, true};
  auto refuses = [](const std::string &text) {
    KernelRunner kernel(text);
    return !kernel.ok() &&
           kernel.errors.find("has panels that the schedule of its kernel does not read") != std::string::npos;
  };
  auto how = [](const Filters &filters) { return filters.attributes(filters.packed(8, 12, 1, false)); };
  EXPECT_FALSE(refuses(convolutionText(false, forward, how(forward))));
  EXPECT_TRUE(refuses(convolutionText(false, forward, how(backward))));
  EXPECT_TRUE(refuses(convolutionText(true, backward, how(forward))));
  // An image with a filter's elements, in a product that sees it one pixel further.
  const Filters image{{6, 2, 2, 3}, false};
  const Packed p = image.packed(4, 12, 1, true);
  auto shifted = [&](const std::string &padding) {
    return "func.func @f(%a: " + p.packedType("f32") +
           ", %b: tensor<8x2x2x3xf32>) -> tensor<6x1x1x8xf32> {\n %z = mp.kernel \"k\" (%x = %a, %y = %b) "
           "schedule(#mp.contraction<block_m = 4, block_n = 8, block_k = 12, tile_m = 4, tile_n = 8, vector = 8, "
           "pack_lhs = true>) : (" +
           p.packedType("f32") + ", tensor<8x2x2x3xf32>) -> tensor<6x1x1x8xf32> {\n %0 = mp.unpack %x" +
           image.attributes(p) + " : " + p.packedType("f32") + " -> " + image.type("f32") +
           "\n %1 = mp.conv %0, %y acc f32 {strides = [4, 4], padding = " + padding +
           ", dilations = [1, 1], groups = 1} : " + image.type("f32") +
           ", tensor<8x2x2x3xf32> -> tensor<6x1x1x8xf32>\n mp.yield %1 : tensor<6x1x1x8xf32>\n }\n return %z : "
           "tensor<6x1x1x8xf32>\n}\n";
  };
  EXPECT_FALSE(refuses(shifted("[0, 0, 0, 0]")));
  EXPECT_TRUE(refuses(shifted("[1, 1, 1, 1]")));
}

// A block of a map has whole filters, of which a word would hold two taps' where their number is odd.
TEST(Pack, MapsRefuseWordsOfTwoTaps) {
  for (const int64_t count : {3, 4}) {
    const Filters filters{{count, 2, 2, 5}, true};
    const Packed p = filters.packed(16, 16, 2, false);
    const std::string input = filters.type("f32"), low = filters.type("bf16"), result = p.packedType("bf16");
    KernelRunner kernel("func.func @f(%a: " + input + ") -> " + result +
                        " {\n %z = mp.kernel \"k\" (%x = %a) schedule(#mp.map<block = 64, vector = 8>) : (" + input +
                        ") -> " + result + " {\n %0 = mp.cast %x : " + input + " -> " + low + "\n %1 = mp.pack %0" +
                        filters.attributes(p) + " : " + low + " -> " + result + "\n mp.yield %1 : " + result +
                        "\n }\n return %z : " + result + "\n}\n");
    EXPECT_EQ(kernel.ok(), count == 4) << kernel.errors;
    if (!kernel.ok()) {
      EXPECT_NE(kernel.errors.find("words along rows, of one tap"), std::string::npos) << kernel.errors;
      continue;
    }
    const auto values = randomFloats(filters.count(), 1);
    EXPECT_EQ(kernel.run({Buffer::of(values)}, true)[0].as<uint16_t>(),
              packedFilters(filters, p, encoded(values, encodeBF16)));
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
