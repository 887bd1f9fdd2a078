// Whether every device computes a model.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RandomModels/Check.h"

#include "RandomModels/Expectation.h"
#include "RandomModels/Step.h"
#include "RandomModels/Values.h"

#include "mp/Codegen/Lower/Native/HostLevel.h"
#include "mp/Devices/CPU/CPUDevice.h"
#include "mp/Devices/SIMT/SIMTDevice.h"
#include "mp/IR/Program.h"
#include "mp/Runtime/Core/Session.h"

#include <cmath>
#include <map>
#include <regex>

using namespace mp;

/// A message without names and numbers, which change with the model.
static std::string kindOf(const std::string &message) {
  const std::string line = message.substr(0, message.find('\n'));
  return std::regex_replace(line, std::regex("[0-9]+|'[^']*'|tensor<[^>]*>|%[A-Za-z0-9_#]+"), "#");
}

bool Machine::splitsF16() const { return target == "cpu" && hostLevel().tilesBF16 && !hostLevel().tilesF16; }

namespace {

using States = std::map<std::string, HostTensor>;

/// One machine's run of a step.
class Run {
public:
  Run(TrainingStep &step, std::string where, bool splitsF16)
      : program(step.program()), where(std::move(where)), splitsF16(splitsF16) {}

  std::optional<Finding> start(std::shared_ptr<const LoadedExecutable> file, ErrorOr<std::unique_ptr<Device>> device);
  /// Runs a step and compares it with the evaluator where `compares`.
  std::optional<Finding> advance(const NamedTensors &inputs, bool compares, Seen &seen);

  States states;
  NamedTensors results; ///< of the last step

private:
  std::optional<Finding> readStates();
  void addCopies();
  std::optional<Finding> compareWithEvaluator(const NamedTensors &inputs, const States &before);
  std::optional<Finding> checkSkipped(const States &before, Seen &seen);
  std::optional<Finding> failed(const std::string &what, const std::string &text) const {
    return Finding{where + ": " + what, where + ": " + text};
  }

  mlir::func::FuncOp program;
  const std::string where;
  const bool splitsF16;
  std::unique_ptr<Session> session;
};

} // namespace

std::optional<Finding> Run::start(std::shared_ptr<const LoadedExecutable> file,
                                  ErrorOr<std::unique_ptr<Device>> device) {
  if (!device)
    return failed("no device", device.message());
  ErrorOr<std::unique_ptr<Session>> created = Session::create(std::move(file), std::move(*device));
  if (!created)
    return failed(kindOf(created.message()), created.message());
  session = std::move(*created);
  if (Status status = session->initialize(7); !status.ok())
    return failed(kindOf(status.message()), status.message());
  return readStates();
}

std::optional<Finding> Run::readStates() {
  for (const auto &entry : session->table().state) {
    ErrorOr<HostTensor> value = session->state(entry->name);
    if (!value)
      return failed("state", value.message());
    states[entry->name] = std::move(*value);
  }
  addCopies();
  return std::nullopt;
}

/// What the program reads in row-major order and the device has packed: the cast of its parameter.
void Run::addCopies() {
  auto add = [&](DerivedAttr derived, mlir::Type type) {
    auto isCopy = [&](const auto &entry) { return derived.getStateName() == entry->name; };
    if (!derived || llvm::any_of(session->table().state, isCopy))
      return;
    const HostTensor &parameter = states.at(derived.getOf().str());
    HostTensor copy = *zeroTensor(*tensorTypeOf(type));
    for (uint64_t i = 0; i < copy.count(); ++i)
      storeElement(copy.bytes, copy.type.element, i, elementAt(parameter, i));
    states[derived.getStateName().str()] = std::move(copy);
  };
  for (unsigned i = 0; i < program.getNumArguments(); ++i)
    add(getDerivedArgument(program, i), program.getArgumentTypes()[i]);
  for (unsigned i = 0; i < program.getNumResults(); ++i)
    add(getDerivedResult(program, i), program.getResultTypes()[i]);
}

std::optional<Finding> Run::advance(const NamedTensors &inputs, bool compares, Seen &seen) {
  ErrorOr<NamedTensors> given = session->run("train_step", inputs);
  if (!given)
    return failed(kindOf(given.message()), given.message());
  results = std::move(*given);
  const States before = states;
  if (std::optional<Finding> finding = readStates())
    return finding;
  if (std::optional<Finding> finding = checkSkipped(before, seen))
    return finding;
  return compares ? compareWithEvaluator(inputs, before) : std::nullopt;
}

