// What a comparison shows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp-run/Report.h"

#include "mp-run/Drawing.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <ostream>
#include <set>
#include <sstream>

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

static std::string formatScale(double scale) {
  double exponent = std::log2(scale);
  return scale > 0 && exponent == std::floor(exponent) ? format("2^%.0f", exponent) : format("%g", scale);
}

/// What a line of a terminal holds everywhere.
static constexpr size_t kLineWidth = 80;

void nameVariants(std::vector<VariantReport> &reports) {
  constexpr size_t kLongestName = 24;
  std::map<std::string, unsigned> counts;
  for (VariantReport &report : reports) {
    std::string policy = report.policy.substr(0, report.policy.find(':'));
    policy = policy.substr(policy.rfind('/') + 1); // a policy file's path
    report.name = policy.substr(0, kLongestName);
    counts[report.name] += 1;
  }
  std::map<std::string, unsigned> seen;
  for (VariantReport &report : reports)
    if (counts[report.name] > 1)
      report.name += "#" + std::to_string(++seen[report.name]);
}

namespace {
struct Row {
  std::string name;
  std::function<std::string(const VariantReport &)> cell;
};
} // namespace

/// The rows of the table: ops are counted for each type that any variant computes in.
static std::vector<Row> makeRows(const std::vector<VariantReport> &reports) {
  using R = const VariantReport &;
  std::vector<Row> rows = {
      {"", [](R r) { return r.name; }},
      {"test accuracy",
       [](R r) { return std::isnan(r.testAccuracy) ? "none" : format("%.2f %%", 100 * r.testAccuracy); }},
      {"final loss", [](R r) { return format("%.4f", r.finalLoss); }},
      {"time per step", [](R r) { return format("%.3f ms", 1e3 * r.secondsPerStep); }},
      {"speed-up", [](R r) { return format("%.2fx", r.speedup); }},
      {"peak memory", [](R r) { return formatBytes(r.peakBytes); }},
  };
  std::set<std::string> types;
  for (const VariantReport &report : reports)
    for (const auto &[type, count] : report.opsByType)
      types.insert(type);
  for (const std::string &type : types)
    rows.push_back({"ops in " + type, [type](R r) {
                      auto found = r.opsByType.find(type);
                      return std::to_string(found == r.opsByType.end() ? 0 : found->second);
                    }});
  rows.push_back({"casts", [](R r) { return std::to_string(r.casts); }});
  rows.push_back({"skipped steps", [](R r) { return format("%g", r.skippedSteps); }});
  rows.push_back({"final loss scale", [](R r) { return formatScale(r.lossScale); }});
  return rows;
}

static size_t widthOf(const VariantReport &report, const std::vector<Row> &rows) {
  size_t width = 0;
  for (const Row &row : rows)
    width = std::max(width, row.cell(report).size());
  return width;
}

static void printTable(std::ostream &os, const std::vector<VariantReport> &reports) {
  constexpr size_t kGap = 2;
  std::vector<Row> rows = makeRows(reports);
  size_t nameWidth = 0;
  for (const Row &row : rows)
    nameWidth = std::max(nameWidth, row.name.size());
  for (size_t first = 0, last; first < reports.size(); first = last) {
    std::vector<size_t> widths;
    size_t used = nameWidth;
    for (last = first; last < reports.size(); ++last) {
      size_t width = widthOf(reports[last], rows);
      if (last > first && used + kGap + width > kLineWidth)
        break;
      widths.push_back(width);
      used += kGap + width;
    }
    os << (first > 0 ? "\n" : "");
    for (const Row &row : rows) {
      os << row.name << std::string(nameWidth - row.name.size(), ' ');
      for (size_t i = first; i < last; ++i) {
        std::string cell = row.cell(reports[i]);
        os << std::string(kGap + widths[i - first] - cell.size(), ' ') << cell;
      }
      os << '\n';
    }
  }
}

void printReport(std::ostream &os, const std::vector<VariantReport> &reports) {
  printTable(os, reports);
  for (const VariantReport &report : reports) {
    // What a policy chose by itself is said in the words in which one would ask for it.
    const std::string &policy = report.isByCost ? report.compiledPolicy : report.policy;
    os << '\n' << (report.name == policy ? "" : report.name + " is ") << policy << '\n';
    drawSeries(os, "loss", report.losses, Scale::Linear);
    bool isScaled = std::any_of(report.lossScales.begin(), report.lossScales.end(), [](float s) { return s != 1; });
    if (isScaled)
      drawSeries(os, "loss scale", report.lossScales, Scale::PowersOfTwo);
  }
}

/// Words, broken into lines.
static void printWrapped(std::ostream &os, const std::string &text) {
  std::istringstream words(text);
  size_t column = 0;
  for (std::string word; words >> word; column += word.size()) {
    if (column > 0 && column + 1 + word.size() > kLineWidth) {
      os << "\n ";
      column = 1;
    }
    os << (column > 0 ? " " : "") << word;
    column += column > 0;
  }
  os << '\n';
}

/// "test accuracy 0.12 points below float32".
static std::string describeScore(const VariantReport &report, const VariantReport &first) {
  if (std::isnan(report.testAccuracy))
    return "final loss " + format("%.4f", report.finalLoss) + ", " + first.name + " has " +
           format("%.4f", first.finalLoss);
  std::string points = format("%.2f", std::abs(100 * (report.testAccuracy - first.testAccuracy)));
  if (points == "0.00")
    return "the test accuracy of " + first.name;
  return "test accuracy " + points + " points " + (report.testAccuracy < first.testAccuracy ? "below " : "above ") +
         first.name;
}

static std::string describeSkips(const VariantReport &report) {
  if (report.skippedSteps == 0)
    return "no step was skipped";
  std::string text =
      format("%g", report.skippedSteps) + " of " + std::to_string(report.losses.size()) + " steps skipped";
  if (report.lossScales.empty() || report.lossScales.front() == report.lossScale)
    return text;
  return text + ", loss scale from " + formatScale(report.lossScales.front()) + " to " + formatScale(report.lossScale);
}

/// What is slower by more than two runs of one program differ, and what to do about it.
static void describeSlower(std::ostream &os, const std::vector<VariantReport> &reports, bool isCPU) {
  constexpr double kSlower = 0.95;
  std::string names;
  bool isAutoAnAnswer = isCPU;
  for (const VariantReport &report : reports)
    if (report.speedup < kSlower) {
      names += (names.empty() ? "" : ", ") + report.name;
      isAutoAnAnswer &= !report.isByCost;
    }
  if (!names.empty())
    printWrapped(os,
                 names + ": slower than " + reports.front().name + " here" +
                     (isAutoAnAnswer ? "; policy auto gives each op the type in which it is modelled fastest" : ""));
}

void printSummary(std::ostream &os, const std::vector<VariantReport> &reports, const std::string &device) {
  const VariantReport &first = reports.front();
  os << '\n';
  if (reports.size() == 1 || first.skippedSteps > 0)
    printWrapped(os, first.name + ": " + describeSkips(first));
  for (const VariantReport &report : reports)
    if (&report != &first)
      printWrapped(os, report.name + ": " + describeScore(report, first) + "; " + describeSkips(report));
  describeSlower(os, reports, device == "cpu");
}

std::string reportToJson(const std::vector<VariantReport> &reports, const std::string &device,
                         const std::string &commit) {
  nlohmann::ordered_json document;
  document["policies"] = nlohmann::ordered_json::array();
  for (const VariantReport &report : reports)
    document["policies"].push_back({{"policy", report.policy},
                                    {"compiled_policy", report.compiledPolicy},
                                    {"name", report.name},
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
