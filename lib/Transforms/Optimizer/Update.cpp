// Gradients to next values of the state.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Transforms/Optimizer/Update.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace mp;

Value mp::findGuard(func::FuncOp program) {
  std::optional<unsigned> index = findResult(program, ResultRole::Log, logs::bad);
  return index ? getReturn(program).getOperand(*index) : Value();
}

namespace {

/// Builds the updates of one program.
class Updates {
public:
  Updates(func::FuncOp program, const OptimizerPassOptions &options)
      : program(program), options(options), states(getStates(program)), guard(findGuard(program)), edit(program),
        builder(program.getLoc(), getReturn(program)) {}

  LogicalResult run(int64_t microBatches) {
    LogicalResult result = update(microBatches);
    edit.commit();
    return result;
  }

private:
  LogicalResult update(int64_t microBatches) {
    guardOwnStates();
    for (unsigned i = 0; i < program.getNumResults(); ++i) {
      if (getResultRole(program, i) != ResultRole::Gradient)
        continue;
      StringRef name = getResultName(program, i);
      BlockArgument parameter = states.lookup(name);
      if (!cast<RankedTensorType>(parameter.getType()).getElementType().isF32())
        return emitError(parameter.getLoc(), "parameter \"")
               << name << "\" has type " << parameter.getType() << "; an optimizer updates f32 parameters";
      parameters.push_back({name, parameter});
      gradients.push_back(edit.getResult(i));
      edit.eraseResult(i);
    }
    if (microBatches > 1)
      divideBy(microBatches);
    limitNorm();
    learningRate = addState(scalar(builder.getF32Type()), states::learningRate, constant(options.learningRate));
    options.kind == OptimizerKind::SGD ? updateBySGD() : updateByAdam();
    if (BlockArgument rng = states.lookup(states::rng); rng && !hasNext(states::rng))
      addNext(AdvanceOp::create(builder, rng, guard), states::rng);
    return success();
  }

  /// What the model itself keeps, such as running statistics, keeps its bits on a skipped step, too.
  void guardOwnStates() {
    if (!guard)
      return;
    Value isBad;
    for (unsigned i = 0; i < program.getNumResults(); ++i) {
      StringRef name = getResultName(program, i);
      if (getResultRole(program, i) != ResultRole::Next || states::isOfScaler(name))
        continue;
      if (!isBad) {
        auto zero = ConstantOp::create(builder, DenseElementsAttr::get(cast<ShapedType>(guard.getType()), int32_t(0)));
        isBad = CompareOp::create(builder, ComparePredicate::ge, guard, zero);
      }
      Value next = edit.getResult(i);
      edit.setResult(i, SelectOp::create(builder, isBad, states.lookup(name), next));
    }
  }

  void divideBy(int64_t count) {
    auto type = scalar(builder.getF32Type());
    auto value = builder.getF32FloatAttr(static_cast<float>(count));
    Value divisor = ConstantOp::create(builder, DenseElementsAttr::get(type, value));
    for (Value &gradient : gradients)
      gradient = DivOp::create(builder, gradient, divisor);
  }

  /// Clips the gradients together; reports their norm where it is asked for or known.
  void limitNorm() {
    if (options.clipNorm > 0) {
      auto clip =
          ClipByGlobalNormOp::create(builder, gradients, builder.getF32FloatAttr(static_cast<float>(options.clipNorm)));
      gradients.assign(clip.getClipped().begin(), clip.getClipped().end());
      edit.addResult(clip.getNorm(), ResultRole::Log, logs::gradientNorm);
    } else if (options.logGradientNorm) {
      Value norm = GlobalNormOp::create(builder, gradients);
      edit.addResult(norm, ResultRole::Log, logs::gradientNorm);
    }
  }

  void updateBySGD() {
    auto f32 = [&](double value) { return builder.getF32FloatAttr(static_cast<float>(value)); };
    for (auto [named, gradient] : llvm::zip_equal(parameters, gradients)) {
      auto [name, parameter] = named;
      builder.setLoc(parameter.getLoc());
      Value velocity = options.momentum == 0 ? Value() : addSlot(name, "sgd.momentum", parameter.getType());
      auto sgd = SGDOp::create(builder, parameter, gradient, learningRate, velocity, guard, f32(options.momentum),
                               options.nesterov ? builder.getUnitAttr() : UnitAttr(), f32(options.weightDecay));
      addNext(sgd.getNewParameter(), name);
      if (velocity)
        addNext(sgd.getNewVelocity(), (name + "/sgd.momentum").str());
    }
  }

  void updateByAdam() {
    StringRef kind = options.kind == OptimizerKind::Adam ? "adam" : "adamw";
    std::string stepName = (kind + ".step").str();
    BlockArgument step = addState(scalar(builder.getI64Type()), stepName, zeros());
    for (auto [named, gradient] : llvm::zip_equal(parameters, gradients)) {
      auto [name, parameter] = named;
      builder.setLoc(parameter.getLoc());
      Value m = addSlot(name, (kind + ".m").str(), parameter.getType());
      Value v = addSlot(name, (kind + ".v").str(), parameter.getType());
      ValueRange next = options.kind == OptimizerKind::Adam ? adam<AdamOp>(parameter, gradient, m, v, step)
                                                            : adam<AdamWOp>(parameter, gradient, m, v, step);
      addNext(next[0], name);
      addNext(next[1], (name + "/" + kind + ".m").str());
      addNext(next[2], (name + "/" + kind + ".v").str());
    }
    builder.setLoc(program.getLoc());
    addNext(AdvanceOp::create(builder, step, guard), stepName);
  }

  template <typename AdamLikeOp> ValueRange adam(Value parameter, Value gradient, Value m, Value v, Value step) {
    auto f64 = [&](double value) { return builder.getF64FloatAttr(value); };
    return AdamLikeOp::create(builder, parameter, gradient, m, v, learningRate, step, guard, f64(options.beta1),
                              f64(options.beta2), f64(options.epsilon), f64(options.weightDecay))
        ->getResults();
  }

  RankedTensorType scalar(Type element) { return RankedTensorType::get({}, element); }
  Attribute zeros() { return ZerosAttr::get(builder.getContext()); }
  Attribute constant(double value) {
    return ConstantInitializerAttr::get(builder.getContext(), builder.getF64FloatAttr(value));
  }
  BlockArgument addState(Type type, StringRef name, Attribute initializer) {
    return edit.addArgument(type, ArgumentRole::State, name, initializer, builder.getLoc());
  }
  BlockArgument addSlot(StringRef parameter, StringRef slot, Type type) {
    return addState(type, (parameter + "/" + slot).str(), zeros());
  }
  void addNext(Value value, StringRef name) { edit.addResult(value, ResultRole::Next, name); }
  bool hasNext(StringRef name) { return findResult(program, ResultRole::Next, name).has_value(); }

  func::FuncOp program;
  const OptimizerPassOptions &options;
  llvm::StringMap<BlockArgument> states;
  Value guard;
  SignatureEdit edit;
  ImplicitLocOpBuilder builder;
  SmallVector<std::pair<StringRef, BlockArgument>> parameters;
  SmallVector<Value> gradients;
  BlockArgument learningRate;
};

} // namespace

LogicalResult mp::addUpdates(func::FuncOp program, const OptimizerPassOptions &options, int64_t microBatches) {
  return Updates(program, options).run(microBatches);
}
