// No gradient is used with the scale in it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Transforms/Passes.h"

#include "mp/Analysis/Scaledness.h"
#include "mp/IR/Program.h"

namespace mp {
#define GEN_PASS_DEF_VERIFYSCALEDNESSPASS
#include "mp/Transforms/Passes.h.inc"
} // namespace mp

using namespace mlir;
using namespace mp;

/// What is wrong with a value that should be plain.
static std::string explain(Scaledness scaledness) {
  if (scaledness.isMixed())
    return "depends on the loss scale in another way than by a factor";
  if (scaledness.getPower() < 0)
    return "is unscaled more often than it is scaled";
  if (scaledness.getPower() == 1)
    return "still carries the loss scale";
  return "carries the loss scale " + std::to_string(scaledness.getPower()) + " times";
}

namespace {
struct VerifyScalednessPass : mp::impl::VerifyScalednessPassBase<VerifyScalednessPass> {
  using Base::Base;

  void runOnOperation() override {
    func::FuncOp func = getOperation();
    if (func.isExternal())
      return;
    states.clear();
    ScalednessAnalysis analysis(func);
    bool failed = false;
    func.walk([&](Operation *op) { failed |= !verifyOp(op, analysis); });
    if (getProgramKind(func))
      for (unsigned i = 0; i < func.getNumResults(); ++i)
        failed |= !verifyResult(func, i, analysis);
    if (failed)
      signalPassFailure();
    markAllAnalysesPreserved();
  }

private:
  bool expectPlain(Operation *op, ValueRange gradients, StringRef before, const ScalednessAnalysis &analysis) {
    for (auto [index, gradient] : llvm::enumerate(gradients)) {
      Scaledness scaledness = analysis.of(gradient);
      if (scaledness.isPlain())
        continue;
      InFlightDiagnostic diagnostic = op->emitOpError(before);
      if (gradients.size() > 1)
        diagnostic << " #" << index;
      diagnostic << ' ' << explain(scaledness);
      if (Operation *source = gradient.getDefiningOp())
        diagnostic.attachNote(source->getLoc()) << "made here";
      return false;
    }
    return true;
  }

  /// Optimizers and norms see gradients without the scale.
  bool verifyOp(Operation *op, const ScalednessAnalysis &analysis) {
    auto scaling = dyn_cast<ScalingOpInterface>(op);
    if (!scaling)
      return true;
    SmallVector<Value> gradients;
    for (OpOperand &operand : op->getOpOperands())
      if (scaling.getScaling(operand) == Scaling::Unscaled)
        gradients.push_back(operand.get());
    StringRef before =
        isa<GuardedOpInterface>(op) ? "updates a parameter by a gradient that" : "comes before unscaling: its gradient";
    return expectPlain(op, gradients, before, analysis);
  }

  /// A gradient for the optimizer is unscaled; a state that holds scaled sums stays scaled, and every other is plain.
  bool verifyResult(func::FuncOp func, unsigned index, const ScalednessAnalysis &analysis) {
    Value value = getReturn(func).getOperand(index);
    StringRef name = getResultName(func, index);
    ResultRole role = getResultRole(func, index);
    if ((role != ResultRole::Gradient && role != ResultRole::Next) || states::isOfScaler(name))
      return true;
    Scaledness scaledness = analysis.of(value), expected = Scaledness::plain();
    BlockArgument state = getState(name); // null of derived state that is made anew
    bool isSum = state && role == ResultRole::Next && func.getArgAttr(state.getArgNumber(), names::scaled);
    if (isSum)
      expected = analysis.of(state);
    if (scaledness == expected || scaledness.isZero())
      return true;
    Location loc = value.getDefiningOp() ? value.getLoc() : func.getLoc();
    InFlightDiagnostic diagnostic =
        emitError(loc) << (role == ResultRole::Gradient ? "gradient of \"" : "next value of \"") << name << "\" ";
    diagnostic << (isSum ? "is not scaled as the sum that it is added to" : explain(scaledness));
    return false;
  }

  /// The argument of that name or null, looked up in one map per function.
  BlockArgument getState(StringRef name) {
    if (states.empty())
      states = getStates(getOperation());
    return states.lookup(name);
  }

  llvm::StringMap<BlockArgument> states;
};
} // namespace
