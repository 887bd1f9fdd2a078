// Matrix products over all chips.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Contraction/GemmGrid.h"

#include <span>

using namespace mp;
using namespace mp::test;

static std::string schedule(const std::string &blocks, const std::string &rest, const std::string &instruction) {
  const size_t first = blocks.find('x'), second = blocks.find('x', first + 1);
  const std::string warps = rest.substr(0, rest.find(' ')), stages = rest.substr(rest.find(' ') + 1);
  return "block_m = " + blocks.substr(0, first) + ", block_n = " + blocks.substr(first + 1, second - first - 1) +
         ", block_k = " + blocks.substr(second + 1) + ", warps_m = " + warps.substr(0, warps.find('x')) +
         ", warps_n = " + warps.substr(warps.find('x') + 1) + ", stages = " + stages + ", instruction = " + instruction;
}

const std::vector<Generation> &mp::test::generations() {
  const std::string k16 = "mma.m16n8k16", k8 = "mma.m16n8k8", wmma = "wmma.m16n16k16", fma = "fma",
                    tf32 = "mma.m16n8k8.tf32";
  const std::vector<std::string> sm80 = {schedule("64x64x32", "2x2 3", k16), schedule("32x128x64", "1x4 4", k16),
                                         schedule("128x32x16", "4x1 2", k16), schedule("16x64x32", "1x2 3", k16)};
  const std::vector<std::string> plain = {schedule("64x64x8", "2x1 2", fma), schedule("32x64x16", "2x2 3", fma),
                                          schedule("128x32x8", "2x1 2", fma)};
  static const std::vector<Generation> kGenerations = {
      {"sm_80", "f16", sm80},
      {"sm_80", "bf16", sm80},
      {"sm_86", "bf16", {schedule("64x32x32", "2x1 3", k16)}},
      {"sm_89", "f16", {schedule("32x64x64", "1x2 4", k16)}},
      {"sm_90", "f16", {schedule("128x64x64", "2x2 4", k16)}},
      {"sm_90a", "f32", {schedule("32x32x32", "2x2 3", tf32)}},
      {"sm_100a", "bf16", {schedule("64x128x64", "2x2 4", k16)}},
      {"sm_75",
       "f16",
       {schedule("64x64x32", "2x2 2", k8), schedule("32x128x64", "1x4 2", k8), schedule("128x16x16", "4x1 3", k8)}},
      {"sm_70",
       "f16",
       {schedule("64x64x32", "2x2 2", wmma), schedule("32x64x64", "1x2 2", wmma),
        schedule("128x32x16", "4x2 3", wmma)}},
      {"sm_80", "f32", plain},
      {"sm_70", "f32", plain},
      {"sm_75", "f64", {schedule("64x64x8", "2x2 2", fma), schedule("32x64x16", "2x2 2", fma)}},
      {"sm_75", "bf16", plain},
      {"sm_80", "f16", sm80, "f16"},
      {"sm_75", "f16", {schedule("64x64x32", "2x2 2", k8), schedule("128x16x16", "4x1 3", k8)}, "f16"},
      {"sm_70", "f16", {schedule("64x64x32", "2x2 2", wmma), schedule("128x32x16", "4x2 3", wmma)}, "f16"},
      {"sm_89", "f16", {schedule("32x64x16", "2x2 3", fma)}, "f16"},
      {"sm_80",
       "f32",
       {schedule("64x64x32", "2x2 3", tf32), schedule("32x128x16", "1x4 4", tf32), schedule("64x16x8", "4x1 2", tf32)}},
  };
  return kGenerations;
}

const std::vector<Generation> &mp::test::cpuGenerations() {
  auto of = [](int64_t m, int64_t n, int64_t k, int64_t rows, int64_t columns, int64_t lanes, const char *more = "") {
    auto number = [](const char *name, int64_t value) { return name + std::string(" = ") + std::to_string(value); };
    return number("block_m", m * rows) + ", " + number("block_n", n * columns) + ", " + number("block_k", k) + ", " +
           number("tile_m", rows) + ", " + number("tile_n", columns) + ", " + number("vector", lanes) + more;
  };
  const std::vector<std::string> lanes4 = {of(2, 2, 16, 4, 8, 4), of(1, 4, 100, 8, 4, 4)},
                                 lanes8 = {of(2, 2, 32, 6, 16, 8), of(1, 1, 8, 5, 16, 8), of(3, 4, 64, 12, 8, 8)},
                                 lanes16 = {of(1, 2, 48, 14, 32, 16), of(4, 1, 384, 13, 32, 16),
                                            of(2, 3, 20, 28, 16, 16)};
  auto with = [](std::vector<std::string> schedules, const char *instruction) {
    for (std::string &schedule : schedules)
      schedule += std::string(", instruction = ") + instruction;
    return schedules;
  };
  const std::vector<std::string> tiles = with(
      {of(1, 1, 64, 32, 32, 16), of(2, 1, 32, 16, 64, 16), of(1, 3, 128, 32, 32, 16), of(2, 2, 96, 16, 16, 16)}, "amx");
  static const std::vector<Generation> kGenerations = {
      {"sse2", "f32", lanes4},
      {"sse2", "bf16", lanes4},
      {"avx2", "f32", lanes8},
      {"avx2", "f16", lanes8},
      {"avx2", "f16", lanes8, "f16"},
      {"avx2", "bf16", lanes8},
      {"avx2", "f64", lanes8},
      {"avx512", "f32", lanes16},
      {"avx512", "f16", lanes16},
      {"avx512bf16", "bf16", with(lanes16, "dot")},
      {"avx512bf16", "bf16", with(lanes8, "dot")},
      {"avx512", "bf16", tiles},
      {"avx512", "f16", tiles},
      {"amx-bf16", "bf16", tiles},
      {"amx-fp16", "f16", tiles},
  };
  return kGenerations;
}

