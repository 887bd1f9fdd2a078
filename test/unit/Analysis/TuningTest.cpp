// Files with the rates of a machine.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Analysis/Tuning.h"

#include "Analysis/PageEnd.h"

#include "gtest/gtest.h"

#include <random>

using namespace mp;
using llvm::StringRef;

static std::string fileOf(StringRef level) { return printTuning(*findCPULevel(level), "a processor"); }

/// `text` with the first `old` replaced.
static std::string edit(std::string text, StringRef old, StringRef replacement) {
  const size_t at = text.find(old);
  EXPECT_NE(at, std::string::npos) << old.str();
  return text.replace(at, old.size(), replacement);
}

static std::string errorOf(const std::string &text) {
  ErrorOr<Tuning> tuning = parseTuning(text);
  EXPECT_FALSE(tuning.ok()) << text;
  return tuning.message();
}

TEST(Tuning, WhatIsWrittenIsRead) {
  for (const CPULevel &level : allCPULevels()) {
    ErrorOr<Tuning> tuning = parseTuning(printTuning(level, "an \"odd\"\tprocessor"));
    ASSERT_TRUE(tuning.ok()) << tuning.message();
    EXPECT_EQ(tuning->level.name, level.name);
    EXPECT_EQ(tuning->processor, "an \"odd\"\tprocessor");
    for (const TuningFigure &figure : tuningFigures())
      EXPECT_DOUBLE_EQ(figure.get(tuning->level), figure.get(level)) << figure.name();
  }
}

