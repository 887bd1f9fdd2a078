// Which op of a training step is not finite, for C.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "CAPI/Bytes.h"
#include "CAPI/CompileRequest.h"
#include "CAPI/Status.h"
#include "CAPI/Structs.h"

#include "mp/Devices/CPU/CPUDevice.h"
#include "mp/Inspect/NonfiniteReport.h"
#include "mp/Pipeline/Model.h"

#include <cmath>
#include <mutex>

using namespace mlir;
using namespace mp;

struct MpNonfiniteFinder {
  std::string text, name;
  CompileOptions options;
  NonfiniteWatch watch;
};

/// Of the runtime's library, which hands out views.
static NamedTensor copyOf(const MpTensors *tensors, int64_t index) {
  const MpTensor tensor = mpTensorsGet(tensors, index);
  const auto *data = static_cast<const std::byte *>(tensor.data);
  return {mpTensorsName(tensors, index),
          {makeType(static_cast<ElementType>(tensor.element), {tensor.shape, tensor.shape + tensor.rank}),
           {data, data + tensor.bytes}}};
}

static NamedTensors copyOf(const MpTensors *tensors) {
  NamedTensors copies;
  for (int64_t i = 0; i < mpTensorsCount(tensors); ++i)
    copies.push_back(copyOf(tensors, i));
  return copies;
}

/// Whether floats are not all finite; one tensor is copied at a time, since nearly every step's are.
static bool isBroken(const MpTensors *tensors) {
  for (int64_t i = 0; i < mpTensorsCount(tensors); ++i)
    if (mp::isBroken({copyOf(tensors, i)}))
      return true;
  return false;
}

static StepRecord fromC(const MpStep &step) {
  auto known = [](double value) { return std::isnan(value) ? std::nullopt : std::optional(value); };
  StepRecord record;
  record.step = step.step;
  record.epoch = step.epoch;
  record.loss = step.loss;
  record.lossScale = known(step.lossScale);
  record.gradientNorm = known(step.gradientNorm);
  record.bad = step.bad;
  record.gradient = step.gradient ? step.gradient : "";
  return record;
}

MpStatus *mpNonfiniteFinderCreate(const char *text, size_t length, const char *name, const MpCompileOptions *options,
                                  MpNonfiniteFinder **finder) {
  return guarded([&]() -> Status {
    if (Status status = checkText(text, name, finder); !status.ok())
      return status;
    MpCompileOptions given = known(options);
    given.stage = given.remarks = nullptr;
    given.onDiagnostic = nullptr;
    given.onStage = nullptr;
    auto made = std::make_unique<MpNonfiniteFinder>();
    made->text.assign(text, length);
    made->name = name;
    if (Status status = readOptions(given, made->options); !status.ok())
      return status;
    *finder = made.release();
    return Status::success();
  });
}

/// What is found in a step, as JSON; empty where its ops are finite one by one.
static Status find(const MpNonfiniteFinder &finder, const StepRecord &record, const StepInputs &inputs,
                   std::string &json) {
  static std::once_flag registered; // this library's own CPU device runs the programs
  std::call_once(registered, registerCPUDevice);
  Diagnostics diagnostics(nullptr, nullptr);
  Status traced;
  auto read = [&](MLIRContext &context) { return parseModel(finder.text, finder.name, context); };
  Status parsed = withModule(read, "", diagnostics, [&](ModuleOp module) {
    ErrorOr<std::optional<NonfiniteOrigin>> origin = traceStep(module, finder.options, inputs);
    traced = origin.status();
    if (origin && *origin)
      json = nonfiniteJson(**origin, record);
    return true;
  });
  if (!parsed.ok())
    return parsed;
  return diagnostics.errors().empty() ? traced : Status::error(diagnostics.errors());
}

MpStatus *mpNonfiniteFinderSee(MpNonfiniteFinder *finder, const MpStep *step, const MpStepInputs *inputs,
                               MpBytes **found, int *goesOn) {
  return guarded([&]() -> Status {
    for (Status given : {needs(finder, "finder"), needs(step, "step"), needs(inputs, "inputs"), needs(found, "found"),
                         needs(goesOn, "goesOn")})
      if (!given.ok())
        return given;
    *found = nullptr;
    *goesOn = 1;
    const StepRecord record = fromC(known(step));
    if (!finder->watch.wants(record, ::isBroken(mpStepInputsAfter(inputs))))
      return Status::success();
    *goesOn = finder->watch.goesOn();
    StepInputs own;
    own.before = copyOf(mpStepInputsBefore(inputs));
    for (int64_t i = 0; i < mpStepInputsBatchCount(inputs); ++i)
      own.batches.push_back(copyOf(mpStepInputsBatch(inputs, i)));
    std::string json;
    if (Status status = find(*finder, record, own, json); !status.ok())
      return status;
    if (!json.empty())
      *found = new MpBytes{std::move(json), {}};
    return Status::success();
  });
}

void mpNonfiniteFinderDestroy(MpNonfiniteFinder *finder) { delete finder; }