/// A step with a gradient that is not finite writes the loss scaler's state alone.
std::optional<Finding> Run::checkSkipped(const States &before, Seen &seen) {
  ++seen.steps;
  const HostTensor *bad = findTensor(results, logs::bad);
  if (!bad || elementAt(*bad, 0) < 0)
    return std::nullopt;
  ++seen.skipped;
  for (const auto &[name, value] : states)
    if (!states::isOfScaler(name) && value.bytes != before.at(name).bytes)
      return failed("a skipped step writes state", "a skipped step writes state " + name);
  return std::nullopt;
}

std::optional<Finding> Run::compareWithEvaluator(const NamedTensors &inputs, const States &before) {
  Tensors arguments;
  for (unsigned i = 0; i < program.getNumArguments(); ++i) {
    const mlir::StringAttr state = getStateName(program, i);
    const HostTensor *value = state ? &before.at(state.str()) : findTensor(inputs, getArgumentName(program, i).str());
    arguments.push_back(Tensor{*value});
  }
  auto found = [&](unsigned index) -> const HostTensor & {
    if (const mlir::StringAttr state = getNextState(program, index))
      return states.at(state.str());
    return *findTensor(results, getResultName(program, index).str());
  };
  if (std::optional<std::string> difference = findDifference(program, arguments, found, splitsF16))
    return failed("differs", *difference);
  return std::nullopt;
}

static NamedTensors inputsOf(mlir::func::FuncOp program, uint64_t seed, bool isInfinite) {
  std::mt19937_64 random(seed);
  NamedTensors inputs;
  for (unsigned i = 0; i < program.getNumArguments(); ++i) {
    if (getArgumentRole(program, i) != ArgumentRole::Input)
      continue;
    Tensor value = fillInput(getArgumentName(program, i), *tensorTypeOf(program.getArgumentTypes()[i]), random);
    if (isInfinite && isFloat(value.type.element) && value.count() > 0)
      storeElement(value.bytes, value.type.element, value.count() / 2, INFINITY);
    inputs.push_back({getArgumentName(program, i).str(), std::move(value)});
  }
  return inputs;
}

static ErrorOr<std::unique_ptr<Device>> createMachine(const Machine &machine, unsigned threads) {
  if (machine.target == "cpu")
    return createCPUDevice({threads});
  DeviceOptions options{threads};
  options.chip = machine.chip;
  options.simulation.seed = 3;
  options.simulation.bounds = options.simulation.races = options.simulation.uninitialized = true;
  return createSIMTDevice(options);
}

static std::optional<Finding> checkMachine(const RandomModel &model, const Machine &machine, TrainingStep &step,
                                           Seen &seen) {
  const std::string where = machine.target + (machine.chip.empty() ? "" : " " + machine.chip);
  ErrorOr<CompileOptions> options = optionsFor(model, machine.target, machine.chip);
  if (!options)
    return Finding{"settings", options.message()};
  ProgramText text(step.text());
  ErrorOr<std::shared_ptr<const LoadedExecutable>> file = text.load(*options);
  if (text.get())
    seen.ops.merge(opsIn(text.get()));
  if (!file)
    return Finding{where + ": " + kindOf(file.message()), where + ": " + file.message()};
  Run run(step, where, machine.splitsF16()), other(step, where + " with 2 threads", machine.splitsF16());
  if (std::optional<Finding> finding = run.start(*file, createMachine(machine, 1)))
    return finding;
  const bool hasOther = machine.target == "cpu";
  if (hasOther)
    if (std::optional<Finding> finding = other.start(*file, createMachine(machine, 2)))
      return finding;
  for (const bool isInfinite : {false, true}) {
    const NamedTensors inputs = inputsOf(step.program(), 11 + isInfinite, isInfinite);
    if (std::optional<Finding> finding = run.advance(inputs, true, seen))
      return finding;
    if (!hasOther)
      continue;
    if (std::optional<Finding> finding = other.advance(inputs, false, seen))
      return finding;
    for (const auto &[name, value] : run.states)
      if (other.states.at(name).bytes != value.bytes)
        return Finding{"threads", "the number of threads changes bits of state " + name};
    for (size_t i = 0; i < run.results.size(); ++i)
      if (other.results[i].tensor.bytes != run.results[i].tensor.bytes)
        return Finding{"threads", "the number of threads changes bits of result " + run.results[i].name};
  }
  return std::nullopt;
}

std::optional<Finding> mp::checkModel(const RandomModel &model, const std::vector<Machine> &machines, Seen &seen) {
  ErrorOr<std::unique_ptr<TrainingStep>> step = TrainingStep::create(model, seen.ops);
  if (!step)
    return Finding{"compiler: " + kindOf(step.message()), step.message()};
  if (std::optional<Finding> finding = checkGradients(model))
    return finding;
  for (const Machine &machine : machines)
    if (std::optional<Finding> finding = checkMachine(model, machine, **step, seen))
      return finding;
  return std::nullopt;
}
