// Comparisons and logs, read from files that nobody vouches for.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Report/Comparison.h"

#include "Report/Examples.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

using namespace mp;

TEST(ReadRuns, WhatWasWrittenIsReadBack) {
  const std::string text = writeJson(exampleComparison("a <b> \"c\" \xc3\xbc"));
  ErrorOr<Comparison> read = readRuns(text);
  ASSERT_TRUE(read) << read.message();
  EXPECT_EQ(writeJson(*read), text);
  EXPECT_EQ(writePage(*read), writePage(exampleComparison("a <b> \"c\" \xc3\xbc")));
}

TEST(ReadRuns, ALogIsOneRun) {
  ErrorOr<Comparison> read = readRuns(
      "{\"step\":11,\"epoch\":2,\"loss\":0.5,\"loss_scale\":8.0,\"found_inf\":false,\"skipped\":0}\n"
      "{\"step\":12,\"epoch\":2,\"loss\":null,\"loss_scale\":8.0,\"found_inf\":true,\"skipped\":1,\"gradient\":\"w\"}\n"
      "\n"
      "{\"step\":12,\"epoch\":2,\"test_loss\":0.4,\"test_mse\":3.5,\"test_top5\":0.9,\"test_accuracy\":0.7}\n"
      "{\"step\":13,\"epoch\":2,\"loss\":0.25,\"loss_scale\":4.0,\"fou");
  ASSERT_TRUE(read) << read.message();
  const VariantReport &run = read->variants.at(0);
  EXPECT_EQ(run.firstStep, 11u);
  ASSERT_EQ(run.losses.size(), 2u); // the last line was cut when the run was killed
  EXPECT_EQ(run.losses[0], 0.5f);
  EXPECT_TRUE(std::isnan(run.losses[1]));
  ASSERT_EQ(run.skips.size(), 1u);
  EXPECT_EQ(run.skips[0].step, 12u);
  EXPECT_EQ(run.skips[0].gradient, "w");
  EXPECT_EQ(run.testAccuracy, 0.7);
  EXPECT_EQ(run.lossScale, 8);
  EXPECT_TRUE(std::isnan(run.secondsPerStep));
}

TEST(ReadRuns, AStepMayListManyKernels) {
  std::string kernels;
  for (unsigned i = 0; i < 2000; ++i)
    kernels += (i ? ",{\"kernel\":\"matmul_" : "{\"kernel\":\"matmul_") + std::to_string(i) + "\",\"us\":1.0}";
  const std::string text = "{\"step\":1,\"loss\":0.5,\"kernels\":[" + kernels + "]}\n{\"step\":2,\"loss\":0.25}\n";
  ASSERT_GT(text.size(), size_t(1) << 16);
  ErrorOr<Comparison> read = readRuns(text);
  ASSERT_TRUE(read) << read.message();
  EXPECT_EQ(read->variants.at(0).losses.size(), 2u);
}

TEST(ReadRuns, WhatIsNoneIsRefused) {
  const std::string step = "{\"step\":1,\"loss\":1.0}\n";
  const std::pair<std::string, const char *> rows[] = {
      {"", "is not JSON at byte 1"},
      {"null", "is neither what mp-run compare --json writes nor what mp-run train --log does"},
      {"[1]", "is neither what mp-run compare --json writes nor what mp-run train --log does"},
      {"{\"policies\": []}", "its list of policies is empty"},
      {"{\"policies\": {}}", "policies is of type object, expected a list"},
      {"{\"policies\": [7]}", "policies[0] is of type number, expected an object"},
      {"{\"policies\": [{}, {\"speedup\": 1, \"final_loss\": \"1\"}]}",
       "policies[1].final_loss is of type string, expected a number"},
      {"{\"policies\": [{\"peak_bytes\": -1}]}",
       "policies[0].peak_bytes is of type number, expected a whole number of at least 0"},
      {"{\"policies\": [{\"steps\": {\"loss\": [1, \"x\"]}}]}",
       "policies[0].steps.loss is of type string, expected numbers"},
      {"{\"policies\": [{\"ops\": [{\"op\": 3}]}]}", "policies[0].ops[0].op is of type number, expected text"},
      {"{\"policies\": [{}], \"model\": 1}", "model is of type number, expected text"},
      {"{\"policies\": [{}], \"seed\": \"0\"}", "seed is of type string, expected a whole number of at least 0"},
      {"{\"policies\": [{}], \"test_rows\": -1}", "test_rows is of type number, expected a whole number of at least 0"},
      {"{\"policies\": [{\"by_cost\": 0}]}", "policies[0].by_cost is of type number, expected true or false"},
      {"{\"policies\": [{\"ops_by_type\": {\"f\\u001b16\": \"x\"}}]}",
       "policies[0].ops_by_type.f?16 is of type string, expected a whole number of at least 0"},
      {"{\"policies\": [{\"final_loss\": NaN}]}", "is not JSON at byte 30"},
      {"{\"policies\": [{\"policy\": \"\xff\"}]}", "is not JSON at byte 27"},
      {"{\"policies\": [", "is not JSON at byte 15"},
      {step + "x\n" + step, "line 2: is not JSON at byte 1"},
      {step + "{\"step\":\"2\",\"loss\":1}\n", "line 2: step is of type string, expected a whole number of at least 0"},
      {step + std::string(1 << 24, ' ') + "{}\n", "line 2: has 16777218 bytes, more than a step of a log"},
      {"{\"step\":1,\"test_loss\":1.0}\n{}\n", "has no steps of a run"},
      {"{\"step\":1,\"loss\":1e999}", "is not JSON at byte 0"},
  };
  for (const auto &[text, message] : rows) {
    ErrorOr<Comparison> read = readRuns(text);
    EXPECT_FALSE(read) << text;
    EXPECT_EQ(read.message(), message) << text;
  }
}

