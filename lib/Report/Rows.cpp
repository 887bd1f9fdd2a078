// The rows of a table of variants.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Report/Rows.h"
#include "mp/Base/Text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

namespace mp {

std::string formatNumber(const char *pattern, double value) {
  char text[64];
  std::snprintf(text, sizeof text, pattern, value);
  return text;
}

std::string formatScale(double scale) {
  double exponent = std::log2(scale);
  return scale > 0 && exponent == std::floor(exponent) ? formatNumber("2^%.0f", exponent) : formatNumber("%g", scale);
}

static std::string numberOr(const char *otherwise, const char *pattern, double value) {
  return std::isnan(value) ? otherwise : formatNumber(pattern, value);
}

std::vector<ReportRow> makeRows(const std::vector<VariantReport> &reports) {
  using R = const VariantReport &;
  auto anyKnows = [&](double VariantReport::*member) {
    return std::ranges::any_of(reports, [&](R report) { return !std::isnan(report.*member); });
  };
  std::vector<ReportRow> rows = {
      {"", [](R r) { return r.name; }},
      {"test accuracy", [](R r) { return numberOr("none", "%.2f %%", 100 * r.testAccuracy); }},
      {"loss, last epoch", [](R r) { return numberOr("nan", "%.4f", r.finalLoss); }},
  };
  if (anyKnows(&VariantReport::secondsPerStep)) {
    rows.push_back({"time per step", [](R r) { return numberOr("-", "%.3f ms", 1e3 * r.secondsPerStep); }});
    rows.push_back({"speed-up", [](R r) { return numberOr("-", "%.2fx", r.speedup); }});
  }
  if (std::ranges::any_of(reports, [](R report) { return report.peakBytes != 0; }))
    rows.push_back({"peak memory", [](R r) { return r.peakBytes ? formatBytes(r.peakBytes) : "-"; }});
  std::set<std::string> types;
  for (R report : reports)
    for (const auto &[type, count] : report.opsByType)
      types.insert(type);
  for (const std::string &type : types)
    rows.push_back({"ops in " + type, [type](R r) {
                      auto found = r.opsByType.find(type);
                      return std::to_string(found == r.opsByType.end() ? 0 : found->second);
                    }});
  if (anyKnows(&VariantReport::casts))
    rows.push_back({"casts", [](R r) { return numberOr("-", "%g", r.casts); }});
  rows.push_back({"skipped steps", [](R r) { return formatNumber("%g", r.skippedSteps); }});
  if (anyKnows(&VariantReport::lossScale))
    rows.push_back({"final loss scale",
                    [](R r) { return std::isnan(r.lossScale) ? std::string("-") : formatScale(r.lossScale); }});
  return rows;
}

} // namespace mp
