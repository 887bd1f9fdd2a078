// A series as a drawing of characters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Report/Drawing.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <optional>
#include <ostream>

namespace mp {

static constexpr size_t kColumns = 66;
static constexpr size_t kLines = 8;

/// The mean of each column's finite values, or nothing where there are none.
static std::vector<std::optional<double>> meansOfColumns(const std::vector<float> &values, Scale scale) {
  size_t columns = std::min(kColumns, values.size());
  std::vector<std::optional<double>> means(columns);
  for (size_t column = 0; column < columns; ++column) {
    double sum = 0;
    size_t count = 0;
    for (size_t i = values.size() * column / columns; i < values.size() * (column + 1) / columns; ++i) {
      double value = scale == Scale::PowersOfTwo ? std::log2(values[i]) : values[i];
      if (!std::isfinite(value))
        continue;
      sum += value;
      ++count;
    }
    if (count > 0)
      means[column] = sum / count;
  }
  return means;
}

void drawSeries(std::ostream &os, const std::string &title, const std::vector<float> &values, Scale scale) {
  std::vector<std::optional<double>> means = meansOfColumns(values, scale);
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (std::optional<double> mean : means)
    if (mean) {
      low = std::min(low, *mean);
      high = std::max(high, *mean);
    }
  if (low > high)
    return;
  std::vector<std::string> lines(kLines, std::string(means.size(), ' '));
  for (size_t column = 0; column < means.size(); ++column) {
    if (!means[column])
      continue;
    double height = high > low ? (*means[column] - low) / (high - low) : 0;
    lines[kLines - 1 - static_cast<size_t>(std::lround(height * (kLines - 1)))][column] = '*';
  }
  os << title << " over " << values.size() << " steps\n";
  for (size_t line = 0; line < kLines; ++line) {
    char label[32] = "";
    if (line == 0 || line == kLines - 1)
      std::snprintf(label, sizeof label, scale == Scale::PowersOfTwo ? "2^%.1f" : "%.4f", line == 0 ? high : low);
    std::snprintf(label + 16, 16, "%10.10s |", label);
    os << (label + 16) << lines[line] << '\n';
  }
}

} // namespace mp
