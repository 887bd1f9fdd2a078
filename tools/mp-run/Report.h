// What a comparison shows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TOOLS_MP_RUN_REPORT_H
#define MP_TOOLS_MP_RUN_REPORT_H

#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

namespace mp {

/// What training one variant gave: means over its seeds, but for the traces, which are of the first.
struct VariantReport {
  std::string policy;         // the variant as it was asked for
  std::string compiledPolicy; // with the types that a policy chose by itself: auto:type=bf16
  bool isByCost = false;      // whether it chose them
  std::string name;           // of its column: the policy, with a number where several variants have one
  double testAccuracy = 0;    // NaN where the model has no metric
  double finalLoss = 0;
  double secondsPerStep = 0;
  double speedup = 1; // the first variant's seconds per step over this one's
  uint64_t peakBytes = 0;
  std::map<std::string, uint64_t> opsByType;
  uint64_t casts = 0;
  double skippedSteps = 0;
  double lossScale = 1;
  std::vector<double> accuracies; // of each seed
  std::vector<float> losses;      // of each step
  std::vector<float> lossScales;
};

/// Fills `speedup` of every report against the first.
void compareSpeed(std::vector<VariantReport> &reports);

/// Gives each report a name that no other has: `mixed_float16`, or `mixed_float16#1`, `mixed_float16#2` where two
/// variants have that policy.
void nameVariants(std::vector<VariantReport> &reports);

/// A table with a column per variant, as many columns side by side as 80 characters hold; then the loss and the loss
/// scale over the steps as drawings of characters.
void printReport(std::ostream &os, const std::vector<VariantReport> &reports);

/// What the table shows, in words: each variant beside the first, and what to do about a slower one on this device.
void printSummary(std::ostream &os, const std::vector<VariantReport> &reports, const std::string &device);

/// The JSON document of `--json`.
std::string reportToJson(const std::vector<VariantReport> &reports, const std::string &device,
                         const std::string &commit);

} // namespace mp

#endif // MP_TOOLS_MP_RUN_REPORT_H
