// What mp-autocast promises of any model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RandomModels/Generator.h"

#include "Agreement/ProgramText.h"

#include "mp/IR/MP.h"
#include "mp/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

using namespace mp;

namespace {

constexpr uint64_t kModels = 120;

/// The bits of each float that an op reads and gives.
using Widths = std::vector<unsigned>;

std::string textOf(mlir::ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream(text) << module;
  return text;
}

/// A random model whose ops have a name each, as their location.
class NamedModel {
public:
  explicit NamedModel(uint64_t seed) : model(generateModel(seed)), source(model.text()) {
    if (!source.get()) {
      ADD_FAILURE() << "model " << seed << ": " << source.errors;
      return;
    }
    mlir::PassManager passes(source.get().getContext());
    SpecializePassOptions specialize;
    specialize.batch = model.sizes.front();
    passes.addPass(createSpecializePass(specialize));
    EXPECT_TRUE(succeeded(passes.run(source.get()))) << source.errors;
    unsigned number = 0;
    source.get().walk([&](mlir::Operation *op) {
      auto name = mlir::StringAttr::get(op->getContext(), "op" + std::to_string(number++));
      op->setLoc(mlir::NameLoc::get(name));
    });
  }

  mlir::ModuleOp get() { return source.get(); }
  bool hasRegions() const { return !model.regions.empty(); }

  /// The policy that the model is compiled with, and another op denied.
  AutocastPassOptions options(llvm::ArrayRef<std::string> deny = {}) const {
    AutocastPassOptions options;
    for (const auto &[name, value] : model.settings)
      if (name == "policy")
        options.policy = value;
      else if (name == "type")
        options.lowType = value;
    options.deny.assign(deny.begin(), deny.end());
    return options;
  }

  /// `module` behind mp-autocast.
  mlir::OwningOpRef<mlir::ModuleOp> cast(mlir::ModuleOp module, const AutocastPassOptions &options) {
    mlir::OwningOpRef<mlir::ModuleOp> copy(module.clone());
    mlir::PassManager passes(module.getContext());
    passes.addPass(createAutocastPass(options));
    EXPECT_TRUE(succeeded(passes.run(*copy))) << source.errors;
    return copy;
  }

private:
  RandomModel model;
  ProgramText source;
};

Widths widthsOf(mlir::Operation *op) {
  Widths widths;
  auto add = [&](mlir::TypeRange types) {
    for (mlir::Type type : types)
      if (auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
          tensor && llvm::isa<mlir::FloatType>(tensor.getElementType()))
        widths.push_back(tensor.getElementTypeBitWidth());
  };
  add(op->getOperandTypes());
  add(op->getResultTypes());
  return widths;
}

/// The types of the model's ops by their names; constants, of which each low type has its own, and casts of autocast
/// have none.
std::map<std::string, Widths> typesIn(mlir::ModuleOp module) {
  std::map<std::string, Widths> types;
  module.walk([&](mlir::Operation *op) {
    auto cast = llvm::dyn_cast<CastOp>(op);
    auto name = llvm::dyn_cast<mlir::NameLoc>(op->getLoc());
    if (name && !llvm::isa<ConstantOp>(op) && !(cast && cast.getAutocast()))
      types[name.getName().str()] = widthsOf(op);
  });
  return types;
}

unsigned countCasts(mlir::ModuleOp module) {
  unsigned count = 0;
  module.walk([&](CastOp op) { count += op.getAutocast(); });
  return count;
}

/// Ops of a block in another order that their operands permit.
void shuffle(mlir::Block &block, std::mt19937_64 &random) {
  std::vector<mlir::Operation *> waiting;
  for (mlir::Operation &op : block.without_terminator())
    waiting.push_back(&op);
  std::set<mlir::Operation *> placed;
  auto isReady = [&](mlir::Operation *op) {
    return !op->walk([&](mlir::Operation *inner) {
                for (mlir::Value operand : inner->getOperands())
                  if (mlir::Operation *producer = operand.getDefiningOp())
                    if (mlir::Operation *own = block.findAncestorOpInBlock(*producer);
                        own && own != op && !placed.contains(own))
                      return mlir::WalkResult::interrupt();
                return mlir::WalkResult::advance();
              }).wasInterrupted();
  };
  while (!waiting.empty()) {
    std::vector<mlir::Operation *> ready;
    llvm::copy_if(waiting, std::back_inserter(ready), isReady);
    mlir::Operation *next = ready[random() % ready.size()];
    next->moveBefore(block.getTerminator());
    placed.insert(next);
    std::erase(waiting, next);
  }
  for (mlir::Operation &op : block)
    for (mlir::Region &region : op.getRegions())
      for (mlir::Block &inner : region)
        shuffle(inner, random);
}

/// Ops of the model that a list may name.
std::vector<std::string> listableOps(mlir::ModuleOp module) {
  std::set<std::string> names;
  module.walk([&](PrecisionOpInterface op) {
    if (op.getPrecisionCategory() != PrecisionCategory::Fixed)
      names.insert(op->getName().getStringRef().str());
  });
  return {names.begin(), names.end()};
}

} // namespace

