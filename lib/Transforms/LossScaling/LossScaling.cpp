// Keep small gradients inside a narrow type.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Transforms/Options.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "mp/IR/Program.h"
#include "llvm/ADT/DenseSet.h"

namespace mp {
#define GEN_PASS_DEF_LOSSSCALINGPASS
#include "mp/Transforms/Passes.h.inc"
} // namespace mp

using namespace mlir;
using namespace mp;

/// Whether a value that depends on the gradient seed is f16, the type whose range scaling is for.
static bool hasHalfGradients(func::FuncOp step) {
  DenseSet<Value> backward;
  for (Operation &op : step.getBody().front()) {
    bool isBackward = isa<GradientSeedOp>(op) ||
                      llvm::any_of(op.getOperands(), [&](Value operand) { return backward.contains(operand); });
    if (!isBackward)
      continue;
    for (Value result : op.getResults()) {
      // An op of another dialect may have a result that is no tensor.
      if (getElementTypeOrSelf(result).isF16())
        return true;
      backward.insert(result);
    }
  }
  return false;
}

/// The gradients that the step returns, and their names, by which an index of `bad` is told.
static std::pair<SmallVector<Value>, ArrayAttr> gatherGradients(SignatureEdit &edit, func::FuncOp step,
                                                                ArrayRef<unsigned> gradients) {
  Builder builder(step.getContext());
  SmallVector<Value> values;
  SmallVector<Attribute> gradientNames;
  for (unsigned index : gradients) {
    values.push_back(edit.getResult(index));
    gradientNames.push_back(builder.getStringAttr(getResultName(step, index)));
  }
  return {values, builder.getArrayAttr(gradientNames)};
}

static StringRef stringify(LossScalingMode mode) {
  switch (mode) {
  case LossScalingMode::Dynamic:
    return "dynamic";
  case LossScalingMode::Static:
    return "static";
  case LossScalingMode::None:
    return "none";
  case LossScalingMode::Auto:
    break;
  }
  llvm_unreachable("auto is resolved before it is written");
}

namespace {

struct LossScalingPass : mp::impl::LossScalingPassBase<LossScalingPass> {
  using Base::Base;

  void runOnOperation() override {
    if (failed(verifyOptions()) || failed(verifyDifferentiated()))
      return signalPassFailure();
    for (func::FuncOp step : getPrograms(getOperation(), ProgramKind::TrainStep))
      if (findResult(step, ResultRole::Gradient) && (failed(verifyNames(step)) || failed(runOnStep(step))))
        return signalPassFailure();
  }

private:
  LogicalResult verifyOptions();
  LogicalResult verifyDifferentiated();
  LogicalResult verifyNames(func::FuncOp step);
  LogicalResult verifySame(func::FuncOp step, StringAttr known);
  LogicalResult runOnStep(func::FuncOp step);
  LogicalResult verifyScalable(func::FuncOp step, ArrayRef<unsigned> gradients);
  LogicalResult scale(func::FuncOp step, ArrayRef<unsigned> gradients, bool isDynamic);
  void check(func::FuncOp step, ArrayRef<unsigned> gradients);
  void addUpdate(SignatureEdit &edit, OpBuilder &builder, Location loc, Value lossScale, Value bad);
  void addCheckResults(SignatureEdit &edit, OpBuilder &builder, Location loc, Value bad, ArrayAttr gradientNames);