TEST(Tuning, EachFigureIsItsOwn) {
  CPULevel level = *findCPULevel("avx512");
  double value = 1e9;
  for (const TuningFigure &figure : tuningFigures())
    figure.set(level, figure.most < value ? 0.125 : value += 1e9);
  EXPECT_EQ(level.contractionRates, (std::array<double, 4>{4e9, 3e9, 2e9, 100e9})); // f16, bf16, f32, and f64 as it was
  EXPECT_EQ(level.mapRates, (std::array<double, 4>{7e9, 6e9, 5e9, 25e9}));
  EXPECT_EQ(level.memoryBandwidth, 8e9);
  EXPECT_EQ(level.cacheBandwidth, 9e9);
  EXPECT_EQ(level.cacheBytes, 10'000'000'000);
  EXPECT_EQ(level.launchSeconds, 0.125);
  ErrorOr<Tuning> tuning = parseTuning(printTuning(level, ""));
  ASSERT_TRUE(tuning.ok()) << tuning.message();
  for (const TuningFigure &figure : tuningFigures())
    EXPECT_EQ(figure.get(tuning->level), figure.get(level)) << figure.name();
}

TEST(Tuning, FiguresAreWithinBounds) {
  const std::string good = fileOf("avx512bf16");
  for (const char *wrong : {"0", "-2e+11", "1e30", "1e999", "-1e999", "1e-30"})
    EXPECT_EQ(errorOf(edit(good, "2e+11", wrong))
                  .find("contraction_operations_per_second.f32: expected a number from "
                        "1e+06 to 1e+16, found "),
              0U)
        << wrong;
  for (const char *wrong : {"null", "true", "\"2e11\"", "[2e11]", "{}"})
    EXPECT_EQ(errorOf(edit(good, "2e+11", wrong)),
              "contraction_operations_per_second.f32: expected a number from 1e+06 to 1e+16, found something else");
  EXPECT_EQ(errorOf(edit(good, "1048576", "1048576.5")),
            "cache_bytes: expected a whole number from 1024 to 1.09951e+12, found 1.04858e+06");
  EXPECT_EQ(errorOf(edit(good, "1e-06", "0")), "launch_seconds: expected a number from 1e-09 to 1, found 0");
}

TEST(Tuning, FieldsAreThoseOfTheFormat) {
  const std::string good = fileOf("avx512bf16");
  EXPECT_EQ(errorOf(edit(good, "\"f32\": 2e+11,", "")),
            "contraction_operations_per_second.f32: is missing; expected a number from 1e+06 to 1e+16");
  EXPECT_EQ(errorOf(edit(good, "\"f32\": 2e+11,", "\"f32\": 2e+11, \"f8\": 1e+11,")),
            "contraction_operations_per_second.f8: is not a field of such files; expected f32, bf16, f16");
  EXPECT_EQ(errorOf(edit(good, "\"launch_seconds\"", "\"launch_\\u009b\"")).find("launch_??: is not a field of such"),
            0U);
  EXPECT_EQ(errorOf(edit(good, "\"level\"", "\"blockSeconds\": 1, \"level\"")).find("blockSeconds: is not a field"),
            0U);
  EXPECT_EQ(errorOf(edit(good, "\"cache_bytes\": 1048576,", "")),
            "cache_bytes: is missing; expected a whole number from 1024 to 1.09951e+12");
  EXPECT_EQ(errorOf(edit(good, "\"level\": \"avx512bf16\",", "")).find("level: expected one of sse2, avx2"), 0U);
  EXPECT_NE(errorOf(edit(good, "\"avx512bf16\"", "\"avx1024\"")).find(", found 'avx1024'"), std::string::npos);
  EXPECT_EQ(errorOf(edit(good, "\"a processor\"", "7")).find("processor: expected the text"), 0U);
}

TEST(Tuning, FieldsAreThereOnce) {
  const std::string good = fileOf("avx512bf16");
  EXPECT_EQ(errorOf(edit(good, "\"launch_seconds\"", "\"launch_seconds\": 1e-3, \"launch_seconds\"")),
            "a field is there twice");
  EXPECT_EQ(errorOf(edit(good, "\"f32\": 2e+11,", "\"f32\": 2e+11, \"f32\": 2e+11,")), "a field is there twice");
  EXPECT_TRUE(parseTuning(edit(good, "a processor", "a: \\\"b\\\": {[")).ok());
}

TEST(Tuning, OtherVersionsAndTextsAreRefused) {
  const std::string good = fileOf("avx2");
  EXPECT_EQ(errorOf(edit(good, "\"halfstep_tuning\": 1", "\"halfstep_tuning\": 2")),
            "halfstep_tuning: is of another version; expected 1");
  EXPECT_EQ(errorOf("{}"), "halfstep_tuning: is missing; expected 1");
  EXPECT_EQ(errorOf("[]"), "line 1: expected a JSON object");
  EXPECT_EQ(errorOf(edit(good, "1e+11", "NaN")).find("line 6, column 12: "), 0U) << errorOf(edit(good, "1e+11", "NaN"));
  EXPECT_EQ(errorOf(std::string(10000, '[')), "brackets nest too deeply");
  EXPECT_EQ(errorOf("{\"\\\"\": " + std::string(10000, '[')), "brackets nest too deeply");
  EXPECT_FALSE(errorOf("").empty());
}

TEST(Tuning, TheHashIsOfTheText) {
  const std::string text = fileOf("avx2");
  const std::string hash = parseTuning(text)->hash;
  EXPECT_EQ(hash.size(), 16U);
  EXPECT_EQ(parseTuning(text)->hash, hash);
  EXPECT_NE(parseTuning(edit(text, "a processor", "b processor"))->hash, hash);
}

/// Any text is read or refused in one line, and nothing behind it is looked at.
TEST(Tuning, AnyTextIsReadOrRefused) {
  const std::string good = fileOf("avx512bf16");
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    std::string text = good.substr(0, round % 3 == 0 ? random() % good.size() : good.size());
    for (unsigned edits = random() % 4; edits > 0 && !text.empty(); --edits)
      text[random() % text.size()] = static_cast<char>(round % 2 ? "{}[]\",:.-+e019 \\"[random() % 16] : random());
    PageEnd end(text);
    ErrorOr<Tuning> tuning = parseTuning(end.text());
    if (!tuning) {
      EXPECT_FALSE(tuning.message().empty());
      EXPECT_EQ(tuning.message().find('\n'), std::string::npos) << tuning.message();
      continue;
    }
    for (const TuningFigure &figure : tuningFigures()) {
      EXPECT_GE(figure.get(tuning->level), figure.least);
      EXPECT_LE(figure.get(tuning->level), figure.most);
    }
  }
}
