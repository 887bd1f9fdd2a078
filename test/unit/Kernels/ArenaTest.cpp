// Values that share memory over time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Kernels/Memory/Arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

using namespace mp;

TEST(Arena, BytesAreUsedAgainOnceTheirValueEnded) {
  ArenaPlan plan = planArena({{100, 0, 1}, {100, 1, 2}, {100, 2, 3}});
  EXPECT_EQ(plan.offsets, (std::vector<int64_t>{0, 128, 0}));
  EXPECT_EQ(plan.bytes, 256);
}

TEST(Arena, TheSmallestHoleThatFitsIsTaken) {
  // Holes of 256, 128 and 192 bytes, kept apart by values that stay.
  ArenaPlan plan = planArena({{256, 0, 0}, {64, 0, 9}, {128, 0, 0}, {64, 0, 9}, {192, 0, 0}, {64, 0, 9}, {120, 1, 1}});
  EXPECT_EQ(plan.offsets.back(), 256 + 64);
}

TEST(Arena, HolesThatTouchAreOne) {
  ArenaPlan plan = planArena({{64, 0, 0}, {64, 0, 1}, {64, 0, 0}, {64, 0, 9}, {192, 2, 2}});
  EXPECT_EQ(plan.offsets.back(), 0);
  EXPECT_EQ(plan.bytes, 256);
}

TEST(Arena, AHoleAtTheEndGrows) {
  ArenaPlan plan = planArena({{64, 0, 9}, {64, 0, 0}, {1000, 1, 1}});
  EXPECT_EQ(plan.offsets, (std::vector<int64_t>{0, 64, 64}));
  EXPECT_EQ(plan.bytes, 64 + 1024);
}

TEST(Arena, AnEmptyValueHasABuffer) {
  ArenaPlan plan = planArena({{0, 0, 1}, {0, 0, 1}});
  EXPECT_EQ(plan.offsets, (std::vector<int64_t>{0, 64}));
}

TEST(Arena, NothingLiveAtOnceOverlaps) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<Lifetime> values;
    for (unsigned step = 0; step < 40; ++step)
      for (unsigned i = random() % 3; i > 0; --i)
        values.push_back({static_cast<int64_t>(random() % 2000), step, step + static_cast<unsigned>(random() % 10)});
    ArenaPlan plan = planArena(values);
    for (size_t a = 0; a < values.size(); ++a) {
      EXPECT_EQ(plan.offsets[a] % kBufferAlignment, 0);
      EXPECT_LE(plan.offsets[a] + values[a].bytes, plan.bytes);
      for (size_t b = 0; b < a; ++b) {
        bool apartInTime = values[a].end < values[b].begin || values[b].end < values[a].begin;
        bool apartInSpace = plan.offsets[a] + values[a].bytes <= plan.offsets[b] ||
                            plan.offsets[b] + values[b].bytes <= plan.offsets[a];
        EXPECT_TRUE(apartInTime || apartInSpace) << "values " << b << " and " << a << " of round " << round;
      }
    }
  }
}
