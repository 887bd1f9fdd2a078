// Programs and state as the executable lists them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Pipeline/Signature.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace mp {

using namespace executable;

static ElementType translateElement(Type type) {
  return llvm::TypeSwitch<Type, ElementType>(type)
      .Case<Float16Type>([](auto) { return ElementType::F16; })
      .Case<BFloat16Type>([](auto) { return ElementType::BF16; })
      .Case<Float32Type>([](auto) { return ElementType::F32; })
      .Case<Float64Type>([](auto) { return ElementType::F64; })
      .Case<IntegerType>([](IntegerType integer) {
        switch (integer.getWidth()) {
        case 1:
          return ElementType::I1;
        case 8:
          return ElementType::UI8;
        case 32:
          return ElementType::I32;
        case 64:
          return ElementType::I64;
        }
        llvm_unreachable("no element type of the dialect");
      });
}

TensorTypeT translateType(RankedTensorType type) {
  TensorTypeT result;
  result.element = translateElement(type.getElementType());
  result.shape.assign(type.getShape().begin(), type.getShape().end());
  return result;
}

static InitializerT translateInitializer(Attribute attribute) {
  InitializerT result;
  auto set = [&](InitializerKind kind, double a, double b, int64_t seed) {
    result.kind = kind;
    result.a = a;
    result.b = b;
    result.seed = seed;
  };
  llvm::TypeSwitch<Attribute>(attribute)
      .Case<ZerosAttr>([&](auto) { set(InitializerKind::Zeros, 0, 0, 0); })
      .Case<OnesAttr>([&](auto) { set(InitializerKind::Ones, 0, 0, 0); })
      .Case<ConstantInitializerAttr>(
          [&](auto init) { set(InitializerKind::Constant, init.getValue().getValueAsDouble(), 0, 0); })
      .Case<NormalAttr>([&](auto init) {
        set(InitializerKind::Normal, init.getMean().getValueAsDouble(), init.getStddev().getValueAsDouble(),
            init.getSeed());
      })
      .Case<UniformAttr>([&](auto init) {
        set(InitializerKind::Uniform, init.getLow().getValueAsDouble(), init.getHigh().getValueAsDouble(),
            init.getSeed());
      })
      .Case<GlorotUniformAttr>([&](auto init) { set(InitializerKind::GlorotUniform, 0, 0, init.getSeed()); })
      .Case<GlorotNormalAttr>([&](auto init) { set(InitializerKind::GlorotNormal, 0, 0, init.getSeed()); })
      .Case<HeUniformAttr>([&](auto init) { set(InitializerKind::HeUniform, 0, 0, init.getSeed()); })
      .Case<HeNormalAttr>([&](auto init) { set(InitializerKind::HeNormal, 0, 0, init.getSeed()); });
  return result;
}

static StateEntryT translateDerived(DerivedAttr derived, Type type) {
  StateEntryT entry;
  entry.name = derived.getStateName().str();
  entry.type = std::make_unique<TensorTypeT>(translateType(cast<RankedTensorType>(type)));
  entry.role = StateRole::Derived;
  entry.derived_of = derived.getOf().str();
  entry.saved = false;
  return entry;
}

std::vector<StateEntryT> translateState(func::FuncOp func) {
  std::vector<StateEntryT> entries;
  // Program `derive` makes what it does not take.
  llvm::StringMap<BlockArgument> taken = getStates(func);
  for (unsigned index = 0; index < func.getNumResults(); ++index)
    if (DerivedAttr derived = getDerivedResult(func, index); derived && !taken.contains(derived.getStateName()))
      entries.push_back(translateDerived(derived, func.getResultTypes()[index]));
  for (BlockArgument argument : func.getArguments()) {
    unsigned index = argument.getArgNumber();
    ArgumentRole role = getArgumentRole(func, index);
    if (!isState(role))
      continue;
    if (DerivedAttr derived = getDerivedArgument(func, index)) {
      entries.push_back(translateDerived(derived, argument.getType()));
      continue;
    }
    StateEntryT &entry = entries.emplace_back();
    entry.name = getArgumentName(func, index).str();
    entry.type = std::make_unique<TensorTypeT>(translateType(cast<RankedTensorType>(argument.getType())));
    entry.role = role == ArgumentRole::Parameter ? StateRole::Parameter : StateRole::State;
    if (Attribute initializer = func.getArgAttr(index, names::initializer))
      entry.initializer = std::make_unique<InitializerT>(translateInitializer(initializer));
  }
  return entries;
}

