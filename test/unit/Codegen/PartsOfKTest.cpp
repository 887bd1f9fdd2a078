// Products in parts of k, streamed ones and large ones, against loops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/KernelRunner.h"
#include "Codegen/Values.h"

#include "mp/Numerics/Float.h"
#include <gtest/gtest.h>

#include <cmath>

using namespace mp;
using namespace mp::test;

namespace {

/// One product, cut into parts of `depth`.
struct Cut {
  int64_t m, n, k, depth, batch;
  bool transposeLhs, transposeRhs;
  std::string schedule;

  int64_t parts() const { return std::max<int64_t>((k + depth - 1) / depth, 1); }
  std::string text(const std::string &element, const std::string &sum) const {
    auto shape = [](std::initializer_list<int64_t> sizes, const std::string &type) {
      std::string text = "tensor<";
      for (int64_t size : sizes)
        text += std::to_string(size) + "x";
      return text + type + ">";
    };
    const std::string lhs = transposeLhs ? shape({batch, k, m}, element) : shape({batch, m, k}, element);
    const std::string rhs = transposeRhs ? shape({batch, n, k}, element) : shape({batch, k, n}, element);
    const std::string result = shape({parts(), batch, m, n}, sum);
    return "func.func @f(%a: " + lhs + ", %b: " + rhs + ") -> " + result +
           " {\n %z = mp.kernel \"k\" (%x = %a, %y = %b)" + " schedule(#mp.contraction<" + schedule + ">) : (" + lhs +
           ", " + rhs + ") -> " + result + " {\n %0 = mp.matmul_parts %x, %y" + (transposeLhs ? " transpose_lhs" : "") +
           (transposeRhs ? " transpose_rhs" : "") + " depth " + std::to_string(depth) + " acc f32 : " + lhs + ", " +
           rhs + " -> " + result + "\n mp.yield %0 : " + result + "\n }\n return %z : " + result + "\n}\n";
  }
};

std::ostream &operator<<(std::ostream &out, const Cut &cut) { return out << cut.text("f32", "f32"); }

class EachCut : public testing::TestWithParam<Cut> {};

} // namespace

/// Every element is the fused sum of its part in the order of k.
static void checkParts(const Cut &cut, const std::vector<float> &sums, const std::vector<float> &lhs,
                       const std::vector<float> &rhs) {
  const auto [m, n, k, depth, batch, transposeLhs, transposeRhs, schedule] = cut;
  ASSERT_EQ(sums.size(), static_cast<size_t>(cut.parts() * batch * m * n));
  size_t at = 0;
  for (int64_t part = 0; part < cut.parts(); ++part)
    for (int64_t q = 0; q < batch; ++q)
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
          float sum = 0;
          for (int64_t l = part * depth; l < std::min((part + 1) * depth, k); ++l)
            sum = std::fma(lhs[q * m * k + (transposeLhs ? l * m + i : i * k + l)],
                           rhs[q * k * n + (transposeRhs ? j * k + l : l * n + j)], sum);
          ASSERT_EQ(sums[at++], sum) << "part " << part << " batch " << q << " at " << i << ", " << j;
        }
}

TEST_P(EachCut, AddsEachPartInOrder) {
  const Cut &cut = GetParam();
  KernelRunner kernel(cut.text("f32", "f32"), *findCPULevel("avx2"));
  ASSERT_TRUE(kernel.ok()) << kernel.errors;
  const auto lhs = randomFloats(cut.batch * cut.m * cut.k, 1), rhs = randomFloats(cut.batch * cut.k * cut.n, 2);
  const std::vector<Buffer> inputs = {Buffer::of(lhs), Buffer::of(rhs)};
  checkParts(cut, kernel.run(inputs)[0].as<float>(), lhs, rhs);
  checkParts(cut, kernel.run(inputs, /*backwards=*/true)[0].as<float>(), lhs, rhs);
}

// f16 is widened as it is read, and sums of parts are stored in f32.
TEST_P(EachCut, WidensF16) {
  const Cut &cut = GetParam();
  KernelRunner kernel(cut.text("f16", "f32"), *findCPULevel("avx2"));
  ASSERT_TRUE(kernel.ok()) << kernel.errors;
  auto halves = [](size_t count, unsigned seed) {
    std::vector<uint16_t> bits;
    for (float value : randomFloats(count, seed))
      bits.push_back(encodeF16(value));
    return bits;
  };
  auto widen = [](const std::vector<uint16_t> &bits) {
    std::vector<float> values;
    for (uint16_t half : bits)
      values.push_back(decodeF16(half));
    return values;
  };
  const auto lhs = halves(cut.batch * cut.m * cut.k, 1), rhs = halves(cut.batch * cut.k * cut.n, 2);
  checkParts(cut, kernel.run({Buffer::of(lhs), Buffer::of(rhs)})[0].as<float>(), widen(lhs), widen(rhs));
}

