// Matrix products on this processor, by every instruction of its levels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "AMX/EmulatedTiles.h"
#include "Contraction/GemmGrid.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <random>

using namespace mp;
using namespace mp::test;

namespace {

const bool kIsLong = std::getenv("HALFSTEP_LONG") != nullptr;

/// What runs code of a level: this processor, with tiles emulated where those alone are missing.
class Machine {
public:
  explicit Machine(const std::string &name) {
    const CPULevel &level = *findCPULevel(name);
    const std::vector<std::string> &ours = hostFeatures();
    canRun = std::ranges::all_of(level.features, [&](auto feature) { return std::ranges::count(ours, feature) > 0; });
    if (!level.tilesBF16)
      return;
    const TileSource source = findTiles(level);
    canRun = source != TileSource::Nothing;
    if (source == TileSource::Emulation)
      emulated.emplace();
  }

  bool canRun;

private:
  std::optional<EmulatedTiles> emulated;
};

/// As names of tests have it: no hyphens.
std::string wordOf(std::string level) {
  std::ranges::replace(level, '-', '_');
  return level;
}

class CPUGemm : public testing::TestWithParam<GemmProblem> {};

class EachGeneration : public testing::TestWithParam<Generation> {};

} // namespace

TEST_P(CPUGemm, IsWithinTheBoundOfSumsInF64) {
  const Machine machine(GetParam().chip);
  if (!machine.canRun)
    GTEST_SKIP() << "this machine does not have all of " << GetParam().chip;
  EXPECT_EQ(GetParam().check({}), "") << GetParam();
}

INSTANTIATE_TEST_SUITE_P(Grid, CPUGemm, testing::ValuesIn(cpuGemmGrid(kIsLong)),
                         [](const testing::TestParamInfo<GemmProblem> &info) {
                           const GemmProblem &p = info.param;
                           return std::to_string(info.index) + "_" + wordOf(p.chip) + "_" + p.type + "_" +
                                  std::to_string(p.m) + "x" + std::to_string(p.n) + "x" + std::to_string(p.k) +
                                  (p.transposeLhs ? "_t" : "_n") + (p.transposeRhs ? "t" : "n");
                         });

/// A legal schedule for the instruction of `schedule`, by chance: other tiles, blocks of other sizes.
static std::string drawSchedule(const std::string &schedule, int64_t lanes, std::mt19937 &random) {
  auto upTo = [&](unsigned n) { return static_cast<int64_t>(1 + random() % n); };
  const bool isAmx = schedule.find("amx") != std::string::npos;
  const size_t at = schedule.find(", instruction");
  // Sums and operands fit the registers; a tile of AMX has 16 rows.
  const int64_t rows = isAmx ? 16 * upTo(2) : upTo(8), columns = isAmx ? 16 * upTo(2) : lanes * upTo(2);
  const int64_t depth = isAmx ? 32 * upTo(4) : 2 * upTo(40);
  return "block_m = " + std::to_string(rows * upTo(3)) + ", block_n = " + std::to_string(columns * upTo(3)) +
         ", block_k = " + std::to_string(depth) + ", tile_m = " + std::to_string(rows) +
         ", tile_n = " + std::to_string(columns) + ", vector = " + std::to_string(lanes) +
         (at == std::string::npos ? "" : schedule.substr(at));
}

/// Whether tiles may read lhs where it lies: along k, as it is multiplied, by whole pairs and registers.
static bool mayReadLhs(const Generation &generation, const std::string &schedule, bool isTransposed, int64_t k) {
  auto has = [&](const char *word) { return schedule.find(word) != std::string::npos; };
  const int64_t together = has("amx") ? 32 : has("dot") ? 2 : 1;
  const bool isConverted = together == 1 && generation.type != "f32";
  return !isTransposed && !isConverted && !has("products") && k % together == 0;
}

// What multiplies decides the bits, and nothing else of the schedule: no block, no tile, nor which way operands lie.
// But chunks of k are whole multiples of what the instruction takes at once.
TEST_P(EachGeneration, BitsAreThoseOfTheInstruction) {
  const Generation &generation = GetParam();
  const Machine machine(generation.chip);
  if (!machine.canRun)
    GTEST_SKIP() << "this machine does not have all of " << generation.chip;
  const std::string &first = generation.schedules.front();
  const int64_t lanes = std::stoll(first.substr(first.find("vector = ") + 9));
  std::mt19937 random(11);
  // Tiles read lhs in memory, and packed where k is odd for them or lies the other way.
  const std::array<int64_t, 3> kSizes[] = {{45, 70, 203}, {103, 70, 192}};
  for (auto [m, n, k] : kSizes)
    for (auto [left, right] : {std::pair{true, true}, {true, false}, {false, true}, {false, false}}) {
      GemmProblem problem{generation.chip, first, m, n, k, generation.type, left, right};
      problem.acc = generation.acc;
      ErrorOr<std::vector<Bytes>> expected = problem.run();
      ASSERT_TRUE(expected) << expected.status().message();
      for (int draw = 0; draw < (kIsLong ? 50 : 2); ++draw) {
        problem.schedule = drawSchedule(first, lanes, random);
        if (mayReadLhs(generation, first, left, k) && draw % 2 == 0)
          problem.schedule += ", read_lhs = true";
        ErrorOr<std::vector<Bytes>> results = problem.run();
        ASSERT_TRUE(results) << results.status().message() << problem;
        EXPECT_TRUE(*results == *expected) << problem;
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Levels, EachGeneration, testing::ValuesIn(cpuGenerations()),
                         [](const testing::TestParamInfo<Generation> &info) {
                           return std::to_string(info.index) + "_" + wordOf(info.param.chip) + "_" + info.param.type;
                         });
