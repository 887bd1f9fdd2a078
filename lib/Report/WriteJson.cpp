// Comparisons as JSON.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Report/Summary.h"

#include <nlohmann/json.hpp>

#include <charconv>
#include <cmath>

namespace mp {

using Json = nlohmann::ordered_json;

/// A number; null where it is none that JSON has.
static Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

/// The double of the fewest digits that is read back as `value`: 0.1, not 0.10000000149.
static double shortest(float value) {
  char text[32];
  double digits = 0;
  std::from_chars(text, std::to_chars(text, text + sizeof text, value).ptr, digits);
  return digits;
}

static Json numbers(const std::vector<float> &values) {
  Json list = Json::array();
  for (float value : values)
    list.push_back(std::isfinite(value) ? Json(shortest(value)) : Json());
  return list;
}

static Json stepsOf(const VariantReport &report) {
  Json skipped = Json::array();
  for (const SkippedStep &skip : report.skips)
    skipped.push_back({{"step", skip.step}, {"gradient", skip.gradient}});
  return {{"first", report.firstStep},
          {"loss", numbers(report.losses)},
          {"loss_scale", numbers(report.lossScales)},
          {"skipped", std::move(skipped)}};
}

static Json toJson(const OpReport &op) {
  return {{"function", op.function}, {"place", op.place},       {"op", op.op},  {"type", op.type},
          {"sums", op.sums},         {"category", op.category}, {"why", op.why}};
}

static Json toJson(const VariantReport &report) {
  Json accuracies = Json::array(), memory = Json::array(), kernels = Json::array(), ops = Json::array(),
       stages = Json::array();
  for (double accuracy : report.accuracies)
    accuracies.push_back(number(accuracy));
  for (const MemoryReport &part : report.memory)
    memory.push_back({{"kind", part.kind}, {"bytes", part.bytes}});
  for (const KernelReport &kernel : report.kernels)
    kernels.push_back({{"kernel", kernel.name}, {"seconds", number(kernel.seconds)}});
  for (const OpReport &op : report.ops)
    ops.push_back(toJson(op));
  for (const StageReport &stage : report.stages)
    stages.push_back({{"stage", stage.name}, {"text", stage.text}});
  return {{"policy", report.policy},
          {"compiled_policy", report.compiledPolicy},
          {"by_cost", report.isByCost},
          {"name", report.name},
          {"test_accuracy", number(report.testAccuracy)},
          {"final_loss", number(report.finalLoss)},
          {"seconds_per_step", number(report.secondsPerStep)},
          {"fast_seconds", number(report.fastSeconds)},
          {"slow_seconds", number(report.slowSeconds)},
          {"timed_steps", report.timedSteps},
          {"speedup", number(report.speedup)},
          {"peak_bytes", report.peakBytes},
          {"ops_by_type", report.opsByType},
          {"casts", std::isfinite(report.casts) ? Json(static_cast<uint64_t>(report.casts)) : Json()},
          {"skipped_steps", report.skippedSteps},
          {"loss_scale", number(report.lossScale)},
          {"test_accuracies", std::move(accuracies)},
          {"steps", stepsOf(report)},
          {"memory", std::move(memory)},
          {"kernels", std::move(kernels)},
          {"ops", std::move(ops)},
          {"stages", std::move(stages)}};
}

std::string writeJson(const Comparison &comparison) {
  Json document;
  document["verdict"] = describeVerdict(comparison);
  document["policies"] = Json::array();
  for (const VariantReport &report : comparison.variants)
    document["policies"].push_back(toJson(report));
  document["device"] = comparison.device;
  document["commit"] = comparison.commit;
  document["model"] = comparison.model;
  document["data"] = comparison.data;
  document["seed"] = comparison.seed ? Json(*comparison.seed) : Json();
  document["rows"] = comparison.rows;
  document["test_rows"] = comparison.testRows;
  return document.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace mp
