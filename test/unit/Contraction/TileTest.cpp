// What a product says of its tiles, beside its values.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Contraction/SimulatedKernel.h"

#include "mp/Numerics/ErrorBounds.h"
#include "mp/Numerics/Float.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <ostream>
#include <random>

using namespace mp;
using namespace mp::test;

namespace {

/// relu(a * b), its sums over blocks of rows, and whether a tile of it times 2 is not finite.
struct TileProblem {
  std::string chip, type, schedule;
  int64_t m, n, k, blockM, blockN;
  int64_t badRow = -1, badColumn = -1; ///< the element that overflows; none by default

  FloatFormat format() const { return type == "f16" ? kF16 : type == "bf16" ? kBF16 : kF32; }
  int64_t down() const { return (m + blockM - 1) / blockM; }
  int64_t across() const { return (n + blockN - 1) / blockN; }

  std::string text() const {
    auto tensor = [&](int64_t rows, int64_t columns, const std::string &element) {
      return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) + "x" + element + ">";
    };
    const std::string a = tensor(m, k, type), b = tensor(k, n, type), c = tensor(m, n, type),
                      wide = tensor(m, n, "f32");
    const std::string sums = tensor(down(), n, "f32"), flags = "tensor<" + std::to_string(down() * across()) + "xi32>";
    const bool isWide = type == "f32";
    return "func.func @f(%a: " + a + ", %b: " + b +
           ") {\n%z:3 = mp.kernel \"gemm\" (%x = %a, %y = %b) schedule(#mp.mma<" +
           "block_m = " + std::to_string(blockM) + ", block_n = " + std::to_string(blockN) + ", " + schedule +
           ">) : (" + a + ", " + b + ") -> (" + c + ", " + sums + ", " + flags +
           ") {\n%0 = mp.matmul %x, %y acc f32 : " + a + ", " + b + " -> " + c + "\n%1 = mp.relu %0 : " + c +
           "\n%2 = mp.sum_row_blocks %1 block " + std::to_string(blockM) + " : " + c + " -> " + sums + "\n" +
           (isWide ? "" : "%3 = mp.cast %1 : " + c + " -> " + wide + "\n") +
           "%two = mp.constant dense<2.0> : tensor<f32>\n%4 = mp.mul " + (isWide ? "%1" : "%3") + ", %two : " + wide +
           ", tensor<f32> -> " + wide + "\n%5 = mp.nonfinite_tiles %4 tile " + std::to_string(blockM) + " x " +
           std::to_string(blockN) + " : " + wide + " -> " + flags + "\nmp.yield %1, %2, %5 : " + c + ", " + sums +
           ", " + flags + "\n}\nreturn\n}\n";
  }
};

std::ostream &operator<<(std::ostream &out, const TileProblem &p) {
  return out << p.chip << " " << p.type << " " << p.m << "x" << p.n << "x" << p.k << " <" << p.blockM << " x "
             << p.blockN << ", " << p.schedule << ">";
}

void put(Bytes &bytes, int64_t index, double value, FloatFormat format) {
  const uint64_t bits = encode(value, format);
  const size_t size = static_cast<size_t>(1 + format.exponentBits + format.fractionBits) / 8;
  std::memcpy(bytes.data() + index * size, &bits, size);
}

double numberAt(const Bytes &bytes, int64_t index, FloatFormat format) {
  const size_t size = static_cast<size_t>(1 + format.exponentBits + format.fractionBits) / 8;
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + index * size, size);
  return decode(bits, format);
}

/// Normal values; those of the bad row and column meet at k = 0 and overflow there alone.
std::vector<Bytes> makeInputs(const TileProblem &p) {
  const FloatFormat format = p.format();
  const size_t size = static_cast<size_t>(1 + format.exponentBits + format.fractionBits) / 8;
  std::mt19937 engine(7);
  std::normal_distribution<double> normal(0, 1);
  Bytes a(p.m * p.k * size), b(p.k * p.n * size);
  const double huge = p.type == "f16" ? 256.0 : 0x1p64;
  for (int64_t i = 0; i < p.m * p.k; ++i)
    put(a, i, i % p.k != 0 ? normal(engine) : i / p.k == p.badRow ? 2 * huge : 0x1p-6, format);
  for (int64_t i = 0; i < p.k * p.n; ++i)
    put(b, i, i >= p.n ? normal(engine) : i == p.badColumn ? huge : 0x1p-6, format);
  return {a, b};
}

class Tiles : public testing::TestWithParam<TileProblem> {};

} // namespace

TEST_P(Tiles, areSummedAndChecked) {
  const TileProblem &p = GetParam();
  KernelOnSimulator kernel(p.text(), p.chip, /*reportAccesses=*/true);
  ASSERT_TRUE(kernel.ok()) << kernel.errors << p.text();
  SIMTOptions options;
  options.races = options.uninitialized = options.bounds = true;
  ErrorOr<std::vector<Bytes>> results = kernel.run(makeInputs(p), options);
  ASSERT_TRUE(results) << results.status().message();

  int64_t bad = 0;
  std::vector<int32_t> flags(p.down() * p.across(), 0);
  for (int64_t block = 0; block < p.down(); ++block)
    for (int64_t j = 0; j < p.n; ++j) {
      double exact = 0, absolutes = 0;
      const int64_t end = std::min(p.m, (block + 1) * p.blockM);
      for (int64_t i = block * p.blockM; i < end; ++i) {
        const double value = numberAt((*results)[0], i * p.n + j, p.format());
        exact += value;
        absolutes += std::abs(value);
        if (!std::isfinite(2 * value) || std::abs(2 * value) > 3.4028234664e38) {
          flags[block * p.across() + j / p.blockN] = 1;
          ++bad;
        }
      }
      const double computed = numberAt((*results)[1], block * p.n + j, kF32);
      const double bound = contractionBound(p.blockM, absolutes, exact, kF32, kF32);
      EXPECT_TRUE(std::isfinite(exact) ? std::abs(computed - exact) <= bound : computed == exact)
          << "column " << j << " of block " << block << " is " << computed << ", expected " << exact << " within "
          << bound;
    }
  EXPECT_EQ(bad, p.badRow < 0 ? 0 : 1);
  std::vector<int32_t> computed(flags.size());
  ASSERT_EQ((*results)[2].size(), computed.size() * sizeof(int32_t));
  std::memcpy(computed.data(), (*results)[2].data(), (*results)[2].size());
  EXPECT_EQ(computed, flags);
}

