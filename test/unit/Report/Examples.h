// Comparisons that tests look at.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_REPORT_EXAMPLES_H
#define MP_TEST_REPORT_EXAMPLES_H

#include "mp/Report/Comparison.h"

#include <cmath>

namespace mp {

/// Two variants of everything that a report shows; `text` is in each name, place, reason and stage.
inline Comparison exampleComparison(const std::string &text = "dense") {
  Comparison comparison;
  comparison.device = "cpu";
  comparison.model = "clothes " + text;
  comparison.data = "folder/" + text;
  comparison.seed = 3;
  comparison.rows = 800;
  comparison.testRows = 100;
  for (const char *policy : {"float32", "mixed_float16"}) {
    const bool isFirst = comparison.variants.empty();
    VariantReport report;
    report.policy = isFirst ? policy : policy + (":deny=loc:" + text);
    report.compiledPolicy = report.policy;
    report.testAccuracy = isFirst ? 0.75 : 0.5;
    report.finalLoss = isFirst ? 0.5 : 0.75;
    report.secondsPerStep = isFirst ? 0.004 : 0.008;
    report.peakBytes = isFirst ? 3 << 20 : 2 << 20;
    report.opsByType = {{isFirst ? "f32" : "f16", 7}};
    report.casts = isFirst ? 0 : 5;
    report.skippedSteps = isFirst ? 0 : 3;
    report.lossScale = isFirst ? 1 : 1024;
    report.accuracies = {report.testAccuracy};
    report.losses = {2, 1.5f, NAN, 1, 0.5f, 0.25f};
    report.lossScales = isFirst ? std::vector<float>(6, 1) : std::vector<float>{4096, 4096, 4096, 2048, 1024, 1024};
    if (!isFirst)
      report.skips = {{2, text}, {3, text}, {5, ""}};
    report.memory = {{"parameters", 1 << 20}, {text, 1 << 19}};
    report.kernels = {{"matmul_1", isFirst ? 0.001 : 0.004}, {"matmul_2", 0.001}, {"adam_3", 0.002}, {text, 1e-6}};
    report.ops = {{"model", text + " 3:4", "mp.matmul", isFirst ? "f32" : "f16", "f32", "allow", "deny=" + text}};
    report.stages = {{"autocast", "func.func @model(" + text + ")"}};
    comparison.variants.push_back(std::move(report));
  }
  compareSpeed(comparison.variants);
  nameVariants(comparison.variants);
  return comparison;
}

} // namespace mp

#endif // MP_TEST_REPORT_EXAMPLES_H
