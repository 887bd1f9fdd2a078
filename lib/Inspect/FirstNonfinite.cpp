// Which op of a training step is the first that is not finite.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Inspect/FirstNonfinite.h"

#include "Inspect/SameOps.h"

#include "mp/Base/Names.h"
#include "mp/IR/MP.h"
#include "mp/IR/Program.h"
#include "mp/Reference/Tensor.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseSet.h"

#include <cmath>

using namespace mlir;
using namespace mp;

ValueFacts mp::factsOf(const HostTensor &tensor) {
  ValueFacts facts;
  facts.count = tensor.count();
  for (uint64_t i = 0; i < facts.count; ++i) {
    const double magnitude = std::abs(elementAt(tensor, i));
    if (std::isnan(magnitude))
      ++facts.nans;
    else if (std::isinf(magnitude))
      ++facts.infinities;
    else
      facts.largest = std::max(facts.largest, magnitude);
    facts.zeros += magnitude == 0;
  }
  return facts;
}

static bool isFloats(Value value) { return isa<FloatType>(getElementTypeOrSelf(value.getType())); }

static ValueFacts factsOf(DenseElementsAttr constant) {
  ValueFacts facts;
  facts.count = constant.size();
  for (const APFloat &element : constant.getValues<APFloat>()) {
    facts.nans += element.isNaN();
    facts.infinities += element.isInfinity();
    if (element.isFinite())
      facts.largest = std::max(facts.largest, std::abs(element.convertToDouble()));
  }
  return facts;
}

namespace {

/// One run of a program, and what its values hold.
class Trace {
public:
  explicit Trace(const StepRun &run) : run(run), program(run.program) {}

  Status compute(const StepPrograms &step);
  std::optional<NonfiniteOrigin> findOrigin();
  Operation *originOp() const { return origin ? origin.getDefiningOp() : nullptr; }
  Value originValue() const { return origin; }

  /// An infinity that an op makes of finite values, and the first result of what becomes of it that is finite and has
  /// zeros.
  struct Lost {
    Value origin, end;
  };
  /// In the order of the program.
  std::vector<Lost> findLost() const;
  NonfiniteOrigin describe(Value value) const;
  const ValueFacts &known(Value value) const { return facts.at(value); }

private:
  bool isFinite(Value value) const {
    auto known = facts.find(value);
    return known == facts.end() || known->second.isFinite();
  }
  /// What should be finite in a step.
  std::vector<std::pair<Value, std::string>> findTargets() const;
  bool isOrigin(Value value) const;
  /// Where infinities of `origin` become 0; null where they do not.
  Value findEnd(Value origin) const;

  const StepRun &run;
  mutable func::FuncOp program; // whose questions are not const
  DenseMap<Value, ValueFacts> facts;
  Value origin;
};

} // namespace

Status Trace::compute(const StepPrograms &step) {
  for (BlockArgument argument : program.getArguments()) {
    const StringRef name = getArgumentName(program, argument.getArgNumber());
    const HostTensor *tensor = findTensor(run.before, name);
    if (!tensor && run.batch)
      tensor = findTensor(*run.batch, name);
    if (tensor && isFloats(argument))
      facts[argument] = factsOf(*tensor);
  }
  program.walk([&](Operation *op) {
    DenseElementsAttr constant;
    if (matchPattern(op, m_Constant(&constant)) && isFloats(op->getResult(0)))
      facts[op->getResult(0)] = ::factsOf(constant);
  });
  const std::vector<Value> values = floatResults(program);
  for (ArrayRef<Value> piece : inPieces(values)) {
    Status computed =
        step.compute(run, piece, [&](Value value, const HostTensor &tensor) { facts[value] = mp::factsOf(tensor); });
    if (!computed.ok())
      return computed;
  }
  return Status::success();
}

std::vector<std::pair<Value, std::string>> Trace::findTargets() const {
  std::vector<std::pair<Value, std::string>> targets;
  auto consider = [&](Value value, const std::string &parameter) {
    if (!isFinite(value))
      targets.emplace_back(value, parameter);
  };
  if (Operation *check = findGradientCheck(program)) {
    const std::optional<unsigned> bad = findResult(program, ResultRole::Log, logs::bad);
    auto names = program.getResultAttrOfType<ArrayAttr>(*bad, names::logNames);
    size_t index = 0;
    for (Value operand : check->getOperands())
      if (isFloats(operand)) {
        const bool isNamed = names && index < names.size();
        consider(operand, isNamed ? cast<StringAttr>(names[index]).str() : "");
        ++index;
      }
  }
  for (unsigned i = 0; i < program.getNumResults(); ++i)
    if (const ResultRole role = getResultRole(program, i); role == ResultRole::Loss || role == ResultRole::Next)
      consider(getReturn(program).getOperand(i), "");
  return targets;
}

