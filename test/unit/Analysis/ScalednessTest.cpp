// The lattice of powers of the loss scale.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Analysis/Scaledness.h"

#include <gtest/gtest.h>

using namespace mp;

namespace {

const Scaledness kZero = Scaledness::zero(), kPlain = Scaledness::plain(), kMixed = Scaledness::mixed(),
                 kScaled = Scaledness::power(1, 1), kSquared = Scaledness::power(1, 2),
                 kOther = Scaledness::power(2, 1), kTwiceUnscaled = Scaledness::power(1, -1);
const Scaledness kAll[] = {kZero, kPlain, kMixed, kScaled, kSquared, kOther, kTwiceUnscaled};

std::string text(Scaledness scaledness) {
  std::string result;
  llvm::raw_string_ostream(result) << scaledness;
  return result;
}

TEST(Scaledness, JoinIsALeastUpperBound) {
  for (Scaledness a : kAll) {
    EXPECT_EQ(a.join(a), a);
    EXPECT_EQ(a.join(kZero), a);
    EXPECT_EQ(a.join(kMixed), kMixed);
    for (Scaledness b : kAll) {
      EXPECT_EQ(a.join(b), b.join(a));
      EXPECT_EQ(a.join(b).join(a), a.join(b));
      for (Scaledness c : kAll)
        EXPECT_EQ(a.join(b).join(c), a.join(b.join(c)));
    }
  }
}

TEST(Scaledness, SumsNeedOneScale) {
  EXPECT_EQ(kScaled.join(kScaled), kScaled);
  EXPECT_EQ(kScaled.join(kPlain), kMixed);
  EXPECT_EQ(kScaled.join(kOther), kMixed);
  EXPECT_EQ(kScaled.join(kSquared), kMixed);
}

TEST(Scaledness, ProductsAddPowers) {
  EXPECT_EQ(kScaled.times(kScaled), kSquared);
  EXPECT_EQ(kScaled.times(kPlain), kScaled);
  EXPECT_EQ(kPlain.times(kScaled), kScaled);
  EXPECT_EQ(kScaled.times(kTwiceUnscaled), kPlain);
  EXPECT_EQ(kScaled.times(kOther), kMixed);
  EXPECT_EQ(kScaled.times(kZero), kZero);
  EXPECT_EQ(kMixed.times(kPlain), kMixed);
}

TEST(Scaledness, UnscalingTakesOnePowerAway) {
  EXPECT_EQ(kScaled.over(kScaled), kPlain);
  EXPECT_EQ(kSquared.over(kScaled), kScaled);
  EXPECT_EQ(kPlain.over(kScaled), kTwiceUnscaled);
  EXPECT_EQ(kScaled.over(kOther), kMixed);
  EXPECT_EQ(kZero.over(kScaled), kZero);
  EXPECT_EQ(kPlain.over(kZero), kMixed);
}

TEST(Scaledness, PlainHasNoScale) {
  EXPECT_EQ(Scaledness::power(7, 0), kPlain);
  EXPECT_TRUE(kZero.isPlain());
  EXPECT_FALSE(kMixed.isPlain());
}

TEST(Scaledness, PowersEndInMixed) {
  Scaledness value = kScaled;
  for (int i = 0; i < 40; ++i)
    value = value.times(value);
  EXPECT_EQ(value, kMixed);
}

TEST(Scaledness, Text) {
  EXPECT_EQ(text(kZero), "zero");
  EXPECT_EQ(text(kPlain), "plain");
  EXPECT_EQ(text(kScaled), "scaled");
  EXPECT_EQ(text(kSquared), "scaled^2");
  EXPECT_EQ(text(kTwiceUnscaled), "unscaled too often");
  EXPECT_EQ(text(kMixed), "mixed");
}

} // namespace
