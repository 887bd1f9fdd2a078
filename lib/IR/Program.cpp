// What a function's arguments and results are.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/IR/Program.h"
#include "mp/IR/Faults.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mp;

LogicalResult DerivedAttr::verify(function_ref<InFlightDiagnostic()> emitError, StringAttr of, Type type,
                                  Attribute layout) {
  if (!of || of.empty())
    return violates(emitError(), "#" + name, 1) << "derived state is of a parameter, by its name";
  if (!isa_and_nonnull<Float16Type, BFloat16Type>(type))
    return violates(emitError(), "#" + name, 2) << "derived state is " << type << ", expected f16 or bf16";
  if (!isa_and_nonnull<RowMajorAttr, PackedAttr>(layout))
    return violates(emitError(), "#" + name, 3) << "layout is " << layout << ", expected #mp.row_major or #mp.packed";
  return success();
}

StringAttr DerivedAttr::getStateName() const {
  SmallString<64> name(getOf().getValue());
  llvm::raw_svector_ostream stream(name);
  stream << '/' << getType();
  if (PackedAttr packed = getPacked())
    stream << '@' << packed.getWord();
  return StringAttr::get(getContext(), name);
}

PackedAttr DerivedAttr::getPacked() const { return dyn_cast<PackedAttr>(getLayout()); }

RankedTensorType DerivedAttr::getStateType(RankedTensorType parameter) const {
  PackedAttr packed = getPacked();
  return packed ? packed.getPackedType(parameter, getType()) : parameter.clone(getType());
}

/// In the order of ProgramKind.
static constexpr const char *kPrograms[] = {"model",        programs::trainStep, programs::accumulate, programs::apply,
                                            programs::eval, programs::infer,     programs::derive};

StringRef mp::stringifyProgramKind(ProgramKind kind) { return kPrograms[static_cast<size_t>(kind)]; }

std::optional<ProgramKind> mp::symbolizeProgramKind(StringRef name) {
  for (auto [index, program] : llvm::enumerate(kPrograms))
    if (name == program)
      return static_cast<ProgramKind>(index);
  return std::nullopt;
}

std::optional<ProgramKind> mp::getProgramKind(func::FuncOp func) {
  auto kind = func->getAttrOfType<StringAttr>(names::program);
  return kind ? symbolizeProgramKind(kind) : std::nullopt;
}

void mp::setProgramKind(func::FuncOp func, ProgramKind kind) {
  func->setAttr(names::program, StringAttr::get(func.getContext(), stringifyProgramKind(kind)));
}

SmallVector<func::FuncOp> mp::getPrograms(ModuleOp module, ProgramKind kind) {
  return llvm::filter_to_vector(module.getOps<func::FuncOp>(),
                                [&](func::FuncOp func) { return getProgramKind(func) == kind; });
}

namespace {
template <typename Role> struct RoleName {
  Role role;
  StringLiteral attribute;
};
} // namespace

static constexpr RoleName<ArgumentRole> kArgumentRoles[] = {
    {ArgumentRole::Input, names::input},           {ArgumentRole::Parameter, names::parameter},
    {ArgumentRole::State, names::state},           {ArgumentRole::Derived, names::derived},
    {ArgumentRole::RowWeights, names::rowWeights},
};
static constexpr RoleName<ResultRole> kResultRoles[] = {
    {ResultRole::Loss, names::loss},    {ResultRole::Output, names::output},     {ResultRole::Metric, names::metric},
    {ResultRole::Next, names::next},    {ResultRole::Gradient, names::gradient}, {ResultRole::Log, names::log},
    {ResultRole::Next, names::derived},
};

template <typename Role, size_t count> static StringRef attributeOf(const RoleName<Role> (&roles)[count], Role role) {
  return llvm::find_if(roles, [&](const auto &row) { return row.role == role; })->attribute;
}

/// Unit-valued roles have a fixed name.
static StringRef nameIn(Attribute value, StringRef unitName) {
  if (auto derived = dyn_cast_or_null<DerivedAttr>(value))
    return derived.getStateName();
  auto name = dyn_cast_or_null<StringAttr>(value);
  return name ? name.getValue() : unitName;
}

ArgumentRole mp::getArgumentRole(func::FuncOp func, unsigned index) {
  for (const auto &[role, attribute] : kArgumentRoles)
    if (func.getArgAttr(index, attribute))
      return role;
  llvm_unreachable("a program's argument without a role");
}

