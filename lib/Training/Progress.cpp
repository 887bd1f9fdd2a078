// How far training is, for people.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Training/Progress.h"
#include "Training/ProgressLine.h"

#include <cmath>
#include <cstdio>
#include <unistd.h>

using namespace mp;

Progress::Progress(bool quiet, bool isBar)
    : quiet(quiet), terminal(::isatty(STDERR_FILENO) == 1), isBar(terminal || isBar), begin(Clock::now()), last(begin) {
}

std::string mp::formatScores(const std::vector<Score> &scores) {
  std::string text;
  for (const Score &score : scores) {
    char number[32];
    std::snprintf(number, sizeof(number), "%.4f", std::isnan(score.value) ? std::fabs(score.value) : score.value);
    text += (text.empty() ? "" : ", ") + score.name + " " + number;
  }
  return text;
}

void Progress::step(const StepRecord &record, const ProgressPosition &position) {
  done += 1;
  if (quiet)
    return;
  auto pause = isBar ? std::chrono::milliseconds(100) : std::chrono::milliseconds(5000);
  Clock::time_point now = Clock::now();
  if (now - last < pause)
    return;
  last = now;
  double elapsed = std::chrono::duration<double>(now - begin).count();
  std::optional<double> left;
  if (position.left)
    left = elapsed / static_cast<double>(done) * static_cast<double>(*position.left);
  if (!isBar) {
    std::fprintf(stderr, "%s\n", formatStep(record, position, elapsed, left).c_str());
    return;
  }
  // A terminal goes to the next line after its last column.
  draw(fitStep(record, position, elapsed, left, terminalWidth() - 1));
}

void Progress::draw(const std::string &line) {
  const size_t before = terminal ? 0 : shown.value_or(0);
  const std::string blank(before > line.size() ? before - line.size() : 0, ' ');
  std::fprintf(stderr, "\r%s%s%s", terminal ? "\033[K" : "", line.c_str(), blank.c_str());
  std::fflush(stderr);
  shown = line.size();
}

void Progress::clearBar() {
  if (!shown)
    return;
  draw("");
  if (!terminal)
    std::fprintf(stderr, "\r");
  shown.reset();
}

void Progress::note(const std::string &line) {
  if (quiet)
    return;
  clearBar();
  std::fprintf(stderr, "%s\n", line.c_str());
}