static const std::string kMma = "block_k = 32, warps_m = 2, warps_n = 2, stages = 3, instruction = mma.m16n8k16";

// Tails of rows and columns, columns that come in vectors and one by one, more columns than lanes, one warp and many,
// and what does not fit f16, bf16 or f32 at both ends.
INSTANTIATE_TEST_SUITE_P(
    Contraction, Tiles,
    testing::Values(
        TileProblem{"sm_80", "f16", kMma, 128, 128, 64, 64, 64},
        TileProblem{"sm_80", "f16", kMma, 128, 128, 64, 64, 64, 0, 0},
        TileProblem{"sm_80", "f16", kMma, 128, 128, 64, 64, 64, 127, 127},
        TileProblem{"sm_80", "f16", kMma, 100, 72, 40, 64, 64, 99, 71},
        TileProblem{"sm_80", "f16", kMma, 77, 123, 33, 32, 128, 64, 100},
        TileProblem{"sm_80", "bf16", kMma, 77, 123, 33, 32, 128, 5, 122},
        TileProblem{"sm_80", "f16", "block_k = 32, warps_m = 4, warps_n = 1, stages = 2, instruction = mma.m16n8k16",
                    130, 65, 32, 64, 64, 129, 64},
        TileProblem{"sm_80", "f16", "block_k = 32, warps_m = 1, warps_n = 1, stages = 2, instruction = mma.m16n8k16",
                    33, 8, 16, 32, 16, 32, 7},
        TileProblem{"sm_75", "f16", "block_k = 32, warps_m = 2, warps_n = 2, stages = 2, instruction = mma.m16n8k8",
                    100, 72, 40, 64, 64, 70, 3},
        TileProblem{"sm_70", "f16", "block_k = 32, warps_m = 2, warps_n = 2, stages = 2, instruction = wmma.m16n16k16",
                    100, 72, 48, 64, 64, 1, 64},
        TileProblem{"sm_70", "f32", "block_k = 16, warps_m = 2, warps_n = 1, stages = 2, instruction = fma", 50, 45, 20,
                    32, 64, 49, 44}));

TEST(TilesOfAnother, areAnError) {
  for (auto [blockM, blockN] : {std::pair<int64_t, int64_t>{64, 32}, {32, 64}}) {
    TileProblem problem{"sm_80", "f16", kMma, 128, 128, 64, blockM, blockN};
    std::string text = problem.text();
    const std::string schedule = "block_m = " + std::to_string(blockM) + ", block_n = " + std::to_string(blockN);
    text.replace(text.find(schedule), schedule.size(), "block_m = 64, block_n = 64");
    KernelOnSimulator kernel(text, problem.chip);
    EXPECT_FALSE(kernel.ok());
    EXPECT_NE(kernel.errors.find("its product is made in blocks of 64 x 64"), std::string::npos) << kernel.errors;
  }
}

// Batches that share their right factor are one product of all rows: flags for each matrix are not those of its tiles.
TEST(TilesOfAnother, areNotOfEachBatch) {
  auto text = [](const std::string &checked, const std::string &reshape, const std::string &flags) {
    return "func.func @f(%a: tensor<5x33x16xf32>, %b: tensor<16x40xf32>) {\n"
           "%z:2 = mp.kernel \"gemm\" (%x = %a, %y = %b) schedule(#mp.mma<block_m = 64, block_n = 64, block_k = 16, "
           "warps_m = 2, warps_n = 1, stages = 2, instruction = fma>) : (tensor<5x33x16xf32>, tensor<16x40xf32>) -> "
           "(tensor<5x33x40xf32>, " +
           flags +
           ") {\n%0 = mp.matmul %x, %y acc f32 : tensor<5x33x16xf32>, tensor<16x40xf32> -> tensor<5x33x40xf32>\n" +
           reshape + "%2 = mp.nonfinite_tiles " + checked + " -> " + flags +
           "\nmp.yield %0, %2 : tensor<5x33x40xf32>, " + flags + "\n}\nreturn\n}\n";
  };
  KernelOnSimulator ofBatches(text("%0 tile 64 x 64 : tensor<5x33x40xf32>", "", "tensor<5xi32>"), "sm_70");
  EXPECT_FALSE(ofBatches.ok());
  EXPECT_NE(ofBatches.errors.find("its product makes 1 x 165 x 40"), std::string::npos) << ofBatches.errors;
  KernelOnSimulator ofRows(text("%1 tile 64 x 64 : tensor<165x40xf32>",
                                "%1 = mp.reshape %0 : tensor<5x33x40xf32> -> tensor<165x40xf32>\n", "tensor<3xi32>"),
                           "sm_70");
  EXPECT_TRUE(ofRows.ok()) << ofRows.errors;
}
