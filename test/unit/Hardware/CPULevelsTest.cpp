// The rows of the table of CPU levels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Hardware/CPULevels.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace mp;

TEST(CPULevels, AreFoundByName) {
  for (const CPULevel &level : allCPULevels())
    EXPECT_EQ(findCPULevel(level.name), &level);
  EXPECT_EQ(findCPULevel("avx512")->lanes(), 16);
  EXPECT_EQ(findCPULevel("avx2")->lanes(), 8);
  EXPECT_EQ(findCPULevel("sse2")->lanes(), 4);
  EXPECT_EQ(findCPULevel("mmx"), nullptr);
}

TEST(CPULevels, TilesFitTheRegisters) {
  for (const CPULevel &level : allCPULevels()) {
    ASSERT_FALSE(level.tiles.empty()) << level.name;
    for (RegisterTile tile : level.tiles) {
      const int64_t vectors = tile.columns / level.lanes();
      EXPECT_EQ(tile.columns % level.lanes(), 0) << level.name;
      // Accumulators, a row of the right operand, one element of the left.
      EXPECT_LE(tile.rows * vectors + vectors + 1, level.vectorRegisters) << level.name;
    }
  }
}

// Sums, the operands of a column of them, or one of a single column, and one of a row fit the eight tile registers.
TEST(CPULevels, TilesFitTheUnits) {
  for (const CPULevel &level : allCPULevels()) {
    EXPECT_EQ(level.unitTiles.empty(), !level.tilesBF16) << level.name;
    for (RegisterTile tile : level.unitTiles) {
      EXPECT_EQ(tile.rows % 16 + tile.columns % 16, 0) << level.name;
      const int64_t ofLhs = tile.columns == 16 ? 1 : tile.rows / 16;
      EXPECT_LE(tile.rows / 16 * (tile.columns / 16) + ofLhs + 1, 8) << level.name;
    }
  }
}

// Dot products of bf16 are worth it where their rate is that of the table, tiles wherever there are any.
TEST(CPULevels, SomeAreTakenOnProcessorsOfOneMaker) {
  auto allButTiles = [](std::string_view feature) { return !feature.starts_with("amx"); };
  EXPECT_EQ(highestCPULevel(allButTiles).name, "avx512bf16");
  EXPECT_EQ(highestCPULevel(allButTiles, "AMD").name, "avx512bf16");
  EXPECT_EQ(highestCPULevel(allButTiles, "other").name, "avx512");
  for (std::string_view maker : {"", "AMD", "other"}) {
    EXPECT_EQ(highestCPULevel([](auto) { return true; }, maker).name, "amx-fp16");
    EXPECT_EQ(highestCPULevel([](auto feature) { return feature != "amx-fp16"; }, maker).name, "amx-bf16");
  }
}

// A machine with the features of one level gets that level, and one that lacks any of them a lower one.
TEST(CPULevels, TheHighestIsChosenByFeatures) {
  for (const CPULevel &level : allCPULevels()) {
    auto has = [&](std::string_view feature) { return std::ranges::count(level.features, feature) > 0; };
    EXPECT_EQ(&highestCPULevel(has), &level) << level.name;
    for (std::string_view missing : level.features) {
      const CPULevel &lower = highestCPULevel([&](std::string_view f) { return f != missing && has(f); });
      EXPECT_TRUE(&lower < &level || &level == allCPULevels().data()) << level.name << " without " << missing;
    }
  }
}
