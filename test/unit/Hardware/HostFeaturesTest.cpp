// What of a processor code may use.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Hardware/HostFeatures.h"
#include "Hardware/Processor.h"
#include "mp/Hardware/CPULevels.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace mp;

namespace {

constexpr uint64_t kAVX = 0x6, kAVX512 = 0xE6, kTiles = 0x600E6;

/// A processor with all of leaves 1 and 7, and of subleaf 1 of this with dot products of bf16, in a process that is
/// given tiles or not. Where `tilesAsked` is said, it counts how often they are asked for.
Processor xeon(uint64_t saved, bool givesTiles, int *tilesAsked = nullptr) {
  return {[](uint32_t leaf, uint32_t subleaf) -> std::array<uint32_t, 4> {
            if (leaf == 7 && subleaf == 1)
              return {1u << 5, 0, 0, 0};
            return leaf == 1 || leaf == 7 ? std::array<uint32_t, 4>{~0u, ~0u, ~0u, ~0u} : std::array<uint32_t, 4>{};
          },
          [saved] { return saved; },
          [=] {
            if (tilesAsked)
              ++*tilesAsked;
            return givesTiles;
          }};
}

bool contains(const std::vector<std::string> &names, std::string_view name) {
  return std::ranges::count(names, name) > 0;
}

std::string_view levelOf(const FeatureNames &names) {
  return highestCPULevel([&](std::string_view feature) { return contains(names.usable, feature); }, "other").name;
}

} // namespace

TEST(HostFeatures, TilesAreUsableWhereTheSystemGivesThem) {
  int asked = 0;
  const FeatureNames names = namesOfFeatures(xeon(kTiles, true, &asked));
  EXPECT_EQ(asked, 1);
  EXPECT_TRUE(names.refused.empty());
  EXPECT_EQ(levelOf(names), "amx-bf16");
  EXPECT_EQ(describeRefusedLevel(names.usable, names.refused, "other"), "");
}

// The next best level is taken, and the reason is said.
TEST(HostFeatures, TilesThatTheSystemRefusesAreNotUsed) {
  const FeatureNames names = namesOfFeatures(xeon(kTiles, false));
  EXPECT_EQ(names.refused, (std::vector<std::string>{"amx-bf16", "amx-tile", "amx-int8"}));
  EXPECT_TRUE(std::ranges::none_of(names.refused, [&](const auto &name) { return contains(names.usable, name); }));
  EXPECT_EQ(levelOf(names), "avx512");
  EXPECT_EQ(describeRefusedLevel(names.usable, names.refused, "other"),
            "code is for cpu:avx512, not cpu:amx-bf16, since the operating system refuses this process amx-bf16, "
            "amx-tile of the processor");
  EXPECT_EQ(describeRefusedLevel(names.usable, {}, "other"), "");
}

// What the system does not save is not even asked for.
TEST(HostFeatures, RegistersThatTheSystemDoesNotSaveAreNotUsed) {
  struct Row {
    uint64_t saved;
    std::string_view level;
  };
  for (auto [saved, level] :
       {Row{0, "sse2"}, Row{kAVX, "avx2"}, Row{kAVX512, "avx512"}, Row{kTiles & ~(uint64_t(1) << 17), "avx512"},
        Row{kTiles & ~(uint64_t(1) << 18), "avx512"}}) {
    int asked = 0;
    const FeatureNames names = namesOfFeatures(xeon(saved, true, &asked));
    EXPECT_EQ(levelOf(names), level) << saved;
    EXPECT_TRUE(contains(names.refused, "amx-tile")) << saved;
    EXPECT_EQ(asked, 0) << saved;
  }
}

TEST(HostFeatures, AProcessorWithoutTilesIsNotAskedForThem) {
  int asked = 0;
  Processor processor = xeon(kTiles, true, &asked);
  processor.cpuid = [all = processor.cpuid](uint32_t leaf, uint32_t subleaf) {
    auto registers = all(leaf, subleaf);
    if (leaf == 7 && subleaf == 0)
      registers[3] = 0;
    return registers;
  };
  const FeatureNames names = namesOfFeatures(processor);
  EXPECT_EQ(asked, 0);
  EXPECT_TRUE(names.refused.empty());
  EXPECT_EQ(levelOf(names), "avx512");
}
