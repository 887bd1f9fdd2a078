// Programs and state as the executable lists them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Pipeline/Signature.h"

#include "mp/Analysis/OpStatistics.h"

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
  entry.layout = derived.getPacked() ? derived.getPacked().getWord() : "";
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
    if (Attribute training = func.getArgAttr(index, names::training)) {
      auto beside = dyn_cast<StringAttr>(training);
      entry.training = true;
      entry.beside = beside ? beside.str() : "";
    }
    if (Attribute initializer = func.getArgAttr(index, names::initializer))
      entry.initializer = std::make_unique<InitializerT>(translateInitializer(initializer));
  }
  return entries;
}

std::vector<std::unique_ptr<ArgumentT>> translateArguments(func::FuncOp func) {
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
    argument->label = bool(func.getArgAttr(index, names::label));
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

std::unique_ptr<StatisticsT> translateStatistics(func::FuncOp func) {
  auto counted = func->getAttrOfType<StatisticsAttr>(names::statistics);
  if (!counted) // no kernels were formed: the ops still stand
    counted = countOps(func);
  auto statistics = std::make_unique<StatisticsT>();
  statistics->casts = counted.getCasts();
  for (NamedAttribute type : counted.getOps()) {
    auto &ops = statistics->ops_by_type.emplace_back(std::make_unique<OpCountT>());
    ops->type = type.getName().str();
    ops->count = cast<IntegerAttr>(type.getValue()).getInt();
  }
  return statistics;
}

} // namespace mp
