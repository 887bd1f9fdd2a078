// What a comparison shows, in words.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_REPORT_SUMMARY_H
#define MP_LIB_REPORT_SUMMARY_H

#include "mp/Report/Comparison.h"

namespace mp {

/// Each variant beside the first: accuracy, skipped steps.
std::vector<std::string> describeScores(const std::vector<VariantReport> &reports);

/// The model, the data with their rows, and the seed, as far as they are known; or empty.
std::string describeData(const Comparison &comparison);

/// Which variant to take, of several, and how it is beside the first; which others are its equals.
std::string describeChoice(const std::vector<VariantReport> &reports);

/// What is slower on this device and not what is to be taken, and what to do about it; or empty.
std::string describeSlower(const Comparison &comparison);

/// Each variant's time beside the first's, with the kinds of kernels that differ most; and its memory.
std::vector<std::string> describeCosts(const std::vector<VariantReport> &reports);

/// Kernels that are of one kind: "matmul" of matmul_1 and matmul_7, "matmul.lhs" of what packs their operands.
std::string kindOf(const KernelReport &kernel);
/// Seconds of each kind.
std::map<std::string, double> secondsOfKinds(const VariantReport &report);

/// Steps that follow each other and have one gradient, as one line: "steps 1 to 50: w1".
std::vector<std::string> describeSkippedSteps(const VariantReport &report, size_t most);

/// All of it: the verdict.
std::vector<std::string> describeVerdict(const Comparison &comparison);

} // namespace mp

#endif // MP_LIB_REPORT_SUMMARY_H
