// What a comparison shows, in words.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Report/Summary.h"

#include "Report/Rows.h"
#include "mp/Base/Text.h"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <sstream>

namespace mp {

/// "test accuracy 0.12 points below float32".
static std::string describeScore(const VariantReport &report, const VariantReport &first) {
  if (std::isnan(report.testAccuracy) || std::isnan(first.testAccuracy))
    return "loss of the last epoch " + formatNumber("%.4f", report.finalLoss) + ", " + first.name + " has " +
           formatNumber("%.4f", first.finalLoss);
  std::string points = formatNumber("%.2f", std::abs(100 * (report.testAccuracy - first.testAccuracy)));
  if (points == "0.00")
    return "the test accuracy of " + first.name;
  return "test accuracy " + points + " points " + (report.testAccuracy < first.testAccuracy ? "below " : "above ") +
         first.name;
}

static std::string describeSkips(const VariantReport &report) {
  if (report.skippedSteps == 0)
    return "no step was skipped";
  std::string text = formatNumber("%g", report.skippedSteps);
  text += report.losses.empty() ? " steps skipped" : " of " + std::to_string(report.losses.size()) + " steps skipped";
  if (report.lossScales.empty() || std::isnan(report.lossScale) || report.lossScales.front() == report.lossScale)
    return text;
  return text + ", loss scale from " + formatScale(report.lossScales.front()) + " to " + formatScale(report.lossScale);
}

std::vector<std::string> describeScores(const std::vector<VariantReport> &reports) {
  const VariantReport &first = reports.front();
  std::vector<std::string> lines;
  if (reports.size() == 1 || first.skippedSteps > 0)
    lines.push_back(first.name + ": " + describeSkips(first));
  for (const VariantReport &report : reports)
    if (&report != &first)
      lines.push_back(report.name + ": " + describeScore(report, first) + "; " + describeSkips(report));
  return lines;
}

std::string describeData(const Comparison &comparison) {
  std::vector<std::string> parts;
  if (!comparison.model.empty())
    parts.push_back("model " + comparison.model);
  const std::string rows = comparison.rows ? std::to_string(comparison.rows) + " rows" : "";
  if (!comparison.data.empty())
    parts.push_back(rows.empty() ? "data " + comparison.data : rows + " of " + comparison.data);
  else if (!rows.empty())
    parts.push_back(rows);
  if (comparison.testRows)
    parts.push_back("tested on " + std::to_string(comparison.testRows));
  if (comparison.seed) {
    const size_t seeds = comparison.variants.front().accuracies.size();
    const std::string first = std::to_string(*comparison.seed);
    parts.push_back(seeds > 1 ? "means of seeds " + first + " to " + std::to_string(*comparison.seed + seeds - 1)
                              : "seed " + first);
  }
  std::string text;
  for (const std::string &part : parts)
    text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::string describeSlower(const Comparison &comparison) {
  const std::vector<VariantReport> &reports = comparison.variants;
  const VariantReport &chosen = chooseVariant(reports);
  std::string names;
  bool isAutoAnAnswer = comparison.device == "cpu";
  for (const VariantReport &report : reports)
    if (&report != &chosen && isFaster(reports.front(), report)) {
      names += (names.empty() ? "" : ", ") + report.name;
      isAutoAnAnswer &= !report.isByCost;
    }
  if (names.empty())
    return "";
  return names + ": slower than " + reports.front().name + " here" +
         (isAutoAnAnswer ? "; policy auto gives each op the type in which it is modelled fastest" : "");
}

std::string kindOf(const KernelReport &kernel) {
  // The number is the last but for what packs an operand, as in "matmul_3.lhs".
  const size_t dot = kernel.name.find('.');
  std::string kind = kernel.name.substr(0, dot);
  const size_t end = kind.find_last_not_of("0123456789");
  if (end != std::string::npos && end + 1 < kind.size() && kind[end] == '_')
    kind.resize(end);
  return dot == std::string::npos ? kind : kind + kernel.name.substr(dot);
}

std::map<std::string, double> secondsOfKinds(const VariantReport &report) {
  std::map<std::string, double> seconds;
  for (const KernelReport &kernel : report.kernels)
    seconds[kindOf(kernel)] += kernel.seconds;
  return seconds;
}

static std::string milliseconds(double seconds) { return formatNumber("%.3g ms", 1e3 * seconds); }

/// "matmul 0.480 ms instead of 1.020 ms, adam 0.390 ms instead of 0.310 ms": what differs most, if it does by a
/// hundredth of the step.
static std::string describeKernels(const VariantReport &report, const VariantReport &first) {
  constexpr size_t kMost = 3;
  constexpr double kLeast = 0.01;
  std::map<std::string, double> before = secondsOfKinds(first), after = secondsOfKinds(report);
  for (const auto &[kind, seconds] : before)
    after.try_emplace(kind, 0);
  double all = 0;
  std::vector<std::string> kinds;
  for (const auto &[kind, seconds] : after) {
    all += before[kind]; // of one that the first does not have 0
    kinds.push_back(kind);
  }
  auto change = [&](const std::string &kind) { return std::abs(after.at(kind) - before.at(kind)); };
  std::ranges::sort(kinds,
                    [&](const auto &a, const auto &b) { return std::pair(-change(a), a) < std::pair(-change(b), b); });
  std::string text;
  for (size_t i = 0; i < std::min(kMost, kinds.size()) && change(kinds[i]) > kLeast * all; ++i)
    text += (text.empty() ? "" : ", ") + kinds[i] + " " + milliseconds(after[kinds[i]]) + " instead of " +
            milliseconds(before[kinds[i]]);
  return text;
}

static double secondsOfKernels(const VariantReport &report) {
  double seconds = 0;
  for (const KernelReport &kernel : report.kernels)
    seconds += kernel.seconds;
  return seconds;
}

/// Whether the kernels' times, measured by themselves, are less than half of what a step takes more or less.
static bool isElsewhere(const VariantReport &report, const VariantReport &first) {
  constexpr double kLeast = 0.05;
  const double steps = report.secondsPerStep - first.secondsPerStep;
  const double kernels = secondsOfKernels(report) - secondsOfKernels(first);
  return std::abs(steps) > kLeast * first.secondsPerStep && kernels / steps < 0.5;
}

/// "half of 468 steps from 3.9 ms to 4.2 ms", where that is known.
static std::string describeSpread(const VariantReport &report) {
  if (report.timedSteps == 0 || std::isnan(report.fastSeconds) || std::isnan(report.slowSeconds))
    return "";
  return "half of " + std::to_string(report.timedSteps) + " steps from " + milliseconds(report.fastSeconds) + " to " +
         milliseconds(report.slowSeconds);
}

/// "1.50 times as fast as float32", or "as fast as float32" where they do not differ by more than steps do.
static std::string describeSpeed(const VariantReport &report, const VariantReport &other) {
  const bool differs = isFaster(report, other) || isFaster(other, report);
  return (differs ? formatNumber("%.2f times as fast as ", report.speedup / other.speedup) : "as fast as ") +
         other.name;
}

std::vector<std::string> describeCosts(const std::vector<VariantReport> &reports) {
  std::vector<std::string> lines;
  const VariantReport &first = reports.front();
  for (const VariantReport &report : reports) {
    std::string line;
    if (!std::isnan(report.secondsPerStep)) {
      line = milliseconds(report.secondsPerStep) + " a step";
      if (const std::string spread = describeSpread(report); !spread.empty())
        line += " (" + spread + ")";
      if (&report != &first && report.speedup > 0)
        line += ", " + describeSpeed(report, first);
      if (&report != &first && !report.kernels.empty() && !first.kernels.empty())
        if (std::string kernels = describeKernels(report, first); !kernels.empty())
          line += ": kernels of " + kernels +
                  (isElsewhere(report, first) ? ", and most of it not in kernels: data, the host, or other work on the "
                                                "machine"
                                              : "");
    }
    if (report.peakBytes != 0)
      line += (line.empty() ? "" : "; ") + formatBytes(report.peakBytes) + " of memory";
    if (!line.empty())
      lines.push_back(report.name + ": " + line);
  }
  return lines;
}

std::vector<std::string> describeSkippedSteps(const VariantReport &report, size_t most) {
  std::vector<std::string> lines;
  const std::vector<SkippedStep> &skips = report.skips;
  for (size_t from = 0, to; from < skips.size(); from = to + 1) {
    for (to = from; to + 1 < skips.size() && skips[to + 1].gradient == skips[from].gradient &&
                    skips[to + 1].step == skips[to].step + 1;)
      ++to;
    if (lines.size() == most) {
      lines.push_back("and " + std::to_string(skips.size() - from) + " more");
      break;
    }
    std::string line = to == from
                           ? "step " + std::to_string(skips[from].step)
                           : "steps " + std::to_string(skips[from].step) + " to " + std::to_string(skips[to].step);
    lines.push_back(line + (skips[from].gradient.empty() ? "" : ": the gradient of " + skips[from].gradient));
  }
  return lines;
}

/// "auto (half of 468 steps from 3.9 ms to 4.2 ms)".
static std::string nameWithSpread(const VariantReport &report) {
  const std::string spread = describeSpread(report);
  return report.name + (spread.empty() ? "" : " (" + spread + ")");
}

/// Which others are as good as the best and not slower; or empty.
static std::string describeEquals(const std::vector<VariantReport> &reports, const VariantReport &best) {
  std::string names;
  size_t count = 0;
  for (const VariantReport &report : reports)
    if (&report != &best && isAsGood(report, best.testAccuracy, best.finalLoss) && report.speedup > 0 &&
        !isFaster(best, report))
      names += (count++ ? ", " : "") + nameWithSpread(report);
  return count == 0 ? "" : names + (count > 1 ? " are" : " is") + " as good and as fast as " + nameWithSpread(best);
}

std::string describeChoice(const std::vector<VariantReport> &reports) {
  const VariantReport &first = reports.front(), &best = chooseVariant(reports);
  const std::string equals = describeEquals(reports, best);
  if (&best != &first) {
    const bool isFirstAsGood = isAsGood(first, best.testAccuracy, best.finalLoss);
    std::string text = best.name + (isFirstAsGood ? " is as good as " : " is better than ") + first.name;
    if (best.speedup > 0)
      text += " and " + describeSpeed(best, first);
    return text + (equals.empty() ? "" : "; " + equals);
  }
  if (!equals.empty())
    return equals;
  const auto isOtherAsGood = [&](const VariantReport &report) {
    return &report != &first && isAsGood(report, first.testAccuracy, first.finalLoss);
  };
  const auto other = std::ranges::find_if(reports, isOtherAsGood);
  if (other == reports.end())
    return "no other variant is as good as " + first.name;
  return std::isnan(other->speedup) ? other->name + " is as good as " + first.name
                                    : "no other variant that is as good as " + first.name + " is faster";
}

std::vector<std::string> describeVerdict(const Comparison &comparison) {
  const std::vector<VariantReport> &reports = comparison.variants;
  std::vector<std::string> lines;
  if (reports.size() > 1)
    lines.push_back(describeChoice(reports));
  for (std::string &line : describeScores(reports))
    lines.push_back(std::move(line));
  for (std::string &line : describeCosts(reports))
    lines.push_back(std::move(line));
  if (std::string line = describeSlower(comparison); !line.empty())
    lines.push_back(std::move(line));
  return lines;
}

/// Words, broken into lines.
static void printWrapped(std::ostream &os, const std::string &text) {
  constexpr size_t kLineWidth = 80;
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

void printSummary(std::ostream &os, const Comparison &comparison) {
  os << '\n';
  if (comparison.variants.size() > 1)
    printWrapped(os, describeChoice(comparison.variants));
  for (const std::string &line : describeScores(comparison.variants))
    printWrapped(os, line);
  for (const std::string &line : {describeSlower(comparison), describeData(comparison)})
    if (!line.empty())
      printWrapped(os, line);
}

} // namespace mp