TEST(AutocastOfRandomModels, WithEveryOpDeniedTheModelIsTheSame) {
  unsigned compared = 0;
  for (uint64_t seed = 0; seed < kModels; ++seed) {
    NamedModel model(seed);
    const std::string before = textOf(model.get());
    // A region is opened, and what the author made low is computed in f32 then.
    if (model.hasRegions() || before.find("f16") != std::string::npos)
      continue;
    ++compared;
    const auto after = model.cast(model.get(), model.options(listableOps(model.get())));
    ASSERT_EQ(textOf(*after), before) << "model " << seed;
  }
  EXPECT_GE(compared, kModels / 6);
}

TEST(AutocastOfRandomModels, ASecondRunChangesNothing) {
  unsigned changed = 0;
  for (uint64_t seed = 0; seed < kModels; ++seed) {
    NamedModel model(seed);
    const auto once = model.cast(model.get(), model.options());
    const auto twice = model.cast(*once, model.options());
    ASSERT_EQ(textOf(*twice), textOf(*once)) << "model " << seed;
    changed += countCasts(*once) != 0;
  }
  EXPECT_GE(changed, kModels / 3);
}

TEST(AutocastOfRandomModels, TheOrderOfIndependentOpsDoesNotMatter) {
  unsigned moved = 0;
  for (uint64_t seed = 0; seed < kModels; ++seed) {
    NamedModel model(seed);
    std::mt19937_64 random(seed);
    mlir::OwningOpRef<mlir::ModuleOp> other(model.get().clone());
    for (mlir::func::FuncOp func : other->getOps<mlir::func::FuncOp>())
      shuffle(func.getBody().front(), random);
    moved += textOf(*other) != textOf(model.get());
    const auto cast = model.cast(model.get(), model.options()), castOther = model.cast(*other, model.options());
    ASSERT_EQ(typesIn(*castOther), typesIn(*cast)) << "model " << seed;
    ASSERT_EQ(countCasts(*castOther), countCasts(*cast)) << "model " << seed;
  }
  EXPECT_GE(moved, kModels / 2);
}

TEST(AutocastOfRandomModels, DenyingOneMoreOpLowersNoOther) {
  unsigned widened = 0;
  for (uint64_t seed = 0; seed < kModels; ++seed) {
    NamedModel model(seed);
    const std::map<std::string, Widths> before = typesIn(*model.cast(model.get(), model.options()));
    for (const std::string &denied : listableOps(model.get())) {
      const std::map<std::string, Widths> after = typesIn(*model.cast(model.get(), model.options({denied})));
      widened += after != before;
      for (const auto &[name, widths] : after) {
        const auto found = before.find(name);
        if (found == before.end())
          continue;
        ASSERT_EQ(widths.size(), found->second.size());
        for (size_t i = 0; i < widths.size(); ++i)
          ASSERT_GE(widths[i], found->second[i]) << "model " << seed << ", " << denied << " denied, " << name;
      }
    }
  }
  EXPECT_GE(widened, kModels / 2);
}

TEST(AutocastOfRandomModels, EveryOpHasAModelledTime) {
  for (uint64_t seed = 0; seed < modelsWithEveryOp(); ++seed) {
    NamedModel model(seed);
    for (const char *features : {"avx2", "amx-bf16"}) {
      AutocastPassOptions options;
      options.policy = "auto";
      options.features = features;
      SCOPED_TRACE("model " + std::to_string(seed) + " on " + features);
      mlir::OwningOpRef<mlir::ModuleOp> once = model.cast(model.get(), options);
      EXPECT_TRUE(once && succeeded(mlir::verify(*once)));
    }
  }
}