static const std::string kPacked = "block_m = 12, block_n = 32, block_k = 8, tile_m = 6, tile_n = 16, vector = 8",
                         kStreamed = "block_m = 4, block_n = 32, block_k = 8, tile_m = 2, tile_n = 16, vector = 8, "
                                     "stream_rhs = true",
                         kOneChunk = "block_m = 6, block_n = 16, block_k = 64, tile_m = 6, tile_n = 16, vector = 8";

INSTANTIATE_TEST_SUITE_P(
    Parts, EachCut,
    testing::Values(Cut{1, 32, 64, 32, 1, false, false, kStreamed}, Cut{3, 48, 70, 32, 1, false, false, kStreamed},
                    Cut{5, 16, 33, 32, 2, true, false, kStreamed}, Cut{7, 19, 50, 16, 1, false, true, kPacked},
                    Cut{7, 19, 50, 20, 3, true, false, kPacked}, // chunks that end within parts
                    Cut{7, 19, 50, 7, 1, false, false, kPacked}, Cut{6, 16, 100, 40, 1, false, false, kOneChunk},
                    Cut{2, 16, 5, 32, 1, false, false, kStreamed}, // one part, not full
                    Cut{4, 16, 0, 32, 1, false, false, kPacked},   // nothing to add
                    Cut{0, 16, 64, 32, 1, false, false, kPacked},  // no element
                    Cut{1, 1, 1, 1, 1, false, false, kPacked}));

// Packed panels are of chunks of the whole k.
TEST(PartsOfK, RefusesPanels) {
  KernelRunner kernel(R"(
func.func @f(%a: tensor<1x1x1x32xf32>, %b: tensor<8x4xf32>) -> tensor<2x4x4xf32> {
  %z = mp.kernel "k" (%x = %a, %y = %b)
      schedule(#mp.contraction<block_m = 4, block_n = 4, block_k = 8, tile_m = 4, tile_n = 4, vector = 4, pack_lhs = true>)
      : (tensor<1x1x1x32xf32>, tensor<8x4xf32>) -> tensor<2x4x4xf32> {
    %p = mp.unpack %x batches 1 panels <rows = 4, depth = 8, unit = 1, depth_inner = true> : tensor<1x1x1x32xf32> -> tensor<4x8xf32>
    %0 = mp.matmul_parts %p, %y depth 4 acc f32 : tensor<4x8xf32>, tensor<8x4xf32> -> tensor<2x4x4xf32>
    mp.yield %0 : tensor<2x4x4xf32>
  }
  return %z : tensor<2x4x4xf32>
})");
  EXPECT_FALSE(kernel.ok());
  EXPECT_NE(kernel.errors.find("is read by a product in parts of k"), std::string::npos) << kernel.errors;
}

// What no cache keeps is stored past them, in whole vectors; columns behind the last one are not.
TEST(LargeResults, AreStoredPastTheCaches) {
  constexpr int64_t kRows = 2100, kK = 3;
  using Case = std::pair<int64_t, bool>;
  for (const auto &[columns, isPast] : {Case(4112, true), Case(4111, false)}) {
    const std::string n = std::to_string(columns), lhs = "tensor<2100x3xf32>", rhs = "tensor<3x" + n + "xf32>",
                      result = "tensor<2100x" + n + "xf32>";
    KernelRunner kernel(
        "func.func @f(%a: " + lhs + ", %b: " + rhs + ") -> " + result +
            " {\n %z = mp.kernel \"k\" (%x = %a, %y = %b) schedule(#mp.contraction<block_m = 60, block_n "
            "= 128, block_k = 8, tile_m = 6, tile_n = 16, vector = 8>) : (" +
            lhs + ", " + rhs + ") -> " + result + " {\n %0 = mp.matmul %x, %y acc f32 : " + lhs + ", " + rhs + " -> " +
            result + "\n mp.yield %0 : " + result + "\n }\n return %z : " + result + "\n}\n",
        *findCPULevel("avx2"), /*keepText=*/true);
    ASSERT_TRUE(kernel.ok()) << kernel.errors;
    EXPECT_EQ(kernel.code->assembly.find("vmovntps") != std::string::npos, isPast) << columns;
    const auto a = randomFloats(kRows * kK, 1), b = randomFloats(kK * columns, 2);
    const auto z = kernel.run({Buffer::of(a), Buffer::of(b)})[0].as<float>();
    for (int64_t i = 0; i < kRows; ++i)
      for (int64_t j = 0; j < columns; ++j) {
        float sum = 0;
        for (int64_t l = 0; l < kK; ++l)
          sum = std::fma(a[i * kK + l], b[l * columns + j], sum);
        ASSERT_EQ(z[i * columns + j], sum) << i << ", " << j;
      }
  }
}