/// Adds the arguments that the outputs of `func` are computed from.
static void collectNeeded(func::FuncOp func, llvm::SmallPtrSetImpl<Value> &needed) {
  SmallVector<Value> pending;
  for (auto [index, value] : llvm::enumerate(getReturn(func).getOperands()))
    if (getResultRole(func, index) == ResultRole::Output)
      pending.push_back(value);
  llvm::SmallPtrSet<Operation *, 32> seen;
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (!op)
      needed.insert(value);
    else if (seen.insert(op).second)
      op->walk([&](Operation *inner) { llvm::append_range(pending, inner->getOperands()); });
  }
}

llvm::StringSet<> findLabels(ModuleOp module) {
  llvm::StringSet<> labels;
  for (auto func : module.getOps<func::FuncOp>()) {
    if (!getProgramKind(func) || !findResult(func, ResultRole::Output))
      continue;
    llvm::SmallPtrSet<Value, 8> needed;
    collectNeeded(func, needed);
    for (BlockArgument argument : func.getArguments())
      if (getArgumentRole(func, argument.getArgNumber()) == ArgumentRole::Input && !needed.contains(argument))
        labels.insert(getArgumentName(func, argument.getArgNumber()));
  }
  return labels;
}

llvm::StringMap<int64_t> findClasses(ModuleOp module) {
  llvm::StringMap<int64_t> classes;
  module.walk([&](SoftmaxCrossEntropyOp loss) {
    Value labels = loss.getLabels();
    while (Operation *op = labels.getDefiningOp()) {
      if (!isa<CastOp, ReshapeOp>(op))
        return;
      labels = op->getOperand(0);
    }
    auto argument = cast<BlockArgument>(labels);
    auto func = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
    if (func && getProgramKind(func))
      classes[getArgumentName(func, argument.getArgNumber())] = loss.getLogits().getType().getShape().back();
  });
  return classes;
}

std::vector<std::unique_ptr<ArgumentT>> translateArguments(func::FuncOp func, const llvm::StringSet<> &labels) {
  std::vector<std::unique_ptr<ArgumentT>> arguments;
  for (BlockArgument value : func.getArguments()) {
    unsigned index = value.getArgNumber();
    ArgumentRole role = getArgumentRole(func, index);
    auto argument = std::make_unique<ArgumentT>();
    argument->name = getArgumentName(func, index).str();
    argument->type = std::make_unique<TensorTypeT>(translateType(cast<RankedTensorType>(value.getType())));
    argument->kind = isState(role)                      ? ArgumentKind::State
                     : role == ArgumentRole::RowWeights ? ArgumentKind::RowWeights
                                                        : ArgumentKind::Input;
    argument->label = role == ArgumentRole::Input && labels.contains(argument->name);
    argument->batched = bool(func.getArgAttr(index, names::batched));
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

static ResultKind translateRole(ResultRole role) {
  switch (role) {
  case ResultRole::Loss:
    return ResultKind::Loss;
  case ResultRole::Output:
    return ResultKind::Output;
  case ResultRole::Metric:
    return ResultKind::Metric;
  case ResultRole::Next:
    return ResultKind::Next;
  case ResultRole::Gradient:
    return ResultKind::Gradient;
  case ResultRole::Log:
    return ResultKind::Log;
  }
  llvm_unreachable("unknown role");
}

std::vector<std::unique_ptr<ResultT>> translateResults(func::FuncOp func) {
  std::vector<std::unique_ptr<ResultT>> results;
  for (unsigned index = 0; index < func.getNumResults(); ++index) {
    auto result = std::make_unique<ResultT>();
    result->name = getResultName(func, index).str();
    result->type = std::make_unique<TensorTypeT>(translateType(cast<RankedTensorType>(func.getResultTypes()[index])));
    result->kind = translateRole(getResultRole(func, index));
    result->batched = bool(func.getResultAttr(index, names::batched));
    if (auto list = func.getResultAttrOfType<ArrayAttr>(index, names::logNames))
      for (StringAttr name : list.getAsRange<StringAttr>())
        result->names.push_back(name.str());
    results.push_back(std::move(result));
  }
  return results;
}

} // namespace mp
