// What training runs showed.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One run or several variants beside each other, as a table of text, as JSON and as a page of HTML. What is not known
// of a run is left out wherever it would be shown.

#ifndef MP_REPORT_COMPARISON_H
#define MP_REPORT_COMPARISON_H

#include "mp/Base/Status.h"

#include <cstdint>
#include <iosfwd>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mp {

/// A step that was skipped, and the first gradient that was not finite in it.
struct SkippedStep {
  uint64_t step = 0;
  std::string gradient; ///< empty where it is not known
};

/// A kernel of the training step, run by itself.
struct KernelReport {
  std::string name; ///< "matmul_3"
  double seconds = 0;
};

/// An op of the model and the type that it computes in, as `mp-run explain` says it.
struct OpReport {
  std::string function, place, op, type, sums, category, why;
};

/// The model's text behind a stage of the compiler.
struct StageReport {
  std::string name, text;
};

/// Bytes of one kind: "parameters", "arena", ...
struct MemoryReport {
  std::string kind;
  uint64_t bytes = 0;
};

inline constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// What training one variant gave: means over its seeds, but for what is of steps, which is of the first.
struct VariantReport {
  std::string policy;             // the variant as it was asked for
  std::string compiledPolicy;     // with the types that a policy chose by itself: auto:type=bf16
  bool isByCost = false;          // whether it chose them
  std::string name;               // of its column: the policy, with a number where several variants have one
  double testAccuracy = kUnknown; // or of a model without a metric
  double finalLoss = kUnknown;    // mean over the last epoch, as far as it got
  double secondsPerStep = kUnknown;
  double fastSeconds = kUnknown, slowSeconds = kUnknown; // half of the steps that were timed took from this to that
  uint64_t timedSteps = 0;
  double speedup = kUnknown; // the first variant's seconds per step over this one's
  uint64_t peakBytes = 0;    // or unknown
  std::map<std::string, uint64_t> opsByType;
  double casts = kUnknown;
  double skippedSteps = 0;
  double lossScale = kUnknown;
  std::vector<double> accuracies; // of each seed

  uint64_t firstStep = 1;    // of those below
  std::vector<float> losses; // of each step
  std::vector<float> lossScales;
  std::vector<SkippedStep> skips;

  std::vector<MemoryReport> memory;
  std::vector<KernelReport> kernels;
  std::vector<OpReport> ops;
  std::vector<StageReport> stages;
};

/// Variants, where they ran and on what.
struct Comparison {
  std::vector<VariantReport> variants;
  std::string device, commit, model, data; ///< empty where they are not known
  std::optional<uint64_t> seed;            ///< the first, where each variant has several
  uint64_t rows = 0, testRows = 0;         ///< of the data; 0 where they are not known
};

/// Fills `speedup` of every report against the first.
void compareSpeed(std::vector<VariantReport> &reports);

/// Gives each report a name that no other has: `mixed_float16`, or `mixed_float16#1`, `mixed_float16#2` where two
/// variants have that policy.
void nameVariants(std::vector<VariantReport> &reports);

/// Whether the metric of that name is a share of what is right: "accuracy", "top5_accuracy", "top5". Reports show it in
/// percent, and more of it is better; of no other metric they say that.
bool isAccuracy(std::string_view metric);

/// Whether a variant's test accuracy (of a model without a metric, its loss) is as good as these, but for less than
/// seeds differ.
bool isAsGood(const VariantReport &report, double testAccuracy, double finalLoss);

/// Whether a variant's steps take less than another's, by more than the steps of each differ among themselves, and than
/// two runs of one program do.
bool isFaster(const VariantReport &report, const VariantReport &other);

/// The variant to go on with: of those whose test accuracy (of a model without a metric, whose loss) is as good as the
/// best, the first that no other is faster than.
const VariantReport &chooseVariant(const std::vector<VariantReport> &reports);

/// A table with a column per variant, as many columns side by side as 80 characters hold; then the loss and the loss
/// scale over the steps as drawings of characters.
void printReport(std::ostream &os, const std::vector<VariantReport> &reports);

/// What the table shows, in words: which variant to take, each beside the first, and what to do about a slower one on
/// this device.
void printSummary(std::ostream &os, const Comparison &comparison);

/// The JSON document of `mp-run compare --json`.
std::string writeJson(const Comparison &comparison);

/// Reads what writeJson wrote, or the lines that a training log has. Neither is trusted: what is no such text is an
/// error that says where.
ErrorOr<Comparison> readRuns(std::string_view text);

/// One page that needs nothing else: verdict, tables, curves, memory and the stages' text. All that is not of this
/// program is escaped.
std::string writePage(const Comparison &comparison);

} // namespace mp

#endif // MP_REPORT_COMPARISON_H
