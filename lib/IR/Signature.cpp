// Verification of a program's signature.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules of docs/IR.md, section 1. MLIR's argument and result hooks see one attribute at a time; the whole is
// checked at the function, through mp.program.

#include "mp/IR/Program.h"

#include "IR/Sizes.h"
#include "mp/Base/Names.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace mp;

namespace {

enum class ValueOf {
  Name,
  Owner,
  Unit,
  Initializer,
  Derived,
  Type,
  Integer,
  Limit,
  AnyInteger,
  Number,
  Names,
  Schedule,
  Statistics
};

struct AttributeRule {
  StringLiteral attribute;
  ValueOf value;
};

/// One program's signature, checked as a whole.
class SignatureVerifier {
public:
  explicit SignatureVerifier(func::FuncOp func) : func(func) {}

  LogicalResult verify() {
    if (func.isExternal())
      return func.emitError("a program has a body");
    if (!llvm::hasSingleElement(func.getBody()))
      return func.emitError("a program is one block");
    for (BlockArgument argument : func.getArguments())
      if (failed(verifyArgument(argument)))
        return failure();
    for (unsigned i = 0; i < func.getNumResults(); ++i)
      if (failed(verifyResult(i)))
        return failure();
    return verifyDerived();
  }

private:
  InFlightDiagnostic errorAt(unsigned result) {
    auto diagnostic = func.emitError("result #");
    diagnostic << result;
    StringAttr name;
    for (StringRef role : {names::output, names::metric, names::next, names::gradient, names::log})
      if (auto found = func.getResultAttrOfType<StringAttr>(result, role))
        name = found;
    if (DerivedAttr derived = getDerivedResult(func, result))
      name = derived.getStateName();
    if (name)
      diagnostic << " (\"" << name.getValue() << "\")";
    diagnostic << ": ";
    return diagnostic;
  }

  LogicalResult verifyArgument(BlockArgument argument) {
    unsigned index = argument.getArgNumber();
    unsigned roles = 0;
    for (StringRef role : {names::input, names::parameter, names::state, names::derived, names::rowWeights})
      roles += bool(func.getArgAttr(index, role));
    if (roles != 1)
      return emitError(argument.getLoc(), "argument #")
             << index
             << " of a program: expected one of mp.input, mp.parameter, mp.state, mp.derived and mp.row_weights, found "
             << roles;
    if (failed(verifyTensor(argument.getType(),
                            [&] { return emitError(argument.getLoc(), "argument #") << index << ' '; })))
      return failure();
    ArgumentRole role = getArgumentRole(func, index);
    StringRef name = getArgumentName(func, index);
    if (!argumentNames.try_emplace(name, index).second)
      return emitError(argument.getLoc(), "argument name \"") << name << "\" is used twice";
    bool isInitialized = role == ArgumentRole::Parameter || role == ArgumentRole::State;
    bool hasInitializer = bool(func.getArgAttr(index, names::initializer));
    if (hasInitializer && !isInitialized)
      return emitError(argument.getLoc(), "only a parameter or state has mp.initializer");
    if (isInitialized && !hasInitializer && name != states::rng)
      return emitError(argument.getLoc(), "state \"") << name << "\" has no mp.initializer";
    if (func.getArgAttr(index, names::training) && (role != ArgumentRole::State || !hasInitializer))
      return emitError(argument.getLoc(), "only a state with mp.initializer has mp.training");
    if (isState(role) && !cast<RankedTensorType>(argument.getType()).hasStaticShape())
      return emitError(argument.getLoc(), "state \"") << name << "\" has an open size; only inputs follow the batch";
    auto tensor = cast<RankedTensorType>(argument.getType());
    for (int64_t i = 1; i < tensor.getRank(); ++i)
      if (tensor.isDynamicDim(i))
        return emitError(argument.getLoc(), "argument \"") << name << "\" has an open size in dimension " << i
                                                           << "; only the first dimension, the batch, may be open";
    return success();
  }

