// The values inside a training step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Inspect/StepPrograms.h"

#include "mp/Base/Names.h"
#include "mp/IR/Program.h"
#include "mp/Reference/Tensor.h"
#include "mp/Runtime/Core/Session.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mp;

/// What runs the programs here, whatever the step itself runs on: their types are settled.
static CompileOptions optionsForCPU(CompileOptions options) {
  if (options.target != targets::cpu) {
    options.cpus.clear();
    options.allowBF16x3 = options.allowBF16x6 = options.allowBF16x9 = options.emulateTiles = false;
  }
  options.target = targets::cpu;
  options.otherTargets.clear();
  options.chips.clear();
  options.fallback.clear();
  options.allowTF32 = options.reportAccesses = false;
  options.allowFP16ReducedPrecisionReduction = options.allowBF16ReducedPrecisionReduction = std::nullopt;
  options.compileTo = Stage::Executable;
  options.dumpDirectory.clear();
  return options;
}

FailureOr<StepPrograms> StepPrograms::create(ModuleOp model, const CompileOptions &options) {
  StepPrograms step;
  step.module = model.clone();
  CompileOptions first = options;
  first.compileTo = Stage::Optimizer;
  first.dumpDirectory.clear();
  // Program `derive` alone makes derived state; without it programs cast what they read.
  first.derivedWeights = false;
  first.otherTargets.clear();
  if (failed(compile(*step.module, first)))
    return failure();
  for (ProgramKind kind : {ProgramKind::TrainStep, ProgramKind::Accumulate, ProgramKind::Apply})
    llvm::append_range(step.order, getPrograms(*step.module, kind));
  if (step.order.empty())
    return model.emitError("has no training step to look into");
  step.forCPU = optionsForCPU(options);
  return step;
}

CompileOptions mp::withScalingOf(const StepPrograms &step, CompileOptions options) {
  func::FuncOp first = step.programs().front();
  auto scaling = first->getAttrOfType<StringAttr>(names::lossScaling);
  if (scaling && options.lossScaling.mode == LossScalingMode::Auto)
    options.lossScaling.mode = scaling.getValue() == "dynamic" ? LossScalingMode::Dynamic : LossScalingMode::None;
  return options;
}

Status StepPrograms::forEachRun(const StepInputs &inputs,
                                llvm::function_ref<ErrorOr<bool>(const StepRun &)> see) const {
  std::vector<StepRun> runs;
  const bool isOne = inputs.batches.size() == 1 && getProgramKind(order.front()) == ProgramKind::TrainStep;
  for (func::FuncOp program : order) {
    const ProgramKind kind = *getProgramKind(program);
    if ((kind == ProgramKind::TrainStep) != isOne)
      continue;
    if (kind == ProgramKind::Apply)
      runs.push_back({program, inputs.batches.size(), {}, nullptr});
    else
      for (const NamedTensors &batch : inputs.batches)
        runs.push_back({program, runs.size(), {}, &batch});
  }
  NamedTensors state = inputs.before;
  for (StepRun &run : runs) {
    run.before = state;
    ErrorOr<bool> goesOn = see(run);
    if (!goesOn || !*goesOn || &run == &runs.back())
      return goesOn.status();
    if (ErrorOr<std::vector<HostTensor>> ran = runOnce(run, {}, state); !ran)
      return ran.status();
    run.before.clear();
  }
  return Status::success();
}

static uint64_t bytesOf(Value value) {
  std::optional<TensorTypeT> type = tensorTypeOf(value.getType());
  return type ? byteCount(*type).value_or(0) : 0;
}

std::vector<ArrayRef<Value>> mp::inPieces(ArrayRef<Value> values) {
  constexpr uint64_t kMostBytes = uint64_t(1) << 30;
  std::vector<ArrayRef<Value>> pieces;
  while (!values.empty()) {
    size_t count = 1;
    for (uint64_t bytes = bytesOf(values.front()); count < values.size(); ++count)
      if ((bytes += bytesOf(values[count])) > kMostBytes)
        break;
    pieces.push_back(values.take_front(count));
    values = values.drop_front(count);
  }
  return pieces;
}

