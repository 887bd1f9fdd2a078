// Tests of what a GPU can run.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/CUDA/Capability.h"

#include <gtest/gtest.h>

using namespace mp;
using namespace mp::cuda;

static bool runs(const char *chip, int major, int minor) { return parseChip(chip)->runsOn({major, minor}); }

TEST(Capability, CodeRunsOnLaterChips) {
  EXPECT_TRUE(runs("sm_80", 8, 0));
  EXPECT_TRUE(runs("sm_80", 8, 9));
  EXPECT_TRUE(runs("sm_75", 12, 0));
  EXPECT_FALSE(runs("sm_86", 8, 0));
  EXPECT_FALSE(runs("sm_90", 8, 9));
}

TEST(Capability, CodeForAChipsOwnInstructionsRunsThereOnly) {
  EXPECT_TRUE(runs("sm_90a", 9, 0));
  EXPECT_FALSE(runs("sm_90a", 10, 0));
  EXPECT_FALSE(runs("sm_90a", 8, 9));
  EXPECT_TRUE(runs("sm_100a", 10, 0));
  EXPECT_FALSE(runs("sm_100a", 10, 3));
  EXPECT_TRUE(runs("sm_100f", 10, 3));
  EXPECT_FALSE(runs("sm_100f", 11, 0));
}

TEST(Capability, CubinsRunWithinAMajorVersion) {
  auto runs = [](const char *chip, int major, int minor) { return parseChip(chip)->cubinRunsOn({major, minor}); };
  EXPECT_TRUE(runs("sm_80", 8, 0));
  EXPECT_TRUE(runs("sm_80", 8, 6));
  EXPECT_TRUE(runs("sm_86", 8, 9));
  EXPECT_FALSE(runs("sm_86", 8, 0));
  EXPECT_FALSE(runs("sm_80", 9, 0));
  EXPECT_FALSE(runs("sm_75", 8, 0));
  EXPECT_TRUE(runs("sm_90a", 9, 0));
  EXPECT_FALSE(runs("sm_90a", 10, 0));
  // What Tegra systems have runs their own alone.
  EXPECT_TRUE(runs("sm_87", 8, 7));
  EXPECT_FALSE(runs("sm_80", 8, 7));
  EXPECT_FALSE(runs("sm_87", 8, 9));
}

TEST(Capability, ReadsChips) {
  for (const char *text : {"", "sm_", "sm_x", "sm_9", "sm_90b", "sm_90aa", "avx2", "compute_80", "sm_-80"})
    EXPECT_FALSE(parseChip(text)) << text;
  std::optional<Capability> chip = parseChip("sm_120a");
  ASSERT_TRUE(chip);
  EXPECT_EQ(formatCapability(*chip), "12.0");
  EXPECT_EQ(chip->suffix, 'a');
  EXPECT_EQ(chipOf({8, 6}), "sm_86");
  EXPECT_EQ(chipOf({9, 0}), "sm_90a");
  EXPECT_LT(parseChip("sm_80")->rank(), parseChip("sm_90")->rank());
  EXPECT_LT(parseChip("sm_90")->rank(), parseChip("sm_90a")->rank());
}

/// The instruction for operands of a type that sum up in f32; empty if there is none.
static std::string instruction(const Capability &device, ElementType operands) {
  std::string found;
  for (const MatrixUnit &unit : matrixUnits(device))
    if (unit.operands == operands && unit.accumulator == ElementType::F32) {
      EXPECT_EQ(found, "") << "two rows hold for one device";
      found = unit.instruction;
    }
  return found;
}

TEST(Capability, MatrixUnits) {
  EXPECT_TRUE(matrixUnits({6, 1}).empty());
  EXPECT_EQ(instruction({7, 0}, ElementType::F16), "wmma");
  EXPECT_EQ(instruction({7, 0}, ElementType::BF16), "");
  EXPECT_EQ(instruction({7, 5}, ElementType::F16), "mma.sync");
  EXPECT_EQ(instruction({8, 9}, ElementType::BF16), "mma.sync");
  EXPECT_EQ(instruction({8, 0}, ElementType::F32), "mma.sync, TF32");
  EXPECT_EQ(instruction({9, 0}, ElementType::BF16), "wgmma");
  EXPECT_EQ(instruction({10, 0}, ElementType::F16), "tcgen05.mma");
  EXPECT_EQ(instruction({12, 0}, ElementType::F16), "mma.sync");
}

TEST(Capability, DriverThatPTXNeeds) {
  EXPECT_EQ(driverForPTX("// a comment\n.version 7.8\n.target sm_80\n"), 11080);
  EXPECT_EQ(driverForPTX(".version\t8.6"), 12070);
  EXPECT_EQ(driverForPTX(".version 9.0\n"), 13000);
  EXPECT_EQ(driverForPTX(".version 9.4\n"), 13040);
  for (const char *text : {"", ".target sm_80", ".version", ".version 8", ".version x.y", ".version 8."})
    EXPECT_EQ(driverForPTX(text), std::nullopt) << text;
}
