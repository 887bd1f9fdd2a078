// Success, or one line that says why not.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Base/Status.h"

#include <gtest/gtest.h>

#include <memory>

using namespace mp;

namespace {

TEST(Status, SuccessHasNoMessage) {
  EXPECT_TRUE(Status().ok());
  EXPECT_TRUE(Status::success().in("F.mpx").ok());
  EXPECT_EQ(Status().message(), "");
}

TEST(Status, ErrorsAreMadeOfPartsAndSayWhere) {
  Status status = makeError("expected ", 3, " arguments, found ", 2u);
  EXPECT_FALSE(status.ok());
  EXPECT_EQ(status.message(), "expected 3 arguments, found 2");
  EXPECT_EQ(status.in("F.mpx").message(), "F.mpx: expected 3 arguments, found 2");
}

TEST(ErrorOr, HoldsAValueOrAnError) {
  ErrorOr<std::unique_ptr<int>> value = std::make_unique<int>(4);
  ASSERT_TRUE(value);
  std::unique_ptr<int> moved = *std::move(value);
  EXPECT_EQ(*moved, 4);
  ErrorOr<std::unique_ptr<int>> failure = makeError("no");
  EXPECT_FALSE(failure);
  EXPECT_EQ(failure.message(), "no");
}

} // namespace
