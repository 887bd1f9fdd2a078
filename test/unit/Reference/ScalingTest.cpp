// What ops say of scaled operands is what the evaluator computes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every case of every op in f32, evaluated with operands that are twice as large: results that are said to be twice as
// large then are, to the bit.

#include "Reference/OpFunction.h"
#include "Reference/Program.h"

#include "mp/IR/MP.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>

using namespace mp;

namespace {

/// One case and what its op says.
class ScaledCase {
public:
  explicit ScaledCase(const OpCase &use)
      : instance(instantiate(use, ElementType::F32)), operands(fillOperands(use, ElementType::F32)),
        program(functionOf(instance)) {
    if (mlir::func::FuncOp function = program.func())
      op = &function.getBody().front().front();
  }

  bool isParsed() const { return op; }
  const std::string &errors() { return program.errors(); }
  mlir::Operation *getOp() { return op; }
  size_t size() const { return operands.size(); }
  Scaling of(size_t operand) {
    // Operands of the case are arguments; the op may take them in another order.
    for (mlir::OpOperand &use : op->getOpOperands())
      if (use.get() == program.func().getArgument(operand))
        return llvm::cast<ScalingOpInterface>(op).getScaling(use);
    return Scaling::Independent;
  }
  bool isReal(size_t operand) const { return isFloat(operands[operand].type.element); }

  /// The elements of all float results, with each operand times a factor of its own.
  std::vector<double> evaluateTimes(const std::vector<double> &factors) {
    std::vector<Tensor> scaled = operands;
    for (size_t i = 0; i < scaled.size(); ++i)
      if (isReal(i) && factors[i] != 1) {
        std::vector<double> values = scaled[i].reals();
        for (double &value : values)
          value *= factors[i];
        scaled[i] = Tensor::ofReals(scaled[i].type, values);
      }
    llvm::FailureOr<std::vector<Tensor>> results = evaluate(program.func(), scaled);
    std::vector<double> elements;
    if (failed(results))
      ADD_FAILURE() << program.errors();
    else
      for (const Tensor &result : *results)
        if (isFloat(result.type.element))
          llvm::append_range(elements, result.reals());
    return elements;
  }

private:
  OpInstance instance;
  std::vector<Tensor> operands;
  Program program;
  mlir::Operation *op = nullptr;
};

bool isTimes(const std::vector<double> &scaled, const std::vector<double> &plain, double factor) {
  return std::equal(scaled.begin(), scaled.end(), plain.begin(), plain.end(),
                    [&](double a, double b) { return a == b * factor || (std::isnan(a) && std::isnan(b)); });
}

/// The factors of operands that are said to double the results: with each factor and divisor of a product by itself.
std::vector<std::vector<double>> doublingFactors(ScaledCase &use) {
  std::vector<double> common(use.size(), 1.0);
  std::vector<std::pair<size_t, double>> alone;
  bool isDoubled = false;
  for (size_t i = 0; i < use.size(); ++i) {
    if (!use.isReal(i))
      continue;
    switch (use.of(i)) {
    case Scaling::Term:
    case Scaling::OwnTerm:
      common[i] = 2;
      isDoubled = true;
      break;
    case Scaling::Factor:
    case Scaling::PutsScale:
      alone.push_back({i, 2.0});
      break;
    case Scaling::Divisor:
    case Scaling::TakesScale:
      alone.push_back({i, 0.5});
      break;
    default:
      break;
    }
  }
  std::vector<std::vector<double>> ways;
  // A scale multiplies terms; a factor makes a product, which is added to them.
  const bool isAdded = llvm::any_of(llvm::seq<size_t>(0, use.size()), [&](size_t i) {
    return use.of(i) == Scaling::Factor || use.of(i) == Scaling::Divisor;
  });
  if (isDoubled && !isAdded)
    ways.push_back(common);
  for (auto [operand, factor] : alone) {
    std::vector<double> way = isAdded ? common : std::vector<double>(use.size(), 1.0);
    way[operand] = factor;
    ways.push_back(std::move(way));
  }
  return ways;
}

void forEachCase(const std::function<void(ScaledCase &, const OpCase &)> &check) {
  for (const OpCase &use : opCases()) {
    if (use.large)
      continue;
    ScaledCase scaled(use);
    SCOPED_TRACE(use.op + ": " + use.name);
    ASSERT_TRUE(scaled.isParsed()) << scaled.errors();
    check(scaled, use);
  }
}

TEST(Scaling, TermsFactorsAndDivisorsAreSo) {
  size_t checks = 0;
  forEachCase([&](ScaledCase &scaled, const OpCase &) {
    const std::vector<double> plain = scaled.evaluateTimes(std::vector<double>(scaled.size(), 1.0));
    for (const std::vector<double> &factors : doublingFactors(scaled)) {
      EXPECT_TRUE(isTimes(scaled.evaluateTimes(factors), plain, 2.0));
      ++checks;
    }
  });
  EXPECT_GT(checks, 100u);
}

// An op that is forgotten here would be safe and useless: no gradient that carries the scale may pass it.
TEST(Scaling, NothingIsNonlinearThatIsAFactor) {
  std::map<std::string, bool> isMultiple; // of each op and operand, whether in every case
  forEachCase([&](ScaledCase &scaled, const OpCase &use) {
    const std::vector<double> ones(scaled.size(), 1.0), plain = scaled.evaluateTimes(ones);
    for (size_t i = 0; i < scaled.size(); ++i) {
      if (scaled.of(i) != Scaling::Nonlinear || !scaled.isReal(i) || plain.empty())
        continue;
      std::vector<double> factors = ones;
      factors[i] = 2;
      const std::vector<double> twice = scaled.evaluateTimes(factors);
      auto [entry, isNew] = isMultiple.try_emplace(use.op + ", operand " + std::to_string(i), true);
      entry->second &= isTimes(twice, plain, 2.0) || isTimes(twice, plain, 0.5);
    }
  });
  EXPECT_GT(isMultiple.size(), 5u);
  for (const auto &[operand, multiple] : isMultiple)
    EXPECT_FALSE(multiple) << operand;
}

// Nor does a result that carries no scale of an operand change with it, but for the states of a training step.
TEST(Scaling, WhatIsIndependentDoesNotChangeResults) {
  forEachCase([&](ScaledCase &scaled, const OpCase &) {
    if (llvm::cast<PrecisionOpInterface>(scaled.getOp()).getPrecisionCategory() == PrecisionCategory::Fixed)
      return;
    std::vector<double> factors(scaled.size(), 1.0);
    const std::vector<double> plain = scaled.evaluateTimes(factors);
    for (size_t i = 0; i < scaled.size(); ++i)
      factors[i] = scaled.of(i) == Scaling::Independent ? 2 : 1;
    EXPECT_TRUE(isTimes(scaled.evaluateTimes(factors), plain, 1.0));
  });
}

} // namespace