  LogicalResult verifyResult(unsigned index) {
    unsigned roles = 0;
    for (StringRef role :
         {names::loss, names::output, names::metric, names::next, names::derived, names::gradient, names::log})
      roles += bool(func.getResultAttr(index, role));
    if (roles != 1)
      return errorAt(index)
             << "expected one of mp.loss, mp.output, mp.metric, mp.next, mp.derived, mp.gradient and mp.log, found "
             << roles;
    Type type = func.getResultTypes()[index];
    if (failed(verifyTensor(type, [&] { return errorAt(index); })))
      return failure();
    ResultRole role = getResultRole(func, index);
    StringRef name = getResultName(func, index);
    // A parameter, its gradient and its next value share a name; two results of one role do not.
    std::string key = (Twine(static_cast<int>(role)) + ":" + name).str();
    if (!resultNames.try_emplace(key, index).second)
      return role == ResultRole::Loss ? errorAt(index) << "a program has one loss"
                                      : errorAt(index) << "the name is used twice for this role";
    auto tensor = cast<RankedTensorType>(type);
    switch (role) {
    case ResultRole::Loss:
      if (tensor.getRank() != 0 || !isa<Float32Type, Float64Type>(tensor.getElementType()))
        return errorAt(index) << "the loss is " << type << ", expected tensor<f32> or tensor<f64>";
      return success();
    case ResultRole::Metric:
      if (tensor.getRank() != 1 || !isa<FloatType>(tensor.getElementType()))
        return errorAt(index) << "a metric is " << type << ", expected a float for each row";
      return success();
    case ResultRole::Next:
      if (DerivedAttr derived = getDerivedResult(func, index))
        return verifyCopy(derived, tensor, [&] { return errorAt(index); }, /*needsParameter=*/true);
      [[fallthrough]];
    case ResultRole::Gradient: {
      // By the map, not findState: linear in a program of many parameters.
      auto found = argumentNames.find(name);
      ArgumentRole of = found == argumentNames.end() ? ArgumentRole::Input : getArgumentRole(func, found->second);
      if (of != ArgumentRole::Parameter && of != ArgumentRole::State)
        return errorAt(index) << "no parameter or state has this name";
      BlockArgument state = func.getArgument(found->second);
      if (state.getType() != type)
        return errorAt(index) << "has type " << type << ", the argument of this name " << state.getType();
      return success();
    }
    case ResultRole::Output:
    case ResultRole::Log:
      return success();
    }
    llvm_unreachable("unknown role");
  }

  /// Derived state is a copy of its parameter, where that is there; who writes it computes it of the parameter.
  template <typename EmitError>
  LogicalResult verifyCopy(DerivedAttr derived, RankedTensorType type, EmitError emit, bool needsParameter) {
    auto found = argumentNames.find(derived.getOf());
    bool isParameter = found != argumentNames.end() && getArgumentRole(func, found->second) == ArgumentRole::Parameter;
    if (!isParameter && (needsParameter || found != argumentNames.end()))
      return emit() << "is derived of " << derived.getOf() << ", which is not a parameter of this program";
    if (!isParameter)
      return verifyAlone(derived, type, emit);
    auto parameter = cast<RankedTensorType>(func.getArgument(found->second).getType());
    if (derived.getPacked() && parameter.getRank() < 2)
      return emit() << "lies packed, its parameter is " << parameter << ", expected a matrix or filters";
    if (derived.getStateType(parameter) != type)
      return emit() << "has type " << type << ", of its parameter " << parameter << " it is "
                    << derived.getStateType(parameter);
    return success();
  }

  /// What can be said of derived state in a program without its parameter.
  template <typename EmitError> LogicalResult verifyAlone(DerivedAttr derived, RankedTensorType type, EmitError emit) {
    auto some = RankedTensorType::get({1, 1}, derived.getType());
    RankedTensorType state = derived.getStateType(some);
    if (state.getElementType() != type.getElementType() || (derived.getPacked() && type.getRank() != state.getRank()))
      return emit() << "has type " << type << ", but is derived as " << derived.getType();
    return success();
  }

  /// What a program reads of a parameter that it writes would be of the step before.
  LogicalResult verifyDerived() {
    for (BlockArgument argument : func.getArguments()) {
      DerivedAttr derived = getDerivedArgument(func, argument.getArgNumber());
      if (!derived)
        continue;
      auto emit = [&] { return emitError(argument.getLoc(), "argument ") << derived.getStateName() << ' '; };
      if (failed(verifyCopy(derived, cast<RankedTensorType>(argument.getType()), emit, /*needsParameter=*/false)))
        return failure();
      auto key = [](StringRef name) { return (Twine(static_cast<int>(ResultRole::Next)) + ":" + name).str(); };
      if (resultNames.contains(key(derived.getOf())) && !resultNames.contains(key(derived.getStateName())))
        return emit() << "is left as it is, while the parameter that it is derived of has a next value";
    }
    return success();
  }

  /// A ranked tensor of an element type of the dialect, whose number of elements is supported.
  template <typename EmitError> LogicalResult verifyTensor(Type type, EmitError emit) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    auto isElement = [](Type element) {
      return isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(element) || element.isUnsignedInteger(8) ||
             element.isSignlessInteger(1) || element.isSignlessInteger(32) || element.isSignlessInteger(64);
    };
    if (!tensor || !isElement(tensor.getElementType()) || tensor.getEncoding())
      return emit() << "is " << type << ", expected a ranked tensor of f16, bf16, f32, f64, ui8, i32, i64 or i1";
    if (!isCountable(tensor.getShape()))
      return emit() << "is " << type << "; at most 2^48 elements are supported";
    return success();
  }

  func::FuncOp func;
  llvm::StringMap<unsigned> argumentNames, resultNames;
};

} // namespace

