// What is said of a step that is not finite.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Inspect/NonfiniteReport.h"

#include "mp/Analysis/Place.h"
#include "mp/Training/StepInputs.h"

#include "llvm/ADT/StringExtras.h"

#include <nlohmann/json.hpp>

#include <cmath>
#include <sstream>
#include <utility>

using namespace mlir;
using Json = nlohmann::ordered_json;

namespace mp {

static std::string describe(const ValueFacts &facts) {
  std::ostringstream text;
  text << facts.count << " values";
  if (facts.nans != 0)
    text << ", " << facts.nans << " NaN";
  if (facts.infinities != 0)
    text << ", " << facts.infinities << " infinite";
  if (facts.nans + facts.infinities < facts.count)
    text << (facts.isFinite() ? "" : ", of the others") << ", largest magnitude " << facts.largest;
  return text.str();
}

/// What a user may do about it.
static std::string advise(const NonfiniteOrigin &origin, const Place &place, const StepRecord &record) {
  if (!origin.isOp)
    return "it was so before the step: look at the data, or at the steps before";
  if (origin.inFloat32 && !origin.inFloat32->isFinite())
    return "float32 is not finite there, either: types are not the cause; look at the learning rate, the data and the "
           "first values";
  const bool isLow = origin.type == "f16" || origin.type == "bf16";
  if (!isLow)
    return "it computes in " + origin.type + ": look at the learning rate, the data and the first values";
  if (origin.part == StepPart::Backward && record.lossScale && *record.lossScale > 1)
    return "at this loss scale: a dynamic one is lowered after such a step, so that one now and then is no fault; "
           "where every step is skipped, compute the op in float32";
  if (!origin.reader.empty()) {
    const Place reader(*origin.readerLocation);
    return "the value is too large for " + origin.type + ", in which " + origin.reader +
           " reads it: " + (reader.name.empty() ? "" : "--deny=loc:" + reader.name + " computes that in float32, ") +
           "--deny=" + origin.reader + " all of its kind; or scale the value down";
  }
  std::string where = place.name.empty() ? "" : "--deny=loc:" + place.name + " computes it in float32, ";
  return where + "--deny=" + origin.name + " all of its kind; or scale its operands down";
}

std::string describeNonfinite(const NonfiniteOrigin &origin, const StepRecord &record) {
  const Place place(origin.location);
  std::ostringstream os;
  os << "step " << record.step << ": " << (std::isfinite(record.loss) ? "" : "the loss is not finite; ");
  if (record.bad >= 0) {
    os << "skipped";
    if (record.lossScale)
      os << " at loss scale " << *record.lossScale;
    os << ", not finite: gradients of " << llvm::join(origin.gradients, ", ") << '\n';
  } else if (origin.end) {
    os << "an infinity ends as 0, and nothing else shows it\n";
  } else {
    os << (std::isfinite(record.loss) ? "the state that it left is not finite" : "it is not skipped") << '\n';
  }
  os << "  first: " << origin.name;
  if (const std::string where = place.text(); !where.empty())
    os << " at " << where;
  if (origin.isOp)
    os << ", " << stringifyStepPart(origin.part).str();
  if (origin.readerLocation) {
    const std::string where = Place(*origin.readerLocation).text();
    os << ", for " << origin.reader << (where.empty() ? "" : " at " + where);
  }
  os << ", " << origin.type << " (" << origin.run << ")\n";
  os << "  result: " << describe(origin.result) << '\n';
  for (const ValueFacts &operand : origin.operands)
    os << "  operand: " << describe(operand) << '\n';
  if (origin.end) {
    const std::string where = Place(origin.end->location).text();
    os << "  ends in: " << origin.end->name << (where.empty() ? "" : " at " + where) << ", " << origin.end->zeros
       << " values 0, in float32 " << origin.end->inFloat32 << '\n';
  }
  if (origin.isOp)
    os << "  in float32: " << (origin.inFloat32 ? describe(*origin.inFloat32) : "no such op") << '\n';
  os << "  " << advise(origin, place, record) << '\n';
  return os.str();
}

static Json toJson(const ValueFacts &facts) {
  return {{"count", facts.count}, {"nan", facts.nans}, {"infinite", facts.infinities}, {"largest", facts.largest}};
}

std::string nonfiniteJson(const NonfiniteOrigin &origin, const StepRecord &record) {
  const Place place(origin.location);
  Json operands = Json::array();
  for (const ValueFacts &operand : origin.operands)
    operands.push_back(toJson(operand));
  Json json = {{"step", record.step},
               {"op", origin.name},
               {"is_op", origin.isOp},
               {"part", origin.isOp ? stringifyStepPart(origin.part).str() : ""},
               {"type", origin.type},
               {"program", origin.run},
               {"skipped", record.bad >= 0},
               {"gradients", origin.gradients},
               {"result", toJson(origin.result)},
               {"operands", std::move(operands)},
               {"in_float32", origin.inFloat32 ? toJson(*origin.inFloat32) : Json()},
               {"reader", origin.reader},
               {"advice", advise(origin, place, record)},
               {"text", describeNonfinite(origin, record)}};
  place.addTo(json);
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool isBroken(const NamedTensors &state) {
  for (const NamedTensor &entry : state)
    if (!factsOf(entry.tensor).isFinite())
      return true;
  return false;
}

bool NonfiniteWatch::wants(const StepRecord &record, bool isBroken) {
  isLost = !std::isfinite(record.loss) || isBroken;
  hasShown = isLost || (record.bad >= 0 && !hasSeenSkip);
  hasSeenSkip |= hasShown;
  return hasShown || !std::exchange(hasSeenStep, true);
}

ErrorOr<std::optional<NonfiniteOrigin>> traceStep(ModuleOp module, const CompileOptions &options,
                                                  const StepInputs &inputs) {
  const Status refused = makeError("the model does not compile");
  FailureOr<StepPrograms> step = StepPrograms::create(module, options);
  if (failed(step))
    return refused;
  CompileOptions inFloat32 = withScalingOf(*step, options);
  inFloat32.autocast = AutocastPassOptions();
  inFloat32.autocast.policy = "float32";
  FailureOr<StepPrograms> float32 = StepPrograms::create(module, inFloat32);
  if (failed(float32))
    return refused;
  return findNonfinite(*step, *float32, inputs);
}

} // namespace mp
