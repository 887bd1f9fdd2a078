// The rows of the chip table.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Hardware/ChipTable.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

using namespace mp;

TEST(ChipTable, AFamilyStandsForItsFirstGPU) {
  std::set<std::string> families;
  for (const Chip &chip : allChips()) {
    EXPECT_TRUE(families.insert(std::string(chip.name)).second) << chip.name << " is there twice";
    EXPECT_EQ(findChip(chip.name)->gpu, chip.gpu);
  }
  std::string family;
  std::set<std::string> before;
  for (const Chip &row : allGPUs()) {
    EXPECT_TRUE(families.contains(std::string(row.name)));
    EXPECT_TRUE(row.name == family || before.insert(std::string(row.name)).second)
        << row.name << " is in the table twice";
    family = row.name;
  }
}

static std::string lower(std::string_view name) {
  std::string text(name);
  std::ranges::transform(text, text.begin(), [](char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

TEST(ChipTable, AGPUIsFoundByItsName) {
  for (const Chip &row : allGPUs()) {
    const Chip *found = findChip(lower(row.gpu));
    ASSERT_TRUE(found) << row.gpu;
    EXPECT_EQ(found->gpu, row.gpu);
    EXPECT_EQ(found->multiprocessors, row.multiprocessors);
  }
  EXPECT_EQ(findChip("A40")->name, "sm_86");
  EXPECT_EQ(findChip("A4"), nullptr);
}

// Hopper's and Blackwell's peaks are those of wgmma and tcgen05; 2048 operations in a tick of a multiprocessor are the
// most that any chip has shown by mma.sync before them, and Hopper's 62.9 % of 4096 the most that it has.
TEST(ChipTable, MatrixRatesAreThoseOfMmaSync) {
  for (const Chip &row : allGPUs()) {
    const double most = row.multiprocessors * row.clock * (row.major >= 9 ? 0.63 * 4096 : 1.02 * 2048);
    for (double rate : {row.mma.f16, row.mma.f16Narrow, row.mma.bf16, 2 * row.mma.tf32})
      EXPECT_LE(rate, most) << row.gpu;
  }
}