TEST(ReadRuns, FieldsMayBeMissing) {
  ErrorOr<Comparison> read = readRuns("{\"policies\": [{}, {\"final_loss\": null, \"other\": [[]]}]}");
  ASSERT_TRUE(read) << read.message();
  EXPECT_EQ(read->variants.size(), 2u);
  EXPECT_EQ(read->model + read->data, "");
  EXPECT_FALSE(read->seed);
  EXPECT_EQ(read->testRows, 0u);
  EXPECT_NE(writePage(*read).find("loss, last epoch"), std::string::npos);
}

/// As in a comparison the loss is that of the last epoch, whatever is between its steps.
TEST(ReadRuns, FinalLossIsTheMeanOfTheLastEpoch) {
  auto final = [](const std::string &text) {
    ErrorOr<Comparison> read = readRuns(text);
    return read ? read->variants.front().finalLoss : -1;
  };
  const std::string first = "{\"step\":1,\"epoch\":1,\"loss\":8.0}\n{\"step\":2,\"epoch\":1,\"loss\":2.0}\n";
  EXPECT_EQ(final(first), 5);
  EXPECT_EQ(final(first + "{\"step\":2,\"epoch\":1,\"test_loss\":9.0}\n{\"step\":3,\"epoch\":2,\"loss\":1.0}\n"
                          "{\"step\":4,\"epoch\":2,\"loss\":0.5}\n"),
            0.75);
  EXPECT_EQ(final("{\"step\":1,\"loss\":8.0}\n{\"step\":2,\"loss\":2.0}\n"), 5);
}

TEST(ReadRuns, DepthAndWidthEndNothing) {
  const size_t depth = 1000000;
  EXPECT_FALSE(readRuns(std::string(depth, '[')));
  EXPECT_FALSE(readRuns("{\"policies\": " + std::string(depth, '[') + std::string(depth, ']') + "}"));
  std::string wide = "{\"policies\": [{\"ops_by_type\": {\"a\": 1";
  for (int i = 0; i < 100000; ++i)
    wide += ",\"" + std::to_string(i) + "\": 1";
  EXPECT_TRUE(readRuns(wide + "}}]}"));
}

/// Bytes that are changed, cut out or doubled: an error, or a page.
TEST(ReadRuns, AnyBytesAreAnErrorOrAPage) {
  const std::string comparison = writeJson(exampleComparison());
  const std::string log =
      "{\"step\":1,\"epoch\":1,\"loss\":0.5,\"loss_scale\":8.0,\"found_inf\":true,\"gradient\":\"w\"}\n"
      "{\"step\":1,\"epoch\":1,\"test_loss\":0.4,\"test_accuracy\":0.7}\n";
  const unsigned rounds = std::getenv("HALFSTEP_LONG") ? 200000 : 2000;
  std::mt19937 random(1);
  constexpr std::string_view kBytes = "\"{}[]:,0123456789.eE-+ntfu\\ \n\xff\x00<&";
  unsigned pages = 0;
  for (unsigned round = 0; round < rounds; ++round) {
    std::string text = round % 2 ? comparison : log;
    for (unsigned change = 0; change <= random() % 3; ++change) {
      const size_t at = random() % text.size(), length = random() % 8;
      if (random() % 3 == 0)
        text.erase(at, length);
      else if (random() % 3 == 0)
        text.insert(at, text.substr(random() % text.size(), length));
      else
        text[at] = kBytes[random() % kBytes.size()];
      if (text.empty())
        text = "{";
    }
    ErrorOr<Comparison> read = readRuns(text);
    if (!read)
      continue;
    ++pages;
    EXPECT_NE(writePage(*read).find("</html>"), std::string::npos);
    EXPECT_TRUE(readRuns(writeJson(*read)));
  }
  EXPECT_GT(pages, rounds / 20);
  EXPECT_LT(pages, rounds);
}