StringRef mp::getArgumentName(func::FuncOp func, unsigned index) {
  for (const auto &[role, attribute] : kArgumentRoles)
    if (Attribute value = func.getArgAttr(index, attribute))
      return nameIn(value, "row_weights");
  llvm_unreachable("a program's argument without a role");
}

ResultRole mp::getResultRole(func::FuncOp func, unsigned index) {
  for (const auto &[role, attribute] : kResultRoles)
    if (func.getResultAttr(index, attribute))
      return role;
  llvm_unreachable("a program's result without a role");
}

StringRef mp::getResultName(func::FuncOp func, unsigned index) {
  for (const auto &[role, attribute] : kResultRoles)
    if (Attribute value = func.getResultAttr(index, attribute))
      return nameIn(value, results::loss);
  llvm_unreachable("a program's result without a role");
}

bool mp::isState(ArgumentRole role) {
  return role == ArgumentRole::Parameter || role == ArgumentRole::State || role == ArgumentRole::Derived;
}

DerivedAttr mp::getDerivedArgument(func::FuncOp func, unsigned index) {
  return func.getArgAttrOfType<DerivedAttr>(index, names::derived);
}

DerivedAttr mp::getDerivedResult(func::FuncOp func, unsigned index) {
  return func.getResultAttrOfType<DerivedAttr>(index, names::derived);
}

StringAttr mp::getNextState(func::FuncOp func, unsigned index) {
  DerivedAttr derived = getDerivedResult(func, index);
  return derived ? derived.getStateName() : func.getResultAttrOfType<StringAttr>(index, names::next);
}

StringAttr mp::getStateName(func::FuncOp func, unsigned index) {
  if (DerivedAttr derived = getDerivedArgument(func, index))
    return derived.getStateName();
  auto name = func.getArgAttrOfType<StringAttr>(index, names::state);
  return name ? name : func.getArgAttrOfType<StringAttr>(index, names::parameter);
}

BlockArgument mp::findState(func::FuncOp func, StringRef name) {
  for (BlockArgument argument : func.getArguments())
    if (StringAttr own = getStateName(func, argument.getArgNumber()); own && own == name)
      return argument;
  return {};
}

BlockArgument mp::findRowWeights(func::FuncOp func) {
  for (BlockArgument argument : func.getArguments())
    if (func.getArgAttr(argument.getArgNumber(), names::rowWeights))
      return argument;
  return {};
}

std::optional<unsigned> mp::findResult(func::FuncOp func, ResultRole role, StringRef name) {
  for (unsigned i = 0; i < func.getNumResults(); ++i)
    if (getResultRole(func, i) == role && (name.empty() || getResultName(func, i) == name))
      return i;
  return std::nullopt;
}

func::ReturnOp mp::getReturn(func::FuncOp func) { return cast<func::ReturnOp>(func.getBody().front().getTerminator()); }

llvm::StringMap<BlockArgument> mp::getStates(func::FuncOp func) {
  llvm::StringMap<BlockArgument> states;
  for (BlockArgument argument : func.getArguments())
    if (StringAttr name = getStateName(func, argument.getArgNumber()))
      states.try_emplace(name, argument);
  return states;
}

bool mp::states::isOfScaler(StringRef name) {
  static constexpr const char *kOfScaler[] = {lossScale, growthTracker, hysteresisTracker, skippedSteps,
                                              consecutiveSkips};
  return llvm::is_contained(kOfScaler, name);
}

// Changes to a signature

SignatureEdit::SignatureEdit(func::FuncOp func)
    : func(func), results(getReturn(func).getOperands()), erasedArguments(func.getNumArguments()) {
  // Every argument and result of a program has a role, so none of these is null.
  for (unsigned i = 0; i < func.getNumArguments(); ++i)
    argumentAttributes.push_back(func.getArgAttrDict(i));
  for (unsigned i = 0; i < func.getNumResults(); ++i)
    resultAttributes.push_back(func.getResultAttrDict(i));
}

BlockArgument SignatureEdit::addArgument(Type type, ArgumentRole role, StringRef name, Attribute initializer,
                                         Location loc, ArrayRef<NamedAttribute> extra) {
  Builder builder(func.getContext());
  SmallVector<NamedAttribute> attributes(extra);
  Attribute value = role == ArgumentRole::RowWeights ? Attribute(builder.getUnitAttr()) : builder.getStringAttr(name);
  attributes.push_back(builder.getNamedAttr(attributeOf(kArgumentRoles, role), value));
  if (initializer)
    attributes.push_back(builder.getNamedAttr(names::initializer, initializer));
  return append(type, loc, attributes);
}

