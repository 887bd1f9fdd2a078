// What autocast made of programs, as JSON.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Analysis/PrecisionJson.h"

#include "mp/Analysis/Place.h"

#include <nlohmann/json.hpp>

namespace mp {

using Json = nlohmann::ordered_json;

static Json toJson(const ExplainedFunction &function) {
  Json ops = Json::array(), parameters = Json::array(), rows = Json::array();
  for (const ExplainedOp &op : function.ops) {
    const Place place(op.location);
    Json row = {{"op", op.name}, {"type", op.type}, {"category", op.category}, {"why", op.reason}};
    if (!op.sums.empty())
      row["sums"] = op.sums;
    place.addTo(row);
    ops.push_back(std::move(row));
  }
  for (const ExplainedParameter &own : function.parameters)
    parameters.push_back(
        {{"name", own.name}, {"shape", own.shape}, {"stored", own.stored}, {"computed", own.computed}});
  for (const ExplainedRows &op : function.rowsMeet) {
    Json row = {{"op", op.name}, {"weighed", op.isWeighed}};
    Place(op.location).addTo(row);
    rows.push_back(std::move(row));
  }
  const PrecisionSummary &summary = function.summary;
  return {{"function", function.name},
          {"ops_by_type", {{"f16", summary.f16}, {"bf16", summary.bf16}, {"f32", summary.f32}, {"f64", summary.f64}}},
          {"casts", summary.casts},
          {"ops", std::move(ops)},
          {"parameters", std::move(parameters)},
          {"rows_meet", std::move(rows)}};
}

std::string precisionJson(llvm::StringRef policy, const PrecisionReport &report) {
  Json json = {{"policy", policy.str()}, {"functions", Json::array()}};
  for (const ExplainedFunction &function : report)
    json["functions"].push_back(toJson(function));
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace mp