/// NaN of infinities is new; an infinity of an infinity is not.
bool Trace::isOrigin(Value value) const {
  Operation *op = value.getDefiningOp();
  if (!op || matchPattern(op, m_Constant()))
    return false;
  const ValueFacts &own = facts.at(value);
  bool hasNaN = false, hasInfinity = false;
  for (Value operand : op->getOperands())
    if (auto known = facts.find(operand); known != facts.end()) {
      hasNaN |= known->second.nans != 0;
      hasInfinity |= known->second.infinities != 0;
    }
  return own.nans != 0 ? !hasNaN : !hasNaN && !hasInfinity;
}

std::optional<NonfiniteOrigin> Trace::findOrigin() {
  const auto targets = findTargets();
  if (targets.empty())
    return std::nullopt;
  // Of an op that updates several things at once any result may be meant.
  llvm::DenseSet<Value> reached;
  std::vector<Value> work;
  auto reach = [&](Value value) {
    if (!isFinite(value) && reached.insert(value).second)
      work.push_back(value);
  };
  for (const auto &[value, parameter] : targets)
    reach(value);
  while (!work.empty()) {
    const Value value = work.back();
    work.pop_back();
    if (Operation *op = value.getDefiningOp())
      for (Value operand : op->getOperands())
        reach(operand);
  }
  auto isBefore = [](Value a, Value b) {
    if (a.getDefiningOp() && b.getDefiningOp())
      return a.getDefiningOp()->isBeforeInBlock(b.getDefiningOp());
    return !a.getDefiningOp() &&
           (b.getDefiningOp() || cast<BlockArgument>(a).getArgNumber() < cast<BlockArgument>(b).getArgNumber());
  };
  // An op of its own first; else where the values were before any op: arguments and constants.
  for (bool mustBeOp : {true, false}) {
    for (Value value : reached)
      if (mustBeOp ? isOrigin(value) : !value.getDefiningOp() || matchPattern(value, m_Constant()))
        if (!origin || isBefore(value, origin))
          origin = value;
    if (origin)
      break;
  }
  if (!origin)
    return std::nullopt;
  NonfiniteOrigin found = describe(origin);
  for (const auto &[value, parameter] : targets)
    if (!parameter.empty())
      found.gradients.push_back(parameter);
  return found;
}

Value Trace::findEnd(Value origin) const {
  llvm::DenseSet<Value> reached = {origin};
  std::vector<Value> work = {origin};
  while (!work.empty()) {
    const Value value = work.back();
    work.pop_back();
    for (Operation *user : value.getUsers())
      for (Value result : user->getResults())
        if (auto known = facts.find(result); known != facts.end()) {
          if (known->second.isFinite() && known->second.zeros != 0)
            return result;
          if (!known->second.isFinite() && reached.insert(result).second)
            work.push_back(result);
        }
  }
  return {};
}

std::vector<Trace::Lost> Trace::findLost() const {
  std::vector<Lost> lost;
  for (Value value : floatResults(program))
    if (!isFinite(value) && facts.at(value).nans == 0 && isOrigin(value))
      if (Value end = findEnd(value))
        lost.push_back({value, end});
  return lost;
}

