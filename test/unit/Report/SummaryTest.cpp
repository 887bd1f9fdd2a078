// What a comparison shows, in words.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Report/Summary.h"

#include "Report/Examples.h"

#include <gtest/gtest.h>

#include <array>
#include <sstream>

using namespace mp;

TEST(Summary, TheVerdictSaysWhatAccuracyTimeAndMemoryAre) {
  const std::vector<std::string> expected = {
      "no other variant is as good as float32",
      "mixed_float16: test accuracy 25.00 points below float32; 3 of 6 steps skipped, loss scale from 2^12 to 2^10",
      "float32: 4 ms a step; 3.0 MiB of memory",
      ("mixed_float16: 8 ms a step, 0.50 times as fast as float32: kernels of matmul 5 ms instead of 2 ms; "
       "2.0 MiB of memory"),
      "mixed_float16: slower than float32 here; policy auto gives each op the type in which it is modelled fastest"};
  EXPECT_EQ(describeVerdict(exampleComparison()), expected);
}

TEST(Summary, TheChoiceIsWhatIsAsGoodAndFaster) {
  Comparison comparison = exampleComparison();
  VariantReport &other = comparison.variants[1];
  other.testAccuracy = 0.746;
  EXPECT_EQ(describeVerdict(comparison)[0], "no other variant that is as good as float32 is faster");
  other.speedup = 1.5;
  EXPECT_EQ(describeVerdict(comparison)[0], "mixed_float16 is as good as float32 and 1.50 times as fast as float32");
  other.speedup = kUnknown;
  EXPECT_EQ(describeVerdict(comparison)[0], "mixed_float16 is as good as float32");
  other.testAccuracy = 0.9;
  other.speedup = 0.5;
  EXPECT_EQ(describeVerdict(comparison)[0], "mixed_float16 is better than float32 and 0.50 times as fast as float32");
}

/// float32 and others whose steps take that many milliseconds, half of them from the second number to the third.
static Comparison timedComparison(const std::vector<std::array<double, 3>> &times) {
  Comparison comparison;
  comparison.device = "cpu";
  for (const auto &[median, fast, slow] : times) {
    VariantReport report;
    report.policy = std::vector{"float32", "mixed_bfloat16", "auto"}[comparison.variants.size()];
    report.testAccuracy = 0.75;
    report.secondsPerStep = median / 1000;
    report.fastSeconds = fast / 1000;
    report.slowSeconds = slow / 1000;
    report.timedSteps = 468;
    comparison.variants.push_back(std::move(report));
  }
  compareSpeed(comparison.variants);
  nameVariants(comparison.variants);
  return comparison;
}

TEST(Summary, DifferencesWithinTheSpreadOfStepsAreNone) {
  auto check = [](const std::vector<std::array<double, 3>> &times, const char *chosen, const std::string &verdict) {
    const Comparison comparison = timedComparison(times);
    EXPECT_EQ(chooseVariant(comparison.variants).name, chosen);
    EXPECT_EQ(describeVerdict(comparison).front(), verdict);
    // What is chosen is nowhere said to be slower.
    std::ostringstream said;
    printSummary(said, comparison);
    EXPECT_EQ(said.str().find(std::string(chosen) + ": slower"), std::string::npos) << said.str();
  };
  check(
      {{4, 3.9, 4.2}, {3.6, 3.5, 3.95}}, "float32",
      "mixed_bfloat16 (half of 468 steps from 3.5 ms to 3.95 ms) is as good and as fast as float32 (half of 468 steps "
      "from 3.9 ms to 4.2 ms)");
  check({{4, 3.9, 4.2}, {3.6, 3.5, 3.7}}, "mixed_bfloat16",
        "mixed_bfloat16 is as good as float32 and 1.11 times as fast as float32");
  // Tight samples of one program differ between runs, too.
  check({{4, 3.99, 4.01}, {3.9, 3.89, 3.91}}, "float32",
        "mixed_bfloat16 (half of 468 steps from 3.89 ms to 3.91 ms) is as good and as fast as float32 (half of 468 "
        "steps from 3.99 ms to 4.01 ms)");
  check({{4, 3.9, 4.2}, {5, 4.9, 5.1}}, "float32", "no other variant that is as good as float32 is faster");
  // Of two of the same types neither is crowned.
  check(
      {{4, 3.9, 4.2}, {2.1, 1.9, 2.3}, {2, 1.8, 2.2}}, "mixed_bfloat16",
      "mixed_bfloat16 is as good as float32 and 1.90 times as fast as float32; auto (half of 468 steps from 1.8 ms to "
      "2.2 ms) is as good and as fast as mixed_bfloat16 (half of 468 steps from 1.9 ms to 2.3 ms)");
  check({{4, 3.9, 4.2}, {2, 1.9, 2.1}, {1, 0.9, 1.1}}, "auto",
        "auto is as good as float32 and 4.00 times as fast as "
        "float32");
}