namespace {
struct Size {
  int64_t m, n, k;
};
} // namespace

/// Whole tiles, parts of tiles in each dimension, rows that are aligned to 16, 4 and 2 bytes, and single ones.
static constexpr Size kSizes[] = {{128, 128, 96}, {72, 200, 104}, {67, 45, 37},  {130, 66, 34}, {5, 10, 129},
                                  {1, 1, 1},      {1, 65, 8},     {33, 8, 7},    {64, 130, 64}, {40, 64, 24},
                                  {64, 64, 200},  {17, 16, 15},   {100, 4, 260}, {3, 128, 32},  {96, 31, 48}};
static constexpr size_t kShort = 3;
/// Rows of k that are certain, behind which memory ends.
static constexpr Size kWholeSteps = {64, 48, 64};

/// Cuts k of `problem` into about `parts`, as its schedule allows; what follows the product belongs to another kernel.
static void cut(GemmProblem &problem, int64_t parts) {
  const int64_t blockK = std::stoll(problem.schedule.substr(problem.schedule.find("block_k = ") + 10));
  problem.depth = ((problem.k + parts - 1) / parts + blockK - 1) / blockK * blockK;
  problem.after = After::Nothing;
  problem.storesNarrow = problem.type != "f64" && problem.k % 2 != 0;
  if (problem.parts() > 1 && !problem.isOfCPU())
    problem.schedule += ", split_k = " + std::to_string(problem.parts());
}

/// Every generation with every order of its operands, over `count` of the sizes or all.
static std::vector<GemmProblem> makeGrid(const std::vector<Generation> &generations, std::span<const Size> sizes,
                                         size_t count) {
  std::vector<GemmProblem> problems;
  size_t nth = 0;
  for (const Generation &generation : generations)
    for (bool left : {false, true})
      for (bool right : {false, true})
        for (size_t index = 0; index < count; ++index, ++nth) {
          const Size &size = sizes[(count < sizes.size() ? nth : index) % sizes.size()];
          GemmProblem problem{generation.chip,
                              generation.schedules[nth % generation.schedules.size()],
                              size.m,
                              size.n,
                              size.k,
                              generation.type,
                              left,
                              right};
          problem.acc = generation.acc;
          problem.after = static_cast<After>(nth % kAfters);
          if (generation.type == "f64" && problem.after == After::Dropout)
            problem.after = After::Nothing; // dropout is of narrower types
          problem.castsOperands = nth % 5 == 2 && generation.type != "f64";
          problem.batch = nth % 6 == 3 ? 2 : 0;
          problem.sharesRhs = nth % 12 == 3;
          if (nth % 9 == 4)
            cut(problem, 3);
          problems.push_back(problem);
        }
  return problems;
}

std::vector<GemmProblem> mp::test::gemmGrid(bool isLong) {
  return makeGrid(generations(), kSizes, isLong ? std::size(kSizes) : kShort);
}

std::vector<GemmProblem> mp::test::cpuGemmGrid(bool isLong) {
  std::vector<GemmProblem> problems = makeGrid(cpuGenerations(), kSizes, isLong ? std::size(kSizes) : kShort);
  // Rows of rhs that are whole tiles are streamed.
  for (const Generation &generation : cpuGenerations())
    for (const std::string &each : generation.schedules)
      for (bool left : {false, true})
        if (each.find("amx") == std::string::npos)
          problems.push_back({generation.chip, each + ", stream_rhs = true", 5, 192, 41, generation.type, left, false,
                              0, false, After::BiasReluCast, false, 0, generation.acc});
  return problems;
}

std::vector<GemmProblem> mp::test::gemmCorners() {
  const std::string sm80 = generations()[0].schedules[0], fma = generations()[9].schedules[0];
  const After none = After::Nothing;
  return {
      {"sm_80", sm80, 20, 24, 40, "f16", false, false, 5},
      {"sm_80", sm80, 70, 24, 40, "f16", true, false, 3, true, After::Bias},
      {"sm_80", sm80, 70, 24, 40, "bf16", false, true, 3, true, After::BiasReluCast},
      {"sm_70", fma, 33, 40, 12, "f32", true, true, 2, false, After::Residual},
      {"sm_80", sm80, 20, 24, 0, "f16", false, false, 0, false, After::Bias},
      {"sm_70", fma, 20, 24, 0, "f32"},
      {"sm_80", sm80, 1000, 200, 16, "f16"},
      {"sm_80", sm80, 800, 100, 16, "f16", true, true, 2},
      {"sm_80", sm80 + ", split_k = 3", 72, 40, 300, "f16", false, false, 0, false, none, false, 128},
      {"sm_80", sm80 + ", split_k = 2", 20, 33, 61, "bf16", true, true, 2, false, none, true, 32},
      {"sm_75", fma + ", split_k = 5", 20, 40, 33, "f32", false, true, 0, false, none, false, 8},
  };
}

std::vector<GemmProblem> mp::test::everySchedule() {
  std::vector<GemmProblem> problems;
  for (const Generation &generation : generations())
    for (const std::string &each : generation.schedules)
      for (Size size : {Size{72, 72, 72}, Size{65, 47, 35}, kWholeSteps}) {
        const bool isOdd = size.m % 2 != 0, isWhole = size.k == kWholeSteps.k;
        problems.push_back({generation.chip, each, size.m, size.n, size.k, generation.type, isOdd, !isOdd && !isWhole,
                            0, false, After::BiasReluCast});
        problems.back().acc = generation.acc;
      }
  return problems;
}
