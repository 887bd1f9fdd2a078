// Moments of a product's blocks of rows, out of the product's kernel on a GPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Against sums in f64 of what the kernel stored: near 0, and where the mean is twenty thousand times the deviation, so
// that a difference of a mean square and a squared mean would have no digit left.

#include "Codegen/BlockMoments.h"
#include "Codegen/Values.h"
#include "Contraction/SimulatedKernel.h"

#include "mp/Numerics/Float.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <ostream>

using namespace mp;
using namespace mp::test;

namespace {

/// a * b and a bias, and the moments of its blocks of rows.
struct RowsOfBlocks {
  std::string chip, type, schedule;
  int64_t m, n, blockM, blockN;
  static constexpr int64_t k = 16;

  FloatFormat format() const { return type == "f16" ? kF16 : type == "bf16" ? kBF16 : kF32; }
  std::string text() const {
    return momentsText(m, k, n, blockM, type,
                       "mma<block_m = " + std::to_string(blockM) + ", block_n = " + std::to_string(blockN) + ", " +
                           schedule + ">");
  }
};

std::ostream &operator<<(std::ostream &out, const RowsOfBlocks &p) {
  return out << p.chip << " " << p.type << " " << p.m << "x" << p.n << " <" << p.blockM << " x " << p.blockN << ", "
             << p.schedule << ">";
}

int64_t bytesOf(FloatFormat format) { return (1 + format.exponentBits + format.fractionBits) / 8; }

Bytes encoded(const std::vector<double> &values, FloatFormat format) {
  const int64_t size = bytesOf(format);
  Bytes bytes(values.size() * size);
  for (size_t i = 0; i < values.size(); ++i) {
    const uint64_t bits = encode(values[i], format);
    std::memcpy(bytes.data() + i * size, &bits, size);
  }
  return bytes;
}

std::vector<double> decoded(const Bytes &bytes, FloatFormat format) {
  const int64_t size = bytesOf(format);
  std::vector<double> values(bytes.size() / size);
  for (size_t i = 0; i < values.size(); ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, bytes.data() + i * size, size);
    values[i] = decode(bits, format);
  }
  return values;
}

std::vector<double> normal(int64_t count, unsigned seed, double deviation) {
  const std::vector<float> values = randomFloats(count, seed, static_cast<float>(deviation));
  return {values.begin(), values.end()};
}

class TileMoments : public testing::TestWithParam<RowsOfBlocks> {
protected:
  /// With all checks; another order of threads has the same bits.
  static void run(const KernelOnSimulator &kernel, const std::vector<double> &a, double mean, BlockMoments &found) {
    const RowsOfBlocks &p = GetParam();
    const std::vector<Bytes> inputs = {encoded(a, p.format()), encoded(normal(p.k * p.n, 2, 1), p.format()),
                                       encoded(std::vector<double>(p.n, mean), p.format())};
    SIMTOptions options;
    options.races = options.uninitialized = options.bounds = true;
    const ErrorOr<std::vector<Bytes>> results = kernel.run(inputs, options);
    ASSERT_TRUE(results) << results.status().message();
    options.seed = 5;
    const ErrorOr<std::vector<Bytes>> again = kernel.run(inputs, options);
    ASSERT_TRUE(again) << again.status().message();
    EXPECT_EQ(*results, *again);
    found = {p.m,
             p.n,
             p.blockM,
             decoded((*results)[0], p.format()),
             decoded((*results)[1], kF32),
             decoded((*results)[2], kF32),
             decoded((*results)[3], kF32),
             decoded((*results)[4], kF32)};
  }
};

} // namespace

TEST_P(TileMoments, areThoseOfWhatIsStored) {
  const RowsOfBlocks &p = GetParam();
  const KernelOnSimulator kernel(p.text(), p.chip, /*reportAccesses=*/true);
  ASSERT_TRUE(kernel.ok()) << kernel.errors;
  for (auto [mean, deviation] : {std::pair(0.0, 1.0), std::pair(1000.0, 0.0125)}) {
    BlockMoments found;
    run(kernel, normal(p.m * p.k, 1, deviation), mean, found);
    if (HasFatalFailure())
      return;
    found.expectOfWhatIsStored();
  }
}

