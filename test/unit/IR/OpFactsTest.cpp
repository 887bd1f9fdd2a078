// Every op says what passes ask of every op.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/IR/MP.h"
#include "mp/IR/ProductTiles.h"

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

// A kernel with one that says nothing is refused, whatever its blocks are.
TEST(OpFacts, EveryReductionOfTilesSaysWhichTheyAre) {
  mlir::MLIRContext context;
  context.loadDialect<MPDialect>();
  unsigned found = 0;
  for (mlir::RegisteredOperationName op : context.getRegisteredOperationsByDialect("mp")) {
    const auto *inKernels = op.getInterface<KernelOpInterface>();
    const bool isOfTiles = inKernels && inKernels->getKernelRole() == KernelRole::Tile;
    EXPECT_EQ(op.hasInterface<TileReductionInterface>(), isOfTiles) << op.getStringRef().str();
    found += isOfTiles;
  }
  EXPECT_GE(found, 3u);
}

TEST(OpFacts, EveryOpHasACategory) { EXPECT_EQ(opsWithout<PrecisionOpInterface>(), kNone); }

} // namespace
