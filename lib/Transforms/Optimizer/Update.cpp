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
    clip();
    learningRate = addState(scalar(builder.getF32Type()), states::learningRate, constant(options.learningRate));
    updateParameters();
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

  /// Clips the gradients; reports their norm where it is asked for or known.
  void clip() {
    FloatAttr limit = f32(std::max({options.clipNorm, options.clipParameterNorm, options.clipValue}));
    auto take = [&](ValueRange clipped) { gradients.assign(clipped.begin(), clipped.end()); };
    if (options.clipNorm > 0) {
      auto clip = ClipByGlobalNormOp::create(builder, gradients, limit);
      take(clip.getClipped());
      edit.addResult(clip.getNorm(), ResultRole::Log, logs::gradientNorm);
      return;
    }
    if (options.logGradientNorm) {
      Value norm = GlobalNormOp::create(builder, gradients);
      edit.addResult(norm, ResultRole::Log, logs::gradientNorm);
    }
    if (options.clipParameterNorm > 0)
      take(ClipByNormOp::create(builder, gradients, limit).getClipped());
    if (options.clipValue > 0)
      take(ClipByValueOp::create(builder, gradients, limit).getClipped());
  }

  void updateParameters() {
    switch (options.kind) {
    case OptimizerKind::SGD:
      return updateBySGD();
    case OptimizerKind::RMSprop:
      return updateByRMSprop();
    case OptimizerKind::Adagrad:
      return updateByAdagrad();
    case OptimizerKind::Adam:
      return updateByAdam<AdamOp>("adam");
    case OptimizerKind::AdamW:
      return updateByAdam<AdamWOp>("adamw");
    case OptimizerKind::LAMB:
      return updateByAdam<LAMBOp>("lamb");
    case OptimizerKind::NAdam:
      return updateByNAdam();
    case OptimizerKind::Lion:
      return updateByLion();
    }
  }

  void updateBySGD() {
    SmallVector<Slot, 3> slots;
    if (options.momentum != 0)
      slots.push_back({"sgd.momentum", zeros()});
    updateEach(slots, [&](Value parameter, Value gradient, ValueRange old) -> Operation * {
      return SGDOp::create(builder, parameter, gradient, learningRate, old.empty() ? Value() : old[0], guard,
                           f32(options.momentum), options.nesterov ? builder.getUnitAttr() : UnitAttr(),
                           f32(options.weightDecay));
    });
  }

  void updateByRMSprop() {
    SmallVector<Slot, 3> slots = {{"rmsprop.v", zeros()}};
    if (options.centered)
      slots.push_back({"rmsprop.mean", zeros()});
    if (options.momentum != 0)
      slots.push_back({"rmsprop.momentum", zeros()});
    updateEach(slots, [&](Value parameter, Value gradient, ValueRange old) -> Operation * {
      return RMSpropOp::create(builder, parameter, gradient, old[0], learningRate, options.centered ? old[1] : Value(),
                               options.momentum != 0 ? old.back() : Value(), guard, f64(options.alpha),
                               f64(options.momentum), f64(options.epsilon), f64(options.weightDecay));
    });
  }

  void updateByAdagrad() {
    BlockArgument step = addStep("adagrad.step");
    updateEach({{"adagrad.sum", constant(options.initialAccumulatorValue)}},
               [&](Value parameter, Value gradient, ValueRange old) -> Operation * {
                 return AdagradOp::create(builder, parameter, gradient, old[0], learningRate, step, guard,
                                          f64(options.learningRateDecay), f64(options.epsilon),
                                          f64(options.weightDecay));
               });
    advance(step, "adagrad.step");
  }

  void updateByLion() {
    updateEach({{"lion.m", zeros()}}, [&](Value parameter, Value gradient, ValueRange old) -> Operation * {
      return LionOp::create(builder, parameter, gradient, old[0], learningRate, guard, f64(options.beta1),
                            f64(options.beta2), f64(options.weightDecay));
    });
  }

  template <typename AdamLikeOp> void updateByAdam(StringRef kind) {
    BlockArgument step = addStep((kind + ".step").str());
    updateEach({{(kind + ".m").str(), zeros()}, {(kind + ".v").str(), zeros()}},
               [&](Value parameter, Value gradient, ValueRange old) -> Operation * {
                 return AdamLikeOp::create(builder, parameter, gradient, old[0], old[1], learningRate, step, guard,
                                           f64(options.beta1), f64(options.beta2), f64(options.epsilon),
                                           f64(options.weightDecay));
               });
    advance(step, (kind + ".step").str());
  }

  void updateByNAdam() {
    BlockArgument step = addStep("nadam.step");
    Value before = addState(scalar(builder.getF32Type()), "nadam.momentum_product", constant(1));
    Value product =
        MomentumProductOp::create(builder, before, step, guard, f64(options.beta1), f64(options.momentumDecay));
    updateEach({{"nadam.m", zeros()}, {"nadam.v", zeros()}},
               [&](Value parameter, Value gradient, ValueRange old) -> Operation * {
                 return NAdamOp::create(builder, parameter, gradient, old[0], old[1], learningRate, step, product,
                                        guard, f64(options.beta1), f64(options.beta2), f64(options.epsilon),
                                        f64(options.weightDecay), f64(options.momentumDecay));
               });
    addNext(product, "nadam.momentum_product");
    advance(step, "nadam.step");
  }

  /// What an optimizer keeps for each parameter: its name behind the parameter's, and what it starts with.
  struct Slot {
    std::string name;
    Attribute initializer;
  };
  using MakeUpdate = function_ref<Operation *(Value parameter, Value gradient, ValueRange old)>;

  /// An op for each parameter, whose results are the next values of the parameter and of its slots.
  void updateEach(ArrayRef<Slot> slots, MakeUpdate makeUpdate) {
    for (auto [named, gradient] : llvm::zip_equal(parameters, gradients)) {
      auto [name, parameter] = named;
      builder.setLoc(parameter.getLoc());
      SmallVector<Value> old;
      for (const Slot &slot : slots)
        old.push_back(addState(parameter.getType(), (name + "/" + slot.name).str(), slot.initializer, name));
      Operation *update = makeUpdate(parameter, gradient, old);
      addNext(update->getResult(0), name);
      for (auto [slot, next] : llvm::zip_equal(slots, update->getResults().drop_front()))
        addNext(next, (name + "/" + slot.name).str());
    }
    builder.setLoc(program.getLoc());
  }

  BlockArgument addStep(StringRef name) { return addState(scalar(builder.getI64Type()), name, zeros()); }
  void advance(Value step, StringRef name) { addNext(AdvanceOp::create(builder, step, guard), name); }

  FloatAttr f32(double value) { return builder.getF32FloatAttr(static_cast<float>(value)); }
  FloatAttr f64(double value) { return builder.getF64FloatAttr(value); }
  RankedTensorType scalar(Type element) { return RankedTensorType::get({}, element); }
  Attribute zeros() { return ZerosAttr::get(builder.getContext()); }
  Attribute constant(double value) {
    return ConstantInitializerAttr::get(builder.getContext(), builder.getF64FloatAttr(value));
  }
  BlockArgument addState(Type type, StringRef name, Attribute initializer, StringRef beside = "") {
    return edit.addTrainingState(type, name, beside, initializer, builder.getLoc());
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
