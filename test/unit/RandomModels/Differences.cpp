// Gradients against differences of the loss.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RandomModels/Check.h"

#include "Agreement/ProgramText.h"
#include "RandomModels/Values.h"

#include "mp/IR/Folds.h"
#include "mp/IR/Program.h"
#include "mp/Reference/Evaluator.h"
#include "mp/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"

#include <cmath>

using namespace mp;

namespace {

/// The model in f64, its gradients, and values for its arguments.
struct Derived {
  ProgramText forward, backward;
  mlir::func::FuncOp model, step;
  std::vector<Tensor> arguments;

  explicit Derived(const std::string &text) : forward(text), backward(text) {}
  std::optional<Finding> prepare(const RandomModel &random);
};

} // namespace

/// Runs the passes up to the gradients, or those before.
static bool runPasses(ProgramText &text, const RandomModel &model, bool withGradients) {
  if (!text.get())
    return false;
  // What says another gradient than the derivative has no difference to be compared with.
  dropGradientRules(text.get());
  mlir::PassManager passes(text.get().getContext());
  passes.addPass(createSpecializePass({model.sizes.front(), /*pad=*/false, /*otherBatches=*/{}}));
  if (withGradients)
    passes.addPass(createAutodiffPass());
  return succeeded(passes.run(text.get()));
}

std::optional<Finding> Derived::prepare(const RandomModel &random) {
  if (!runPasses(forward, random, false) || !runPasses(backward, random, true))
    return Finding{"f64: does not compile", "in f64: " + forward.errors + backward.errors};
  model = getPrograms(forward.get(), ProgramKind::Model).front();
  step = getPrograms(backward.get(), ProgramKind::TrainStep).front();
  std::mt19937_64 values(5);
  for (unsigned i = 0; i < model.getNumArguments(); ++i)
    arguments.push_back(fillInput(getArgumentName(model, i), *tensorTypeOf(model.getArgumentTypes()[i]), values));
  return std::nullopt;
}

/// The loss with parameter `index` moved by `h` in a direction.
static double lossAt(Derived &derived, unsigned index, const Tensor &direction, double h) {
  std::vector<Tensor> moved = derived.arguments;
  for (uint64_t i = 0; i < direction.count(); ++i)
    storeElement(moved[index].bytes, ElementType::F64, i, elementAt(moved[index], i) + h * elementAt(direction, i));
  llvm::FailureOr<std::vector<Tensor>> results = evaluate(derived.model, moved);
  const std::optional<unsigned> loss = findResult(derived.model, ResultRole::Loss);
  return failed(results) ? NAN : elementAt((*results)[*loss], 0);
}

std::optional<Finding> mp::checkGradients(const RandomModel &model) {
  Derived derived(model.text(/*inF64=*/true));
  if (std::optional<Finding> finding = derived.prepare(model))
    return finding;
  llvm::FailureOr<std::vector<Tensor>> gradients = evaluate(derived.step, derived.arguments);
  if (failed(gradients))
    return Finding{"f64: not evaluated", derived.backward.errors};
  std::mt19937_64 random(9);
  for (unsigned i = 0; i < derived.model.getNumArguments(); ++i) {
    if (getArgumentRole(derived.model, i) != ArgumentRole::Parameter)
      continue;
    const std::string name = getArgumentName(derived.model, i).str();
    const std::optional<unsigned> index = findResult(derived.step, ResultRole::Gradient, name);
    const Tensor direction = fillInput("", derived.arguments[i].type, random);
    double expected = 0, size = 0;
    // Without a gradient the loss does not depend on the parameter.
    for (uint64_t e = 0; index && e < direction.count(); ++e) {
      const double part = elementAt((*gradients)[*index], e) * elementAt(direction, e);
      expected += part;
      size += std::abs(part);
    }
    // At a kink the derivative is one between those to either side.
    const double h = 1e-6, here = lossAt(derived, i, direction, 0);
    const double right = (lossAt(derived, i, direction, h) - here) / h;
    const double left = (here - lossAt(derived, i, direction, -h)) / h;
    if (!std::isfinite(here) || !std::isfinite(expected))
      continue;
    const double tolerance = 1e-4 * size + 1e-7 * std::abs(here) + 1e-8 + std::abs(right - left);
    if (std::abs(expected - (left + right) / 2) > tolerance)
      return Finding{"f64: gradient", "the gradient of " + name + " along a direction is " + std::to_string(expected) +
                                          ", differences give " + std::to_string(left) + " and " +
                                          std::to_string(right)};
  }
  return std::nullopt;
}
