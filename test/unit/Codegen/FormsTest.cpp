// Every op that a kernel may hold says what code is made of it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/IR/Forms.h"
#include "mp/Codegen/Build/Codegen.h"
#include "mp/IR/MP.h"

#include <gtest/gtest.h>

using namespace mp;

namespace {

using Names = std::vector<std::string>;

/// The ops of the dialect, with all that Codegen attaches, of which `isMissing` is true.
Names opsThat(llvm::function_ref<bool(mlir::RegisteredOperationName, KernelRole)> isMissing) {
  mlir::DialectRegistry registry;
  registry.insert<MPDialect>();
  registerCodegenDialects(registry);
  mlir::MLIRContext context(registry);
  context.loadDialect<MPDialect>();
  Names names;
  for (mlir::RegisteredOperationName op : context.getRegisteredOperationsByDialect("mp"))
    if (isMissing(op, op.getInterface<KernelOpInterface>()->getKernelRole()))
      names.push_back(op.getStringRef().str());
  return names;
}

TEST(Forms, EveryMapAndMovementHasAScalarForm) {
  EXPECT_EQ(opsThat([](mlir::RegisteredOperationName op, KernelRole role) {
              return (role == KernelRole::Map || role == KernelRole::Movement) &&
                     !op.hasInterface<ScalarFormInterface>();
            }),
            Names());
}

// Argmax, which keeps a place beside a value, has an emitter of its own.
TEST(Forms, EveryRowOpReducesOrIsExpanded) {
  EXPECT_EQ(opsThat([](mlir::RegisteredOperationName op, KernelRole role) {
              return role == KernelRole::Row && !op.hasInterface<ReductionFormInterface>() &&
                     !op.hasInterface<RowFormInterface>();
            }),
            Names{"mp.argmax"});
}

TEST(Forms, EveryPartialResultIsAReductionOfBlocks) {
  EXPECT_EQ(opsThat([](mlir::RegisteredOperationName op, KernelRole role) {
              return role == KernelRole::Partial &&
                     !(op.hasInterface<ReductionFormInterface>() && op.hasInterface<BlocksFormInterface>());
            }),
            Names());
}

// The dialect promises what Codegen attaches: no op has a form that nobody looks for.
TEST(Forms, WhatReducesIsNoMap) {
  EXPECT_EQ(opsThat([](mlir::RegisteredOperationName op, KernelRole) {
              return op.hasInterface<ScalarFormInterface>() &&
                     (op.hasInterface<ReductionFormInterface>() || op.hasInterface<RowFormInterface>());
            }),
            Names());
}

} // namespace
