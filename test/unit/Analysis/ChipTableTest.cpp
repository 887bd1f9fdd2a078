// The rows of the chip table.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Analysis/ChipTable.h"

#include <gtest/gtest.h>

#include <set>

using namespace mp;

TEST(ChipTable, AFamilyStandsForItsFirstGPU) {
  std::set<std::string> families;
  for (const Chip &chip : allChips()) {
    EXPECT_TRUE(families.insert(chip.name.str()).second) << chip.name.str() << " is there twice";
    EXPECT_EQ(findChip(chip.name)->gpu, chip.gpu);
  }
  std::string family;
  std::set<std::string> before;
  for (const Chip &row : allGPUs()) {
    EXPECT_TRUE(families.contains(row.name.str()));
    EXPECT_TRUE(row.name == family || before.insert(row.name.str()).second)
        << row.name.str() << " is in the table twice";
    family = row.name.str();
  }
}

TEST(ChipTable, AGPUIsFoundByItsName) {
  for (const Chip &row : allGPUs()) {
    const Chip *found = findChip(row.gpu.lower());
    ASSERT_TRUE(found) << row.gpu.str();
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
      EXPECT_LE(rate, most) << row.gpu.str();
  }
}