TEST(Summary, TimesWithinTheSpreadAreCalledEqual) {
  const Comparison comparison = timedComparison({{4, 3.9, 4.2}, {3.6, 3.5, 3.95}, {8, 7.9, 8.1}});
  const std::vector<std::string> costs = describeCosts(comparison.variants);
  EXPECT_EQ(costs[0], "float32: 4 ms a step (half of 468 steps from 3.9 ms to 4.2 ms)");
  EXPECT_EQ(costs[1], "mixed_bfloat16: 3.6 ms a step (half of 468 steps from 3.5 ms to 3.95 ms), as fast as float32");
  EXPECT_EQ(costs[2], "auto: 8 ms a step (half of 468 steps from 7.9 ms to 8.1 ms), 0.50 times as fast as float32");
  EXPECT_EQ(describeSlower(comparison),
            "auto: slower than float32 here; policy auto gives each op the type in which it "
            "is modelled fastest");
}

TEST(Summary, WhatKernelsDoNotExplainIsSaid) {
  Comparison comparison = exampleComparison();
  comparison.variants[1].secondsPerStep = 0.080;
  EXPECT_NE(
      describeVerdict(comparison)[3].find("kernels of matmul 5 ms instead of 2 ms, and most of it not in kernels"),
      std::string::npos)
      << describeVerdict(comparison)[3];
}

TEST(Summary, LossesMayBeBelowZero) {
  Comparison comparison = exampleComparison();
  for (VariantReport &variant : comparison.variants)
    variant.testAccuracy = kUnknown, variant.finalLoss = -0.9;
  comparison.variants[1].speedup = 2;
  EXPECT_EQ(describeVerdict(comparison)[0], "mixed_float16 is as good as float32 and 2.00 times as fast as float32");
  comparison.variants[1].finalLoss = -0.8;
  EXPECT_EQ(describeVerdict(comparison)[0], "no other variant is as good as float32");
}

TEST(Summary, SomeMetricsAreAccuracies) {
  for (const char *metric : {"accuracy", "top5", "top5_accuracy", "sparse_accuracy", "top10_of_all"})
    EXPECT_TRUE(isAccuracy(metric)) << metric;
  for (const char *metric : {"loss", "mse", "top", "topology_error", "stop5", "top_5"})
    EXPECT_FALSE(isAccuracy(metric)) << metric;
}

TEST(Summary, WhatIsNotKnownIsLeftOut) {
  Comparison comparison;
  comparison.variants.resize(1);
  comparison.variants[0].name = "run";
  EXPECT_EQ(describeVerdict(comparison), std::vector<std::string>{"run: no step was skipped"});
}

TEST(Summary, TheDataAreToldAsFarAsTheyAreKnown) {
  Comparison comparison = exampleComparison("x");
  EXPECT_EQ(describeData(comparison), "model clothes x, 800 rows of folder/x, tested on 100, seed 3");
  comparison.variants[0].accuracies = {0.5, 0.5, 0.5};
  comparison.data.clear();
  EXPECT_EQ(describeData(comparison), "model clothes x, 800 rows, tested on 100, means of seeds 3 to 5");
  comparison.rows = comparison.testRows = 0;
  comparison.data = "x";
  comparison.model.clear();
  EXPECT_EQ(describeData(comparison), "data x, means of seeds 3 to 5");
  comparison = Comparison();
  comparison.variants.resize(1);
  EXPECT_EQ(describeData(comparison), "");
}

TEST(Summary, SkippedStepsThatFollowEachOtherAreOneLine) {
  VariantReport report;
  report.skips = {{1, "w"}, {2, "w"}, {3, "b"}, {5, "b"}, {6, "b"}, {7, "b"}};
  EXPECT_EQ(describeSkippedSteps(report, 9),
            (std::vector<std::string>{"steps 1 to 2: the gradient of w", "step 3: the gradient of b",
                                      "steps 5 to 7: the gradient of b"}));
  EXPECT_EQ(describeSkippedSteps(report, 1),
            (std::vector<std::string>{"steps 1 to 2: the gradient of w", "and 4 more"}));
}

TEST(Summary, KernelsAreOfOneKindWithoutTheirNumbers) {
  for (auto [name, kind] : {std::pair{"matmul_12", "matmul"},
                            {"matmul_3.lhs", "matmul.lhs"},
                            {"softmax_cross_entropy_rows_4", "softmax_cross_entropy_rows"},
                            {"copy", "copy"},
                            {"_1", ""},
                            {"17", "17"},
                            {"", ""}})
    EXPECT_EQ(kindOf({name, 0}), kind);
}

TEST(Summary, TheFastestOfTheLeastLossIsChosenWhereThereIsNoAccuracy) {
  std::vector<VariantReport> reports(3);
  for (size_t i = 0; i < reports.size(); ++i) {
    reports[i].name = std::to_string(i);
    reports[i].finalLoss = i == 1 ? 0.2 : 0.1;
    reports[i].speedup = static_cast<double>(i);
  }
  EXPECT_EQ(chooseVariant(reports).name, "2");
  reports[2].finalLoss = 0.3;
  EXPECT_EQ(chooseVariant(reports).name, "0");
}
