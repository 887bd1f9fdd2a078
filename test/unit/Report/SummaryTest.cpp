// What a comparison shows, in words.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Report/Summary.h"

#include "Report/Examples.h"

#include <gtest/gtest.h>

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
  EXPECT_EQ(describeVerdict(comparison)[0], "mixed_float16 is as good as float32 and 1.50 times as fast");
  other.speedup = kUnknown;
  EXPECT_EQ(describeVerdict(comparison)[0], "mixed_float16 is as good as float32");
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
  EXPECT_EQ(describeVerdict(comparison)[0], "mixed_float16 is as good as float32 and 2.00 times as fast");
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

TEST(Summary, TheFirstIsChosenForItsLossWhereThereIsNoAccuracy) {
  std::vector<VariantReport> reports(3);
  for (size_t i = 0; i < reports.size(); ++i) {
    reports[i].name = std::to_string(i);
    reports[i].finalLoss = i == 1 ? 0.2 : 0.1;
    reports[i].speedup = static_cast<double>(i);
  }
  EXPECT_EQ(chooseVariant(reports).name, "2");
  reports[2].finalLoss = 0.3;
  EXPECT_EQ(chooseVariant(reports).name, "1");
}
