// Every op says what passes ask of every op.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/IR/MP.h"
#include "mp/IR/ProductTiles.h"

#include <gtest/gtest.h>

#include <set>

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

// `mp-cancel-transposes` would keep the transposes on both sides of a map that says nothing.
TEST(OpFacts, EveryMapOfAModelMayBeReorderedUnlessItIsListed) {
  // Windows of images, whose channels are last; a new dimension at the end; numbers of places in memory.
  const std::set<std::string> kKeepTheirOrder = {"mp.avg_pool", "mp.max_pool", "mp.one_hot", "mp.random_uniform"};
  mlir::MLIRContext context;
  context.loadDialect<MPDialect>();
  std::set<std::string> found;
  for (mlir::RegisteredOperationName op : context.getRegisteredOperationsByDialect("mp")) {
    const auto *inKernels = op.getInterface<KernelOpInterface>();
    const auto *derivative = op.getInterface<DerivativeOpInterface>();
    const bool isOfModels = derivative && derivative->getDifferentiability() != Differentiability::NotDifferentiable;
    if (isOfModels && inKernels->getKernelRole() == KernelRole::Map && !op.hasInterface<OrderOpInterface>())
      found.insert(op.getStringRef().str());
  }
  EXPECT_EQ(found, kKeepTheirOrder);
}

// One that says it in another type of attribute keeps it where the dimensions come in another order.
TEST(OpFacts, EveryNumberOfADimensionSaysThatItIsOne) {
  mlir::MLIRContext context;
  context.loadDialect<MPDialect>();
  unsigned count = 0;
  for (mlir::RegisteredOperationName op : context.getRegisteredOperationsByDialect("mp"))
    if (const auto *definition = op.getInterface<DefinitionOpInterface>())
      for (const AttributeSpec &spec : definition->getAttributeSpecs())
        if (spec.name == "dimension" || spec.name == "dimensions") {
          EXPECT_NE(spec.dimensions, OfDimensions::None) << op.getStringRef().str() << " " << spec.name.str();
          ++count;
        }
  EXPECT_GE(count, 15u);
}

TEST(OpFacts, EveryOpHasACategory) { EXPECT_EQ(opsWithout<PrecisionOpInterface>(), kNone); }

} // namespace
