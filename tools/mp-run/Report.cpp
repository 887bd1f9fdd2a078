//===- Report.cpp - what a comparison shows -----------------------------------------------------------===//
//
// Part of Halfstep, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "Drawing.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <ostream>

namespace mp {

void compareSpeed(std::vector<VariantReport> &reports) {
  for (VariantReport &report : reports)
    report.speedup = report.secondsPerStep > 0 ? reports.front().secondsPerStep / report.secondsPerStep : 0;
}

static std::string format(const char *pattern, double value) {
  char text[64];
  std::snprintf(text, sizeof text, pattern, value);
  return text;
}

static std::string formatBytes(uint64_t bytes) { return format("%.1f MiB", static_cast<double>(bytes) / (1 << 20)); }

static std::string formatOps(const std::map<std::string, uint64_t> &ops) {
  std::string text;
  for (const auto &[type, count] : ops)
    text += (text.empty() ? "" : " ") + type + ":" + std::to_string(count);
  return text;
}

static std::string formatScale(double scale) {
  double exponent = std::log2(scale);
  return scale > 0 && exponent == std::floor(exponent) ? format("2^%.0f", exponent) : format("%g", scale);
}

namespace {
struct Row {
  const char *name;
  std::function<std::string(const VariantReport &)> cell;
};
} // namespace

static const Row kRows[] = {
    {"test accuracy", [](const VariantReport &r) { return format("%.2f %%", 100 * r.testAccuracy); }},
    {"final loss", [](const VariantReport &r) { return format("%.4f", r.finalLoss); }},
    {"time per step", [](const VariantReport &r) { return format("%.3f ms", 1e3 * r.secondsPerStep); }},
    {"speed-up", [](const VariantReport &r) { return format("%.2fx", r.speedup); }},
    {"peak memory", [](const VariantReport &r) { return formatBytes(r.peakBytes); }},
    {"ops by type", [](const VariantReport &r) { return formatOps(r.opsByType); }},
    {"casts", [](const VariantReport &r) { return std::to_string(r.casts); }},
    {"skipped steps", [](const VariantReport &r) { return format("%g", r.skippedSteps); }},
    {"final loss scale", [](const VariantReport &r) { return formatScale(r.lossScale); }},
};

void printReport(std::ostream &os, const std::vector<VariantReport> &reports) {
  std::vector<std::vector<std::string>> columns;
  size_t nameWidth = 0;
  for (const Row &row : kRows)
    nameWidth = std::max(nameWidth, std::string(row.name).size());
  for (const VariantReport &report : reports) {
    std::vector<std::string> &column = columns.emplace_back();
    column.push_back(report.policy.substr(0, report.policy.find(':')));
    for (const Row &row : kRows)
      column.push_back(row.cell(report));
  }
  for (size_t line = 0; line <= std::size(kRows); ++line) {
    std::string name = line == 0 ? "" : kRows[line - 1].name;
    os << name << std::string(nameWidth - name.size(), ' ');
    for (const std::vector<std::string> &column : columns) {
      size_t width = 0;
      for (const std::string &cell : column)
        width = std::max(width, cell.size());
      os << "  " << std::string(width - column[line].size(), ' ') << column[line];
    }
    os << '\n';
  }
  for (const VariantReport &report : reports) {
    os << '\n' << report.policy << '\n';
    drawSeries(os, "loss", report.losses, Scale::Linear);
    bool isScaled = std::any_of(report.lossScales.begin(), report.lossScales.end(), [](float s) { return s != 1; });
    if (isScaled)
      drawSeries(os, "loss scale", report.lossScales, Scale::PowersOfTwo);
  }
}

std::string reportToJson(const std::vector<VariantReport> &reports, const std::string &device,
                         const std::string &commit) {
  nlohmann::ordered_json document;
  document["policies"] = nlohmann::ordered_json::array();
  for (const VariantReport &report : reports)
    document["policies"].push_back({{"policy", report.policy},
                                    {"test_accuracy", report.testAccuracy},
                                    {"final_loss", report.finalLoss},
                                    {"seconds_per_step", report.secondsPerStep},
                                    {"speedup", report.speedup},
                                    {"peak_bytes", report.peakBytes},
                                    {"ops_by_type", report.opsByType},
                                    {"casts", report.casts},
                                    {"skipped_steps", report.skippedSteps},
                                    {"loss_scale", report.lossScale},
                                    {"test_accuracies", report.accuracies}});
  document["device"] = device;
  document["commit"] = commit;
  return document.dump(2) + "\n";
}

} // namespace mp
