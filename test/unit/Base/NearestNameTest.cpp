// Which name was meant.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Base/NearestName.h"

#include "gtest/gtest.h"

#include <vector>

using namespace mp;

namespace {

TEST(NearestName, TakesTheFewestChanges) {
  const std::vector<std::string> names = {"compile", "infer", "train", "compare", "devices"};
  EXPECT_EQ(nearestName("trian", names), "train"); // two letters changed
  EXPECT_EQ(nearestName("compil", names), "compile");
  EXPECT_EQ(nearestName("device", names), "devices");
  EXPECT_EQ(nearestName("infer", names), "infer");
  EXPECT_EQ(nearestName("compale", names), "compile"); // compare is as near, and comes later
}

TEST(NearestName, IsNothingWhereNothingIsNear) {
  const std::vector<std::string> names = {"train", "mp.log"};
  EXPECT_EQ(nearestName("", names), "");
  EXPECT_EQ(nearestName("info", names), "");
  EXPECT_EQ(nearestName("mp.foo", names), ""); // the prefix does not make it nearer
  EXPECT_EQ(nearestName("mp.lig", names), "mp.log");
  EXPECT_EQ(nearestName(std::string(1 << 20, 'x'), names), "");
  EXPECT_EQ(nearestName("train", {}), "");
}

TEST(NearestName, IsSuggestedAsAQuestion) {
  const std::vector<std::string> names = {"train"};
  EXPECT_EQ(suggestName("trin", names), "; did you mean 'train'?");
  EXPECT_EQ(suggestName("info", names), "");
}

} // namespace
