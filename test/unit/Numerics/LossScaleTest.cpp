// Every framework's trace through one state machine.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The expected scales were recorded from the frameworks themselves: PyTorch 2.15, Keras 2 and 3,
// jmp, Paddle 3.3 (2 consecutive overflows) and DeepSpeed 0.16 (2 cumulative overflows).

#include "mp/Numerics/LossScale.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string_view>
#include <vector>

using namespace mp;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

LossScaleRule pytorch(int32_t interval) { return {.growthInterval = interval, .floor = 0.0f}; }
LossScaleRule keras(int32_t interval) { return {.growthInterval = interval, .floor = 1.0f}; }
LossScaleRule paddle(int32_t interval) { return {.growthInterval = interval, .hysteresis = 2, .floor = 1.0f}; }
LossScaleRule deepSpeed(int32_t interval) {
  return {.growthInterval = interval, .hysteresis = 2, .cumulative = true, .floor = 1.0f, .ceiling = kInfinity};
}

/// The scale after each step; X is an overflow. -1 ends a trace that gives up at the floor.
std::vector<float> trace(const LossScaleRule &rule, float scale, std::string_view steps, bool errorAtFloor = false) {
  LossScaleState state = {scale, 0, rule.hysteresis};
  std::vector<float> scales;
  for (char step : steps) {
    bool bad = step == 'X';
    if (bad && errorAtFloor && isAtLossScaleFloor(rule, state)) {
      scales.push_back(-1.0f);
      break;
    }
    state = updateLossScale(rule, state, bad);
    scales.push_back(state.scale);
  }
  return scales;
}

using Scales = std::vector<float>;

TEST(LossScale, MixedPattern) {
  const char *steps = "...X..XX..";
  Scales at1{8, 16, 16, 8, 8, 16, 8, 4, 4, 8}, at2{8, 16, 16, 16, 16, 32, 32, 16, 16, 32};
  EXPECT_EQ(trace(pytorch(2), 8, steps), at1);
  EXPECT_EQ(trace(keras(2), 8, steps), at1);
  EXPECT_EQ(trace(paddle(2), 8, steps), at2);
  EXPECT_EQ(trace(deepSpeed(2), 8, steps), at2);
}

TEST(LossScale, OverflowsInARow) {
  EXPECT_EQ(trace(pytorch(2000), 4, "XXXXX"), (Scales{2, 1, .5, .25, .125}));
  EXPECT_EQ(trace(keras(2000), 4, "XXXXX"), (Scales{2, 1, 1, 1, 1}));
  EXPECT_EQ(trace(paddle(2000), 4, "XXXXX"), (Scales{4, 2, 2, 1, 1}));
  EXPECT_EQ(trace(deepSpeed(2000), 4, "XXXXX", /*errorAtFloor=*/true), (Scales{4, 2, 1, -1}));
}

TEST(LossScale, GrowthAtTheEndOfTheRange) {
  float top = std::ldexp(1.0f, 127);
  EXPECT_EQ(trace(pytorch(1), top, ".."), (Scales{top, top}));
  EXPECT_EQ(trace(keras(1), top, ".."), (Scales{top, top}));
  EXPECT_EQ(trace(paddle(1), top, ".."), (Scales{top, top}));
  EXPECT_EQ(trace(deepSpeed(1), top, "."), (Scales{kInfinity}));
}

TEST(LossScale, OtherFactors) {
  LossScaleRule rule{.growthInterval = 2, .backoffFactor = .25f, .floor = 0.0f};
  EXPECT_EQ(trace(rule, 4, "..X"), (Scales{4, 8, 2}));
}

// Apex: 2^24 is the largest scale, and is kept.
TEST(LossScale, Ceiling) {
  LossScaleRule rule{.growthInterval = 1, .ceiling = std::ldexp(1.0f, 24)};
  float top = std::ldexp(1.0f, 24);
  EXPECT_EQ(trace(rule, top / 2, "..."), (Scales{top, top, top}));
  rule.ceiling = 3 * top / 4;
  EXPECT_EQ(trace(rule, top / 2, ".."), (Scales{rule.ceiling, rule.ceiling}));
}

// Only growth makes overflows forgotten when they accumulate; any clean step does when they must be
// in a row.
TEST(LossScale, WhatForgetsOverflows) {
  EXPECT_EQ(trace(paddle(3), 16, "X.X.X."), (Scales{16, 16, 16, 16, 16, 16}));
  EXPECT_EQ(trace(deepSpeed(3), 16, "X.X.X."), (Scales{16, 16, 8, 8, 4, 4}));
  EXPECT_EQ(trace(deepSpeed(2), 16, "X..X"), (Scales{16, 16, 32, 32}));
}

TEST(LossScale, TrackersOfEachStep) {
  LossScaleRule rule = paddle(2);
  LossScaleState state = {8, 0, rule.hysteresis};
  state = updateLossScale(rule, state, false);
  EXPECT_EQ(state, (LossScaleState{8, 1, 2}));
  state = updateLossScale(rule, state, true);
  EXPECT_EQ(state, (LossScaleState{8, 0, 1}));
  state = updateLossScale(rule, state, true);
  EXPECT_EQ(state, (LossScaleState{4, 0, 2}));
}

// Without a floor PyTorch's scale becomes 0 after 166 overflows from 65536.
TEST(LossScale, WithoutFloorTheScaleVanishes) {
  EXPECT_GT(trace(pytorch(2000), 65536, std::string(165, 'X')).back(), 0.0f);
  EXPECT_EQ(trace(pytorch(2000), 65536, std::string(166, 'X')).back(), 0.0f);
  EXPECT_EQ(trace(keras(2000), 65536, std::string(166, 'X')).back(), 1.0f);
}

} // namespace
