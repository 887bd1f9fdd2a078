// Matrix products on the simulated device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Contraction/GemmGrid.h"

#include <gtest/gtest.h>

#include <cstdlib>

using namespace mp;
using namespace mp::test;

namespace {

const bool kIsLong = std::getenv("HALFSTEP_LONG") != nullptr;

class Gemm : public testing::TestWithParam<GemmProblem> {};
class CheckedGemm : public testing::TestWithParam<GemmProblem> {};

/// Names of tests say what they run.
std::string nameOf(const testing::TestParamInfo<GemmProblem> &info) {
  const GemmProblem &p = info.param;
  return std::to_string(info.index) + "_" + p.chip + "_" + p.type + "_" + std::to_string(p.m) + "x" +
         std::to_string(p.n) + "x" + std::to_string(p.k) + (p.transposeLhs ? "_t" : "_n") +
         (p.transposeRhs ? "t" : "n");
}

} // namespace

TEST_P(Gemm, IsWithinTheBoundOfSumsInF64) { EXPECT_EQ(GetParam().check({}), "") << GetParam(); }

INSTANTIATE_TEST_SUITE_P(Grid, Gemm, testing::ValuesIn(gemmGrid(kIsLong)), nameOf);
INSTANTIATE_TEST_SUITE_P(Corners, Gemm, testing::ValuesIn(gemmCorners()), nameOf);

// Threads in another order, sums as Tensor Cores add them, and nothing read or written that should not be.
TEST_P(CheckedGemm, BreaksNoRuleOfTheDevice) {
  SIMTOptions options;
  options.races = options.uninitialized = options.bounds = true;
  options.seed = 7;
  options.arithmetic = MatrixArithmetic::HardwareLike;
  EXPECT_EQ(GetParam().check(options, /*reportAccesses=*/true), "") << GetParam();
}

INSTANTIATE_TEST_SUITE_P(Generations, CheckedGemm, testing::ValuesIn(everySchedule()), nameOf);