NonfiniteOrigin Trace::describe(Value value) const {
  NonfiniteOrigin found(value.getLoc());
  found.run = describeRun(run);
  found.result = facts.at(value);
  llvm::raw_string_ostream(found.type) << getElementTypeOrSelf(value.getType());
  Operation *op = value.getDefiningOp();
  if (!op) {
    found.isOp = false;
    found.name = getArgumentName(program, cast<BlockArgument>(value).getArgNumber()).str();
    return found;
  }
  found.name = op->getName().getStringRef().str();
  found.part = partOf(op);
  for (Value operand : op->getOperands())
    if (auto known = facts.find(operand); known != facts.end())
      found.operands.push_back(known->second);
  if (isAutocasts(op) && !op->use_empty()) {
    // The first in the order of the step, as uses are not.
    Operation *reader =
        *llvm::min_element(op->getUsers(), [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    found.reader = reader->getName().getStringRef().str();
    found.readerLocation = reader->getLoc();
  }
  return found;
}

/// What the same ops of the step in float32 give, as far as it has such.
static ErrorOr<DenseMap<Value, ValueFacts>> askFloat32(const StepPrograms &float32, const StepInputs &inputs,
                                                       const StepRun &run, ArrayRef<Value> values) {
  DenseMap<Value, ValueFacts> found;
  const SameOps own(run.program);
  Status seen = float32.forEachRun(inputs, [&](const StepRun &other) -> ErrorOr<bool> {
    if (!isSameRun(run, other))
      return true;
    const SameOps others(other.program);
    DenseMap<Value, Value> asked;
    std::vector<Value> sames;
    for (Value value : values) {
      auto result = cast<OpResult>(value);
      Operation *same = others.find(own.keyOf(result.getOwner()));
      if (same && isFloats(same->getResult(result.getResultNumber()))) {
        sames.push_back(same->getResult(result.getResultNumber()));
        asked[sames.back()] = value;
      }
    }
    for (ArrayRef<Value> piece : inPieces(sames))
      if (Status computed = float32.compute(
              other, piece, [&](Value same, const HostTensor &tensor) { found[asked[same]] = mp::factsOf(tensor); });
          !computed.ok())
        return computed;
    return false;
  });
  if (!seen.ok())
    return seen;
  return found;
}

/// Of a cast that autocast wrote, what it is given.
static std::optional<ValueFacts> inFloat32(const NonfiniteOrigin &origin, Value value,
                                           const DenseMap<Value, ValueFacts> &asked) {
  if (isAutocasts(value.getDefiningOp()))
    return origin.operands.front();
  auto known = asked.find(value);
  return known == asked.end() ? std::nullopt : std::optional(known->second);
}

/// The first infinity that is lost although float32 has none there, and fewer zeros where it ends.
static ErrorOr<std::optional<NonfiniteOrigin>> findLost(const Trace &trace, const StepPrograms &float32,
                                                        const StepInputs &inputs, const StepRun &run) {
  const std::vector<Trace::Lost> all = trace.findLost();
  std::vector<Value> values;
  for (const Trace::Lost &lost : all)
    for (Value value : {lost.origin, lost.end})
      if (!llvm::is_contained(values, value))
        values.push_back(value);
  if (values.empty())
    return std::optional<NonfiniteOrigin>();
  ErrorOr<DenseMap<Value, ValueFacts>> asked = askFloat32(float32, inputs, run, values);
  if (!asked)
    return asked.status();
  for (const Trace::Lost &lost : all) {
    NonfiniteOrigin found = trace.describe(lost.origin);
    found.inFloat32 = inFloat32(found, lost.origin, *asked);
    const uint64_t zeros = trace.known(lost.end).zeros;
    auto end = asked->find(lost.end);
    if (!found.inFloat32 || !found.inFloat32->isFinite() || end == asked->end() || end->second.zeros >= zeros)
      continue;
    Operation *op = lost.end.getDefiningOp();
    found.end = {op->getLoc(), op->getName().getStringRef().str(), zeros, end->second.zeros};
    return std::optional(std::move(found));
  }
  return std::optional<NonfiniteOrigin>();
}

ErrorOr<std::optional<NonfiniteOrigin>> mp::findNonfinite(const StepPrograms &step, const StepPrograms &float32,
                                                          const StepInputs &inputs) {
  std::optional<NonfiniteOrigin> found;
  Status seen = step.forEachRun(inputs, [&](const StepRun &run) -> ErrorOr<bool> {
    Trace trace(run);
    if (Status computed = trace.compute(step); !computed.ok())
      return computed;
    found = trace.findOrigin();
    if (found && trace.originOp()) {
      const Value origin = trace.originValue();
      auto asked = askFloat32(float32, inputs, run, origin);
      if (!asked)
        return asked.status();
      found->inFloat32 = inFloat32(*found, origin, *asked);
    } else if (!found) {
      auto lost = findLost(trace, float32, inputs, run);
      if (!lost)
        return lost.status();
      found = std::move(*lost);
    }
    return !found;
  });
  if (!seen.ok())
    return seen;
  return found;
}