static LogicalResult verifyValue(Operation *op, NamedAttribute attribute, ArrayRef<AttributeRule> rules,
                                 StringRef where) {
  for (const AttributeRule &rule : rules) {
    if (attribute.getName() != rule.attribute)
      continue;
    Attribute value = attribute.getValue();
    auto expect = [&](bool fits, StringRef what) -> LogicalResult {
      if (fits)
        return success();
      return op->emitError() << where << rule.attribute << " is " << value << ", expected " << what;
    };
    switch (rule.value) {
    case ValueOf::Name:
      return expect(isa<StringAttr>(value) && !cast<StringAttr>(value).empty(), "a name in quotes");
    case ValueOf::Owner:
      return expect(isa<UnitAttr>(value) || (isa<StringAttr>(value) && !cast<StringAttr>(value).empty()),
                    "without a value or the name of what the state is kept beside");
    case ValueOf::Unit:
      return expect(isa<UnitAttr>(value), "without a value");
    case ValueOf::Initializer:
      return expect(isa<ZerosAttr, OnesAttr, ConstantInitializerAttr, NormalAttr, UniformAttr, GlorotUniformAttr,
                        GlorotNormalAttr, HeUniformAttr, HeNormalAttr>(value),
                    "an initializer such as #mp.zeros or #mp.glorot_uniform<seed = 1>");
    case ValueOf::Derived:
      return expect(isa<DerivedAttr>(value),
                    "as in #mp.derived<of = \"dense.kernel\", type = f16, layout = #mp.row_major>");
    case ValueOf::Type:
      return expect(isa<TypeAttr>(value), "a type");
    case ValueOf::Integer:
      return expect(isa<IntegerAttr>(value) && cast<IntegerAttr>(value).getInt() > 0, "an integer greater than 0");
    case ValueOf::Limit:
      return expect(isa<IntegerAttr>(value) && cast<IntegerAttr>(value).getInt() >= 0, "an integer of at least 0");
    case ValueOf::AnyInteger:
      return expect(isa<IntegerAttr>(value), "an integer");
    case ValueOf::Number:
      return expect(isa<FloatAttr>(value), "a floating-point number");
    case ValueOf::Schedule:
      return expect(isa<MmaScheduleAttr>(value) && isa<ContractionOpInterface>(op),
                    "the schedule of a matrix product on a GPU, #mp.mma<...>, on such a product");
    case ValueOf::Statistics:
      return expect(isa<StatisticsAttr>(value), "as in #mp.statistics<casts = 4, ops = {f32 = 2 : i64}>");
    case ValueOf::Names:
      return expect(isa<ArrayAttr>(value) && llvm::all_of(cast<ArrayAttr>(value), llvm::IsaPred<StringAttr>),
                    "a list of names");
    }
  }
  return op->emitError() << where << "attribute " << attribute.getName() << " is not known";
}

static constexpr AttributeRule kArgumentRules[] = {
    {names::input, ValueOf::Name},      {names::parameter, ValueOf::Name},
    {names::state, ValueOf::Name},      {names::initializer, ValueOf::Initializer},
    {names::training, ValueOf::Owner},  {names::rowWeights, ValueOf::Unit},
    {names::batched, ValueOf::Unit},    {names::scaled, ValueOf::Unit},
    {names::derived, ValueOf::Derived}, {names::label, ValueOf::Unit},
    {names::classes, ValueOf::Integer}, {names::ignoredLabel, ValueOf::AnyInteger},
};
static constexpr AttributeRule kResultRules[] = {
    {names::loss, ValueOf::Unit},      {names::output, ValueOf::Name},   {names::metric, ValueOf::Name},
    {names::next, ValueOf::Name},      {names::gradient, ValueOf::Name}, {names::log, ValueOf::Name},
    {names::logNames, ValueOf::Names}, {names::batched, ValueOf::Unit},  {names::derived, ValueOf::Derived},
};
static constexpr AttributeRule kOperationRules[] = {
    {names::batch, ValueOf::Integer},         {names::precision, ValueOf::Type},
    {names::skipLimit, ValueOf::Limit},       {names::lossScaling, ValueOf::Name},
    {names::microBatches, ValueOf::Integer},  {names::combinesRows, ValueOf::Unit},
    {names::schedule, ValueOf::Schedule},     {names::raiseErrorAtMinScale, ValueOf::Number},
    {names::statistics, ValueOf::Statistics}, {names::lowType, ValueOf::Type},
    {names::rowsInside, ValueOf::Unit},       {names::follows, ValueOf::Limit},
    {names::promoteGroup, ValueOf::Integer},  {names::listedAs, ValueOf::Name},
};

LogicalResult MPDialect::verifyRegionArgAttribute(Operation *op, unsigned, unsigned argument,
                                                  NamedAttribute attribute) {
  return verifyValue(op, attribute, kArgumentRules, ("argument #" + Twine(argument) + ": ").str());
}

LogicalResult MPDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned result,
                                                     NamedAttribute attribute) {
  return verifyValue(op, attribute, kResultRules, ("result #" + Twine(result) + ": ").str());
}

LogicalResult MPDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  if (attribute.getName() != names::program)
    return verifyValue(op, attribute, kOperationRules, "");
  auto func = dyn_cast<func::FuncOp>(op);
  auto kind = dyn_cast<StringAttr>(attribute.getValue());
  if (!func || !kind || !symbolizeProgramKind(kind))
    return op->emitError("mp.program is ")
           << attribute.getValue()
           << ", expected model, train_step, accumulate, apply, eval, infer or derive, on a function";
  return SignatureVerifier(func).verify();
}
