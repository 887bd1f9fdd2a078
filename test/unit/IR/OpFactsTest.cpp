// Every op says what passes ask of every op.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/IR/MP.h"

#include <gtest/gtest.h>

using namespace mp;

namespace {

/// The ops of the dialect that do not have an interface.
template <typename Interface> std::vector<std::string> opsWithout() {
  mlir::MLIRContext context;
  context.loadDialect<MPDialect>();
  std::vector<std::string> missing;
  llvm::ArrayRef<mlir::RegisteredOperationName> ops = context.getRegisteredOperationsByDialect("mp");
  EXPECT_GT(ops.size(), 50u);
  for (mlir::RegisteredOperationName op : ops)
    if (!op.hasInterface<Interface>())
      missing.push_back(op.getStringRef().str());
  return missing;
}

const std::vector<std::string> kNone;

// `mp-verify-scaledness` takes whatever passes an op that says nothing for an error of the model.
TEST(OpFacts, EveryOpSaysWhatItDoesToAScaledValue) { EXPECT_EQ(opsWithout<ScalingOpInterface>(), kNone); }

// `mp-specialize` could not tell that an op counts rows that only fill up a batch.
TEST(OpFacts, EveryOpSaysWhetherItCombinesRows) { EXPECT_EQ(opsWithout<RowsOpInterface>(), kNone); }

TEST(OpFacts, EveryOpHasACategory) { EXPECT_EQ(opsWithout<PrecisionOpInterface>(), kNone); }

} // namespace