Status StepPrograms::compute(const StepRun &run, ArrayRef<Value> values,
                             llvm::function_ref<void(Value, const HostTensor &)> see) const {
  NamedTensors state = run.before;
  ErrorOr<std::vector<HostTensor>> computed = runOnce(run, values, state);
  if (!computed)
    return computed.status();
  for (auto [value, tensor] : llvm::zip_equal(values, *computed))
    see(value, tensor);
  return Status::success();
}

static constexpr llvm::StringLiteral kPrefix = "value.";

/// A module of the program alone, which gives the values, too.
static OwningOpRef<ModuleOp> withResults(func::FuncOp program, ArrayRef<Value> values) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(program.getLoc());
  IRMapping mapping;
  auto copy = cast<func::FuncOp>(program->clone(mapping));
  module->push_back(copy);
  SignatureEdit edit(copy);
  for (auto [index, value] : llvm::enumerate(values))
    edit.addResult(mapping.lookup(value), ResultRole::Output, kPrefix.str() + std::to_string(index));
  edit.commit();
  return module;
}

ErrorOr<std::vector<HostTensor>> StepPrograms::runOnce(const StepRun &run, ArrayRef<Value> values,
                                                       NamedTensors &state) const {
  OwningOpRef<ModuleOp> probe = withResults(run.program, values);
  FailureOr<std::shared_ptr<const LoadedExecutable>> compiled = compileAndLoad(*probe, forCPU);
  if (failed(compiled))
    return makeError("its values cannot be computed").in("program " + func::FuncOp(run.program).getName().str());
  ErrorOr<std::unique_ptr<Device>> device = createDevice("cpu", {});
  if (!device)
    return device.status();
  ErrorOr<std::unique_ptr<Session>> session = Session::create(*compiled, std::move(*device));
  if (!session)
    return session.status();
  // State that another policy does not have, such as a loss scale, has its first value.
  if (Status initialized = (*session)->initialize(0); !initialized.ok())
    return initialized;
  NamedTensors own;
  for (const NamedTensor &entry : state)
    if ((*session)->hasState(entry.name))
      own.push_back(entry);
  if (Status set = (*session)->setState(own); !set.ok())
    return set;
  ErrorOr<NamedTensors> results =
      (*session)->run(stringifyProgramKind(*getProgramKind(run.program)), run.batch ? *run.batch : NamedTensors());
  if (!results)
    return results.status();
  for (NamedTensor &entry : state)
    if ((*session)->hasState(entry.name)) {
      ErrorOr<HostTensor> next = (*session)->state(entry.name);
      if (!next)
        return next.status();
      entry.tensor = std::move(*next);
    }
  std::vector<HostTensor> computed;
  for (NamedTensor &result : *results)
    if (StringRef(result.name).starts_with(kPrefix))
      computed.push_back(std::move(result.tensor));
  if (computed.size() != values.size())
    return makeError("gave ", computed.size(), " of ", values.size(), " values");
  return computed;
}

std::vector<Value> mp::floatResults(func::FuncOp program) {
  std::vector<Value> values;
  program.walk([&](Operation *op) {
    if (isa<func::ReturnOp>(op) || matchPattern(op, m_Constant()))
      return;
    for (Value result : op->getResults())
      if (isa<FloatType>(getElementTypeOrSelf(result.getType())))
        values.push_back(result);
  });
  return values;
}

std::string mp::describeRun(const StepRun &run) {
  const ProgramKind kind = *getProgramKind(run.program);
  return stringifyProgramKind(kind).str() +
         (kind == ProgramKind::Accumulate ? ", micro-batch " + std::to_string(run.microBatch + 1) : "");
}

bool mp::isSameRun(const StepRun &run, const StepRun &other) {
  return getProgramKind(run.program) == getProgramKind(other.program) && run.microBatch == other.microBatch;
}
