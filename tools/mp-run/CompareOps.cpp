// mp-run compare --ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp-run/CompareOps.h"

#include "mp-run/CompileFlags.h"
#include "mp-run/RunFlags.h"
#include "mp-run/TextTable.h"

#include "mp/Analysis/Place.h"
#include "mp/Base/WholeFile.h"
#include "mp/Inspect/OpDifferences.h"
#include "mp/Training/StepInputs.h"
#include "mp/Training/Trainer.h"

#include "mlir/IR/BuiltinOps.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <iostream>

using namespace mlir;
using Json = nlohmann::ordered_json;

namespace mp {

static std::string number(double value) {
  std::ostringstream text;
  text.precision(3);
  text << value;
  return text.str();
}

/// What the first step of the first variant is given.
static StepInputs takeFirstInputs(const std::string &model, const CompileOptions &options, TrainOptions training) {
  std::unique_ptr<Session> session =
      createSession(loadOrCompile(model, options), training.device, deviceOptionsOf(training));
  training.epochs.reset();
  training.steps = 1;
  training.quiet = true;
  training.batchSize = options.specialize.batch;
  training.accumulate = options.optimizer.accumulate;
  StepInputs inputs;
  training.onInputs = [&](const StepRecord &, const StepInputs &given) -> ErrorOr<bool> {
    inputs = given;
    return false;
  };
  check(train(*session, training).status());
  return inputs;
}

static std::string typesOf(const OpDifference &op) {
  return op.type == op.otherType ? op.type : op.type + ", " + op.otherType;
}

static void print(std::ostream &os, StringRef reference, StringRef variant, double tolerance,
                  ArrayRef<OpDifference> ops) {
  os << variant.str() << " against " << reference.str() << ", the first step: ";
  const auto *first = llvm::find_if(ops, [&](const OpDifference &op) { return op.relative > tolerance; });
  if (first == ops.end()) {
    os << "all " << ops.size() << " ops are within " << number(tolerance) << " of their largest value\n";
  } else {
    const std::string place = Place(first->location).text();
    os << "first beyond " << number(tolerance) << " of its largest value: " << first->name
       << (place.empty() ? "" : " at " + place) << ", " << stringifyStepPart(first->part).str() << '\n';
  }
  constexpr size_t kMost = 10;
  std::vector<const OpDifference *> most;
  for (const OpDifference &op : ops)
    most.push_back(&op);
  llvm::sort(most, [](const OpDifference *a, const OpDifference *b) {
    return a->relative != b->relative ? a->relative > b->relative : a < b; // the order of the step, where alike
  });
  most.resize(std::min(most.size(), kMost));
  Rows rows = {{"place", "op", "part", "types", "largest", "difference"}};
  for (const OpDifference *op : most)
    rows.push_back({Place(op->location).text(), op->name, stringifyStepPart(op->part).str(), typesOf(*op),
                    number(op->largest), number(op->relative)});
  printTable(os, rows);
}

static Json toJson(const OpDifference &op) {
  Json row = {{"op", op.name},
              {"run", op.run},
              {"part", stringifyStepPart(op.part).str()},
              {"types", {op.type, op.otherType}},
              {"largest", op.largest},
              {"difference", std::isfinite(op.relative) ? Json(op.relative) : Json()}};
  Place(op.location).addTo(row);
  return row;
}

/// The ops of one variant and of the reference, both with the loss scaling that either needs, so that gradients can be
/// compared.
static ErrorOr<std::vector<OpDifference>> compareWith(ModuleOp module, const CompileOptions &reference,
                                                      const CompileOptions &variant, const StepInputs &inputs) {
  auto create = [&](const CompileOptions &options) {
    FailureOr<StepPrograms> step = StepPrograms::create(module, options);
    if (failed(step))
      throw CLI::RuntimeError(1); // with a diagnostic
    return std::move(*step);
  };
  const StepPrograms first = create(withScalingOf(create(variant), reference));
  return compareOps(first, create(withScalingOf(first, variant)), inputs);
}

void compareOpsOf(const std::string &model, ArrayRef<NamedOptions> variants, const TrainOptions &training,
                  double tolerance, const std::string &json) {
  const NamedOptions &reference = variants.front();
  const StepInputs inputs = takeFirstInputs(model, reference.options, training);
  Json all = Json::array();
  withModel(model, "", [&](ModuleOp module) {
    for (const NamedOptions &variant : variants.drop_front()) {
      ErrorOr<std::vector<OpDifference>> ops = compareWith(module, reference.options, variant.options, inputs);
      check(ops.status().in(variant.variant));
      if (json != "-")
        print(std::cout, reference.variant, variant.variant, tolerance, *ops);
      Json rows = Json::array();
      for (const OpDifference &op : *ops)
        rows.push_back(toJson(op));
      all.push_back({{"variant", variant.variant},
                     {"against", reference.variant},
                     {"tolerance", tolerance},
                     {"ops", std::move(rows)}});
    }
    return true;
  });
  if (json == "-")
    std::cout << all.dump(2) << '\n';
  else if (!json.empty())
    check(writeWholeFile(json, all.dump(2) + "\n"));
}

} // namespace mp