  /// Adds the scalar state `name` that starts at `initial`.
  BlockArgument addState(SignatureEdit &edit, Type element, StringRef name, double initial, Location loc) {
    auto value = FloatAttr::get(Float64Type::get(&getContext()), initial);
    return edit.addTrainingState(RankedTensorType::get({}, element), name, /*beside=*/"",
                                 ConstantInitializerAttr::get(&getContext(), value), loc);
  }
};

/// Training finds its states by name: one of the model's own that is called so would be taken for it.
LogicalResult LossScalingPass::verifyNames(func::FuncOp step) {
  for (BlockArgument argument : step.getArguments()) {
    const unsigned index = argument.getArgNumber();
    StringAttr name = getStateName(step, index);
    if (!name || step.getArgAttr(index, names::training))
      continue;
    const bool isParameter = getArgumentRole(step, index) == ArgumentRole::Parameter;
    if (states::isOfScaler(name) || name == states::learningRate || (name == states::rng && isParameter))
      return emitError(argument.getLoc(), isParameter ? "parameter" : "state")
             << " \"" << name.getValue() << "\": training has a state of this name; call this one something else";
  }
  return success();
}

LogicalResult LossScalingPass::verifyOptions() {
  Status checked = checkOptions(LossScalingPassOptions{mode, initialScale, growthFactor, growthInterval, backoffFactor,
                                                       hysteresis, hysteresisKind, floor, ceiling, skipLimit,
                                                       raiseErrorAtMinScale, noFiniteCheck});
  if (checked.ok())
    return success();
  return emitError(UnknownLoc::get(&getContext())) << "mp-loss-scaling: " << checked.message();
}

LogicalResult LossScalingPass::verifyDifferentiated() {
  for (func::FuncOp model : getPrograms(getOperation(), ProgramKind::Model))
    return model.emitError("has no gradients to scale; run mp-autodiff before mp-loss-scaling");
  return success();
}

/// A step that is scaled stays as it is, so that the text of this stage can be compiled again.
LogicalResult LossScalingPass::verifySame(func::FuncOp step, StringAttr known) {
  if (mode == LossScalingMode::Auto || known == stringify(mode))
    return success();
  return step.emitError("has loss scaling of mode ") << known << " already, asked for \"" << stringify(mode) << '"';
}

LogicalResult LossScalingPass::runOnStep(func::FuncOp step) {
  if (auto known = step->getAttrOfType<StringAttr>(names::lossScaling))
    return verifySame(step, known);
  SmallVector<unsigned> gradients;
  for (unsigned i = 0; i < step.getNumResults(); ++i)
    if (getResultRole(step, i) == ResultRole::Gradient)
      gradients.push_back(i);

  LossScalingMode chosen = mode;
  if (chosen == LossScalingMode::Auto)
    chosen = hasHalfGradients(step) ? LossScalingMode::Dynamic : LossScalingMode::None;
  if (chosen == LossScalingMode::Dynamic && noFiniteCheck)
    return step.emitError("dynamic loss scaling works by the finite check; with no-finite-check "
                          "choose mode=static or mode=none");

  if (chosen == LossScalingMode::None) {
    if (!noFiniteCheck)
      check(step, gradients);
  } else if (failed(verifyScalable(step, gradients)) ||
             failed(scale(step, gradients, chosen == LossScalingMode::Dynamic))) {
    return failure();
  }
  Builder builder(&getContext());
  if (raiseErrorAtMinScale && chosen == LossScalingMode::Dynamic)
    step->setAttr(names::raiseErrorAtMinScale, builder.getF32FloatAttr(floor));
  step->setAttr(names::lossScaling, builder.getStringAttr(stringify(chosen)));
  if (!noFiniteCheck)
    step->setAttr(names::skipLimit, builder.getI64IntegerAttr(skipLimit));
  return success();
}

/// Scaling is in f32: the loss is, and so are the gradients of the master parameters.
LogicalResult LossScalingPass::verifyScalable(func::FuncOp step, ArrayRef<unsigned> gradients) {
  WalkResult walked = step.walk([](GradientSeedOp seed) {
    if (elementOf(seed).isF32())
      return WalkResult::advance();
    seed.emitOpError("seeds a loss of type ") << seed.getType() << "; loss scaling takes an f32 loss, or mode=none";
    return WalkResult::interrupt();
  });
  if (walked.wasInterrupted())
    return failure();
  for (unsigned index : gradients) {
    StringRef name = getResultName(step, index);
    if (!elementOf(getReturn(step).getOperand(index)).isF32())
      return emitError(findState(step, name).getLoc(), "parameter \"")
             << name << "\" has type " << step.getResultTypes()[index]
             << "; loss scaling takes f32 parameters, or mode=none";
  }
  return success();
}

/// Scales the seed, which scales every gradient, and unscales all gradients at the end.
LogicalResult LossScalingPass::scale(func::FuncOp step, ArrayRef<unsigned> gradients, bool isDynamic) {
  Location loc = step.getLoc();
  auto f32 = Float32Type::get(&getContext());
  SignatureEdit edit(step);
  BlockArgument lossScale = addState(edit, f32, states::lossScale, initialScale, loc);
  step.walk([&](GradientSeedOp seed) {
    OpBuilder builder(&getContext());
    builder.setInsertionPointAfter(seed);
    auto scaled = ScaleLossOp::create(builder, seed.getLoc(), seed, lossScale);
    edit.replaceAllUses(seed, scaled);
    scaled->setOperand(0, seed);
  });

  OpBuilder builder(getReturn(step));
  auto [values, nameList] = gatherGradients(edit, step, gradients);
  auto unscaled = UnscaleOp::create(builder, loc, values, lossScale, nameList);
  for (auto [index, value] : llvm::zip_equal(gradients, unscaled.getUnscaled()))
    edit.setResult(index, value);
  if (isDynamic)
    addUpdate(edit, builder, loc, lossScale, unscaled.getBad());
  if (!noFiniteCheck)
    addCheckResults(edit, builder, loc, unscaled.getBad(), nameList);
  edit.addResult(lossScale, ResultRole::Log, logs::lossScale);
  edit.commit();
  return success();
}

void LossScalingPass::addUpdate(SignatureEdit &edit, OpBuilder &builder, Location loc, Value lossScale, Value bad) {
  Type i32 = builder.getI32Type();
  BlockArgument growth = addState(edit, i32, states::growthTracker, 0, loc);
  BlockArgument left = addState(edit, i32, states::hysteresisTracker, hysteresis, loc);
  auto update =
      UpdateLossScaleOp::create(builder, loc, lossScale, growth, left, bad, APFloat(growthFactor), growthInterval,
                                APFloat(backoffFactor), hysteresis, hysteresisKind, APFloat(floor), APFloat(ceiling));
  edit.addResult(update.getNewScale(), ResultRole::Next, states::lossScale);
  edit.addResult(update.getNewGrowthTracker(), ResultRole::Next, states::growthTracker);
  edit.addResult(update.getNewHysteresisTracker(), ResultRole::Next, states::hysteresisTracker);
  // With the scale that the step used, this says whether an overflow could still back off.
  if (raiseErrorAtMinScale)
    edit.addResult(left, ResultRole::Log, logs::hysteresisTracker);
}

/// Counts skipped steps and tells the host which gradient was bad.
void LossScalingPass::addCheckResults(SignatureEdit &edit, OpBuilder &builder, Location loc, Value bad,
                                      ArrayAttr gradientNames) {
  BlockArgument total = addState(edit, builder.getI64Type(), states::skippedSteps, 0, loc);
  BlockArgument inARow = addState(edit, builder.getI32Type(), states::consecutiveSkips, 0, loc);
  auto counts = CountSkipsOp::create(builder, loc, total, inARow, bad);
  edit.addResult(counts.getNewTotal(), ResultRole::Next, states::skippedSteps);
  edit.addResult(counts.getNewConsecutive(), ResultRole::Next, states::consecutiveSkips);
  edit.addResult(bad, ResultRole::Log, logs::bad, builder.getNamedAttr(names::logNames, gradientNames));
}

/// The check without a scale.
void LossScalingPass::check(func::FuncOp step, ArrayRef<unsigned> gradients) {
  OpBuilder builder(getReturn(step));
  SignatureEdit edit(step);
  auto [values, nameList] = gatherGradients(edit, step, gradients);
  Value bad = CheckFiniteOp::create(builder, step.getLoc(), values, nameList);
  addCheckResults(edit, builder, step.getLoc(), bad, nameList);
  edit.commit();
}

} // namespace
