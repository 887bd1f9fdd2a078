//===- Progress.cpp - how far training is, for people ---------------------===//
//
// Part of Halfstep, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Training/Progress.h"

#include <cstdio>
#include <unistd.h>

using namespace mp;

Progress::Progress(bool quiet) : quiet(quiet), terminal(::isatty(STDERR_FILENO) == 1), last(Clock::now()) {}

std::string mp::formatScores(const std::vector<Score> &scores) {
  std::string text;
  for (const Score &score : scores) {
    char number[32];
    std::snprintf(number, sizeof(number), "%.4f", score.value);
    text += (text.empty() ? "" : ", ") + score.name + " " + number;
  }
  return text;
}

static std::string makeBar(uint64_t done, uint64_t count) {
  constexpr uint64_t kWidth = 24;
  uint64_t filled = done * kWidth / count;
  std::string bar(filled, '=');
  if (filled < kWidth)
    bar += '>';
  bar.resize(kWidth, ' ');
  return "[" + bar + "]";
}

void Progress::step(const StepRecord &record, uint64_t index, uint64_t count, std::optional<uint64_t> epochs) {
  if (quiet)
    return;
  auto pause = terminal ? std::chrono::milliseconds(100) : std::chrono::milliseconds(5000);
  if (Clock::now() - last < pause)
    return;
  last = Clock::now();
  char numbers[160];
  int length = std::snprintf(numbers, sizeof(numbers), "loss %.4f", record.loss);
  auto add = [&](const char *format, auto value) {
    length += std::snprintf(numbers + length, sizeof(numbers) - size_t(length), format, value);
  };
  if (record.lossScale)
    add(", loss scale %g", *record.lossScale);
  if (record.skipped)
    add(", skipped %llu", static_cast<unsigned long long>(record.skipped));
  add(", %.0f rows/s", record.samplesPerSecond);

  std::string epoch = "epoch " + std::to_string(record.epoch) + (epochs ? "/" + std::to_string(*epochs) : "");
  std::string place = std::to_string(index) + "/" + std::to_string(count);
  if (terminal) {
    std::fprintf(stderr, "\r\033[K%s %s %s %s", epoch.c_str(), makeBar(index, count).c_str(), place.c_str(), numbers);
    std::fflush(stderr);
    barShown = true;
    return;
  }
  std::fprintf(stderr, "%s, step %s: %s\n", epoch.c_str(), place.c_str(), numbers);
}

void Progress::clearBar() {
  if (barShown)
    std::fprintf(stderr, "\r\033[K");
  barShown = false;
}

void Progress::note(const std::string &line) {
  if (quiet)
    return;
  clearBar();
  std::fprintf(stderr, "%s\n", line.c_str());
}
