// Variants beside each other.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Report/Comparison.h"

#include <cmath>
#include <limits>

namespace mp {

void compareSpeed(std::vector<VariantReport> &reports) {
  for (VariantReport &report : reports)
    report.speedup =
        report.secondsPerStep == 0 ? 0 : reports.front().secondsPerStep / report.secondsPerStep; // NaN where unknown
}

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

bool isAccuracy(std::string_view metric) {
  if (metric.find("accuracy") != std::string_view::npos)
    return true;
  if (!metric.starts_with("top"))
    return false;
  const std::string_view places = metric.substr(3, metric.find('_', 3) - 3);
  return !places.empty() && places.find_first_not_of("0123456789") == std::string_view::npos;
}

bool isAsGood(const VariantReport &report, double testAccuracy, double finalLoss) {
  constexpr double kSameAccuracy = 0.005, kSameLoss = 0.02; // half a point, two hundredths
  return std::isnan(report.testAccuracy) ? report.finalLoss <= finalLoss + kSameLoss * std::abs(finalLoss)
                                         : report.testAccuracy >= testAccuracy - kSameAccuracy;
}

bool isFaster(const VariantReport &report, const VariantReport &other) {
  constexpr double kOneProgram = 0.95;
  const bool isWithinSpread = report.slowSeconds >= other.fastSeconds; // not where it is not known
  return kOneProgram * report.speedup > other.speedup && !isWithinSpread;
}

const VariantReport &chooseVariant(const std::vector<VariantReport> &reports) {
  double accuracy = 0, loss = std::numeric_limits<double>::infinity();
  for (const VariantReport &report : reports) {
    accuracy = std::fmax(accuracy, report.testAccuracy);
    loss = std::fmin(loss, report.finalLoss);
  }
  const VariantReport *best = nullptr;
  for (const VariantReport &report : reports)
    if (isAsGood(report, accuracy, loss) && (!best || isFaster(report, *best)))
      best = &report;
  return best ? *best : reports.front();
}

} // namespace mp