TEST_P(TileMoments, ofInfinitiesAndNaN) {
  const RowsOfBlocks &p = GetParam();
  const KernelOnSimulator kernel(p.text(), p.chip, /*reportAccesses=*/true);
  ASSERT_TRUE(kernel.ok()) << kernel.errors;
  constexpr double inf = std::numeric_limits<double>::infinity(), nan = std::numeric_limits<double>::quiet_NaN();
  for (double bad : {inf, nan})
    for (int64_t row : {int64_t(0), p.m / 2, p.m - 1}) {
      std::vector<double> a = normal(p.m * p.k, 1, 1);
      a[row * p.k] = bad;
      BlockMoments found;
      run(kernel, a, 0, found);
      if (HasFatalFailure())
        return;
      found.expectInfinitiesOf(row);
    }
}

static const std::string kMma = "block_k = 32, warps_m = 2, warps_n = 2, stages = 3, instruction = mma.m16n8k16";

// Whole blocks, one row, rows that end within a warp and before the last, columns that come in vectors and one by one,
// more columns than lanes, one warp and many, each instruction.
INSTANTIATE_TEST_SUITE_P(
    Contraction, TileMoments,
    testing::Values(
        RowsOfBlocks{"sm_80", "f16", kMma, 128, 128, 64, 64}, RowsOfBlocks{"sm_80", "bf16", kMma, 128, 64, 64, 64},
        RowsOfBlocks{"sm_80", "f16", kMma, 1, 8, 32, 32}, RowsOfBlocks{"sm_80", "f16", kMma, 100, 72, 64, 64},
        RowsOfBlocks{"sm_80", "bf16", kMma, 77, 123, 32, 128}, RowsOfBlocks{"sm_80", "f16", kMma, 139, 40, 128, 64},
        RowsOfBlocks{"sm_80", "f16", "block_k = 32, warps_m = 4, warps_n = 1, stages = 2, instruction = mma.m16n8k16",
                     130, 65, 64, 64},
        RowsOfBlocks{"sm_80", "f16", "block_k = 32, warps_m = 8, warps_n = 1, stages = 2, instruction = mma.m16n8k16",
                     256 + 35, 16, 256, 32},
        RowsOfBlocks{"sm_80", "f16", "block_k = 32, warps_m = 1, warps_n = 1, stages = 2, instruction = mma.m16n8k16",
                     33, 8, 32, 16},
        RowsOfBlocks{"sm_80", "f32",
                     "block_k = 16, warps_m = 2, warps_n = 2, stages = 2, instruction = mma.m16n8k8.tf32", 65, 48, 64,
                     64},
        RowsOfBlocks{"sm_75", "f16", "block_k = 32, warps_m = 2, warps_n = 2, stages = 2, instruction = mma.m16n8k8",
                     100, 72, 64, 64},
        RowsOfBlocks{"sm_70", "f16", "block_k = 32, warps_m = 2, warps_n = 2, stages = 2, instruction = wmma.m16n16k16",
                     100, 72, 64, 64},
        RowsOfBlocks{"sm_70", "f32", "block_k = 16, warps_m = 2, warps_n = 1, stages = 2, instruction = fma", 50, 45,
                     32, 64}));

TEST(TileMomentsOfAnother, areAnError) {
  RowsOfBlocks p{"sm_80", "f16", kMma, 128, 64, 64, 64};
  std::string text = p.text();
  text.replace(text.find("moments %0 block 64"), 19, "moments %0 block 63");
  for (size_t at = text.find("tensor<2x64xf32>"); at != std::string::npos; at = text.find("tensor<2x64xf32>"))
    text.replace(at, 16, "tensor<3x64xf32>");
  const KernelOnSimulator kernel(text, p.chip);
  EXPECT_FALSE(kernel.ok());
  EXPECT_NE(kernel.errors.find("reduces tiles of 63 rows, its product is made in blocks of 64 x 64"), std::string::npos)
      << kernel.errors;
}
