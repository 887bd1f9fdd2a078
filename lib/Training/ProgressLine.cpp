// A step in one line of a terminal.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Training/ProgressLine.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <sys/ioctl.h>
#include <unistd.h>

using namespace mp;

size_t mp::terminalWidth() {
  winsize size = {};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return size.ws_col;
  std::string_view given = std::getenv("COLUMNS") ? std::getenv("COLUMNS") : "";
  size_t columns = 0;
  std::from_chars(given.data(), given.data() + given.size(), columns);
  return columns > 0 ? columns : 80;
}

template <typename T> static std::string format(const char *pattern, T value) {
  char text[64];
  std::snprintf(text, sizeof(text), pattern, value);
  return text;
}

/// "1:05", "2:00:31".
static std::string formatTime(double seconds) {
  constexpr double kMost = 3600.0 * 24 * 365;
  uint64_t whole = std::isfinite(seconds) ? static_cast<uint64_t>(std::min(seconds, kMost)) : 0;
  char text[32];
  uint64_t hours = whole / 3600, minutes = whole / 60 % 60;
  if (hours > 0)
    std::snprintf(text, sizeof(text), "%zu:%02zu:%02zu", size_t(hours), size_t(minutes), size_t(whole % 60));
  else
    std::snprintf(text, sizeof(text), "%zu:%02zu", size_t(minutes), size_t(whole % 60));
  return text;
}

static std::string makeBar(uint64_t done, uint64_t count, size_t width) {
  size_t filled =
      count ? static_cast<size_t>(static_cast<double>(done) / static_cast<double>(count) * double(width)) : 0;
  std::string bar(std::min(filled, width), '=');
  if (bar.size() < width)
    bar += '>';
  bar.resize(width, ' ');
  return "[" + bar + "]";
}

namespace {

/// The parts of a line; an empty one is left out.
struct Parts {
  std::string epoch, position, loss, scale, skipped, rate, time;

  Parts(const StepRecord &record, const ProgressPosition &at, double elapsed, std::optional<double> left)
      : epoch("epoch " + std::to_string(record.epoch) + (at.epochs ? "/" + std::to_string(*at.epochs) : "")),
        position(std::to_string(at.index) + (at.count ? "/" + std::to_string(*at.count) : "")),
        loss(std::isnan(record.loss) ? "loss nan" : format("loss %.4f", record.loss)),
        scale(record.lossScale ? format("scale %g", *record.lossScale) : ""),
        skipped(record.skipped ? "skipped " + std::to_string(record.skipped) : ""),
        rate(format("%.0f rows/s", record.samplesPerSecond)),
        time(formatTime(elapsed) + (left ? ", " + formatTime(*left) + " left" : "")) {}

  std::string numbers() const {
    std::string text = loss;
    for (const std::string *part : {&scale, &skipped, &rate, &time})
      if (!part->empty())
        text += ", " + *part;
    return text;
  }

  /// The line, with `bar` between epoch and position.
  std::string join(const std::string &bar) const {
    std::string text = epoch;
    for (const std::string &part : {bar, position, numbers()})
      text += (text.empty() || part.empty() ? "" : " ") + part;
    return text;
  }
};

} // namespace

std::string mp::formatStep(const StepRecord &record, const ProgressPosition &position, double elapsed,
                           std::optional<double> left) {
  Parts parts(record, position, elapsed, left);
  return parts.epoch + ", step " + parts.position + ": " + parts.numbers();
}

std::string mp::fitStep(const StepRecord &record, const ProgressPosition &position, double elapsed,
                        std::optional<double> left, size_t width) {
  constexpr size_t kLeastBar = 6, kMostBar = 24;
  constexpr size_t kBarFrame = 3; // its brackets and the space before it
  Parts parts(record, position, elapsed, left);
  if (!position.count)
    parts.position = "step " + parts.position;
  if (parts.join("").size() + kBarFrame + kLeastBar > width)
    parts.rate.clear();
  for (std::string *part : {&parts.skipped, &parts.scale, &parts.epoch})
    if (parts.join("").size() > width)
      part->clear();
  if (parts.join("").size() > width)
    parts.time = formatTime(elapsed) + (left ? "<" + formatTime(*left) : ""); // as tqdm has it
  for (std::string *part : {&parts.position, &parts.time})
    if (parts.join("").size() > width)
      part->clear();
  size_t used = parts.join("").size() + kBarFrame;
  if (!position.count || used + kLeastBar > width)
    return parts.join("").substr(0, width);
  return parts.join(makeBar(position.index, *position.count, std::min(kMostBar, width - used)));
}