BlockArgument SignatureEdit::addTrainingState(Type type, StringRef name, StringRef beside, Attribute initializer,
                                              Location loc, ArrayRef<NamedAttribute> extra) {
  Builder builder(func.getContext());
  SmallVector<NamedAttribute> attributes(extra);
  Attribute owner = beside.empty() ? Attribute(builder.getUnitAttr()) : builder.getStringAttr(beside);
  attributes.push_back(builder.getNamedAttr(names::training, owner));
  return addArgument(type, ArgumentRole::State, name, initializer, loc, attributes);
}

BlockArgument SignatureEdit::append(Type type, Location loc, ArrayRef<NamedAttribute> attributes) {
  argumentAttributes.push_back(DictionaryAttr::get(func.getContext(), attributes));
  erasedArguments.push_back(false);
  return func.getBody().front().addArgument(type, loc);
}

BlockArgument SignatureEdit::addDerivedArgument(DerivedAttr derived, RankedTensorType parameter, Location loc) {
  return append(derived.getStateType(parameter), loc, Builder(func.getContext()).getNamedAttr(names::derived, derived));
}

void SignatureEdit::addDerivedResult(Value value, DerivedAttr derived) {
  Builder builder(func.getContext());
  resultAttributes.push_back(builder.getDictionaryAttr(builder.getNamedAttr(names::derived, derived)));
  results.push_back(value);
}

void SignatureEdit::addResult(Value value, ResultRole role, StringRef name, ArrayRef<NamedAttribute> extra) {
  Builder builder(func.getContext());
  SmallVector<NamedAttribute> attributes(extra);
  Attribute attribute = role == ResultRole::Loss ? Attribute(builder.getUnitAttr()) : builder.getStringAttr(name);
  attributes.push_back(builder.getNamedAttr(attributeOf(kResultRoles, role), attribute));
  resultAttributes.push_back(builder.getDictionaryAttr(attributes));
  results.push_back(value);
}

void SignatureEdit::replaceAllUses(Value from, Value to) {
  from.replaceAllUsesWith(to);
  llvm::replace(results, from, to);
}

void SignatureEdit::commit() {
  Block &body = func.getBody().front();
  body.eraseArguments(erasedArguments);
  SmallVector<DictionaryAttr> keptArguments, keptResults;
  for (auto [i, attributes] : llvm::enumerate(argumentAttributes))
    if (!erasedArguments[i])
      keptArguments.push_back(attributes);
  SmallVector<Value> keptValues;
  for (auto [value, attributes] : llvm::zip_equal(results, resultAttributes)) {
    if (!value)
      continue;
    keptValues.push_back(value);
    keptResults.push_back(attributes);
  }
  getReturn(func).getOperandsMutable().assign(keptValues);
  func.setType(FunctionType::get(func.getContext(), body.getArgumentTypes(), TypeRange(ValueRange(keptValues))));
  func.setAllArgAttrs(keptArguments);
  func.setAllResultAttrs(keptResults);
  committed = true;
}

BlockArgument mp::addArgument(func::FuncOp func, Type type, ArgumentRole role, StringRef name, Attribute initializer,
                              Location loc) {
  SignatureEdit edit(func);
  BlockArgument argument = edit.addArgument(type, role, name, initializer, loc);
  edit.commit();
  return argument;
}

void mp::addResult(func::FuncOp func, Value value, ResultRole role, StringRef name, ArrayRef<NamedAttribute> extra) {
  SignatureEdit edit(func);
  edit.addResult(value, role, name, extra);
  edit.commit();
}

void mp::eraseResult(func::FuncOp func, unsigned index) {
  SignatureEdit edit(func);
  edit.eraseResult(index);
  edit.commit();
}

void mp::eraseDeadOps(func::FuncOp func) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(func.getBody().front())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

void mp::eraseUnusedArguments(func::FuncOp func, llvm::function_ref<bool(unsigned)> mayErase) {
  llvm::StringSet<> written;
  for (unsigned i = 0; i < func.getNumResults(); ++i)
    if (getResultRole(func, i) == ResultRole::Next)
      written.insert(getResultName(func, i));
  SignatureEdit edit(func);
  for (BlockArgument argument : func.getArguments()) {
    unsigned index = argument.getArgNumber();
    if (argument.use_empty() && !written.contains(getArgumentName(func, index)) && mayErase(index))
      edit.eraseArgument(index);
  }
  edit.commit();
}
