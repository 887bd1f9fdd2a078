// Schedules of matrix products on GPUs, and what they are taken to cost.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/Schedule/MatrixSchedules.h"
#include "Kernels/Schedule/MatrixCost.h"
#include "mp/IR/MP.h"

#include "llvm/Support/MathExtras.h"

#include <gtest/gtest.h>

#include <array>

using namespace mp;

namespace {

class MatrixSchedules : public testing::Test {
protected:
  MatrixSchedules() { context.loadDialect<MPDialect>(); }

  /// A product of f16 into sums of f32, as mp.matmul has it.
  Contraction product(int64_t m, int64_t n, int64_t k) {
    Contraction product;
    product.m = m;
    product.n = n;
    product.k = product.depth = k;
    product.takesParts = true;
    product.element = mlir::Float16Type::get(&context);
    product.acc = mlir::Float32Type::get(&context);
    product.lhsMap = IndexMap::ofMatrix(1, m, k, /*isTransposed=*/false);
    product.rhsMap = IndexMap::ofMatrix(1, n, k, /*isTransposed=*/true);
    return product;
  }
  MmaScheduleAttr scheduleOf(const std::array<int64_t, 6> &s) {
    const auto [blockM, blockN, blockK, warpsM, warpsN, stages] = s;
    return MmaScheduleAttr::get(&context, blockM, blockN, blockK, warpsM, warpsN, stages, /*splitK=*/1,
                                MatrixInstruction::Mma16x8x16);
  }

  mlir::MLIRContext context;
};

/// What an H200 took for a product, in a graph of the same kernel one after the other.
struct Measured {
  int64_t m, n, k;
  std::array<int64_t, 6> schedule;
  double microseconds;
};

} // namespace

// Large blocks and small, one warp and eight, alone on a multiprocessor and many together, steps long and short: all
// within a quarter of what was measured.
TEST_F(MatrixSchedules, EstimatesAreNearWhatAnH200Took) {
  const Measured all[] = {
      {4096, 4096, 4096, {256, 128, 64, 4, 2, 3}, 271.9}, {4096, 4096, 4096, {128, 128, 64, 2, 4, 4}, 323.5},
      {4096, 4096, 4096, {128, 64, 32, 2, 1, 3}, 377.4},  {4096, 4096, 4096, {64, 64, 32, 1, 1, 3}, 447.9},
      {4096, 4096, 4096, {32, 128, 32, 1, 4, 4}, 544.1},  {8192, 4096, 784, {128, 256, 32, 2, 4, 3}, 129.4},
      {8192, 4096, 784, {128, 32, 32, 4, 1, 4}, 275.2},   {12544, 256, 2304, {128, 256, 32, 2, 4, 4}, 40.7},
      {12544, 256, 2304, {64, 64, 32, 2, 1, 3}, 62.2},    {3136, 512, 4608, {64, 128, 64, 1, 2, 4}, 47.9},
      {3136, 512, 4608, {128, 64, 64, 2, 2, 6}, 59.5},    {2048, 2048, 2048, {128, 128, 64, 2, 2, 6}, 40.9},
  };
  const Chip &chip = *findChip("H200");
  for (const Measured &one : all) {
    const Contraction product = this->product(one.m, one.n, one.k);
    const MatrixTiles tiles(scheduleOf(one.schedule), product);
    const double estimated = 1e6 * estimateSeconds(tiles, product, product.acc, chip);
    EXPECT_NEAR(estimated / one.microseconds, 1, 0.25)
        << one.m << " x " << one.n << " x " << one.k << " by blocks of " << one.schedule[0] << " x " << one.schedule[1];
  }
}

// A multiprocessor has room for three blocks of four warps of 64 x 32, and for one of eight warps of 64 x 64.
TEST_F(MatrixSchedules, RegistersAndSharedMemorySayHowManyBlocksFit) {
  const Contraction product = this->product(4096, 4096, 4096);
  auto resident = [&](const std::array<int64_t, 6> &s, const char *chip) {
    return residentBlocks(MatrixTiles(scheduleOf(s), product), product, *findChip(chip));
  };
  EXPECT_EQ(resident({128, 64, 64, 2, 2, 3}, "sm_90"), 3);
  EXPECT_EQ(resident({128, 256, 64, 2, 4, 3}, "sm_90"), 1);
  // Three stages of 32 KB are 96 KB, of which 164 KB hold one.
  EXPECT_EQ(resident({128, 128, 64, 2, 2, 3}, "sm_90"), 2);
  EXPECT_EQ(resident({128, 128, 64, 2, 2, 3}, "sm_80"), 1);
}

// Of few tiles and a long k, as gradients of filters are: parts leave no multiprocessor without a block while others
// have one more, whatever their number.
TEST_F(MatrixSchedules, PartsFillEveryMultiprocessor) {
  for (const char *name : {"sm_80", "H100-PCIe", "H200", "B200"})
    for (const auto &[m, n, k] : {std::array<int64_t, 3>{256, 2304, 12544}, {128, 1152, 50176}, {64, 576, 200704}}) {
      const Chip &chip = *findChip(name);
      const Contraction product = this->product(m, n, k);
      const MmaScheduleAttr schedule = chooseMatrixSchedule(product, chip).schedule;
      ASSERT_TRUE(schedule) << name;
      const int64_t grid = schedule.getSplitK() * product.countTiles(schedule.getBlockM(), schedule.getBlockN());
      const int64_t room = llvm::alignTo(grid, chip.multiprocessors);
      EXPECT_GT(schedule.getSplitK(), 1) << name << " " << m;
      EXPECT_GE(static_cast<double>(grid) / static_cast<double>(room), 0.85) << name << " " << m;
    }
}

// A block or two of a long k wait for each step while all else is idle.
TEST_F(MatrixSchedules, ALongSumOfFewTilesIsCut) {
  EXPECT_GT(chooseMatrixSchedule(product(128, 512, 2304), *findChip("H200")).schedule.getSplitK(), 1);
  EXPECT_EQ(chooseMatrixSchedule(product(128, 512, 128), *findChip("H200")).schedule.getSplitK(), 1);
  EXPECT_EQ(chooseMatrixSchedule(product(4096, 4096, 4096), *findChip("H200")).schedule.getSplitK(), 1);
}

// What a block waits for at the barrier of a step is worth half as many steps.
TEST_F(MatrixSchedules, StepsOfLargeProductsAreLong) {
  EXPECT_EQ(chooseMatrixSchedule(product(4096, 4096, 4096), *findChip("H200")).schedule.getBlockK(), 64);
}
