// The table of variants for a terminal.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Report/Drawing.h"
#include "Report/Rows.h"

#include <algorithm>
#include <ostream>

namespace mp {

/// What a line of a terminal holds everywhere.
static constexpr size_t kLineWidth = 80;

static size_t widthOf(const VariantReport &report, const std::vector<ReportRow> &rows) {
  size_t width = 0;
  for (const ReportRow &row : rows)
    width = std::max(width, row.cell(report).size());
  return width;
}

static void printTable(std::ostream &os, const std::vector<VariantReport> &reports) {
  constexpr size_t kGap = 2;
  std::vector<ReportRow> rows = makeRows(reports);
  size_t nameWidth = 0;
  for (const ReportRow &row : rows)
    nameWidth = std::max(nameWidth, row.name.size());
  for (size_t first = 0, last; first < reports.size(); first = last) {
    std::vector<size_t> widths;
    size_t used = nameWidth;
    for (last = first; last < reports.size(); ++last) {
      size_t width = widthOf(reports[last], rows);
      if (last > first && used + kGap + width > kLineWidth)
        break;
      widths.push_back(width);
      used += kGap + width;
    }
    os << (first > 0 ? "\n" : "");
    for (const ReportRow &row : rows) {
      os << row.name << std::string(nameWidth - row.name.size(), ' ');
      for (size_t i = first; i < last; ++i) {
        std::string cell = row.cell(reports[i]);
        os << std::string(kGap + widths[i - first] - cell.size(), ' ') << cell;
      }
      os << '\n';
    }
  }
}

void printReport(std::ostream &os, const std::vector<VariantReport> &reports) {
  printTable(os, reports);
  for (const VariantReport &report : reports) {
    // What a policy chose by itself is said in the words in which one would ask for it.
    const std::string &policy = report.isByCost ? report.compiledPolicy : report.policy;
    os << '\n' << (report.name == policy ? "" : report.name + " is ") << policy << '\n';
    drawSeries(os, "loss", report.losses, Scale::Linear);
    bool isScaled = std::any_of(report.lossScales.begin(), report.lossScales.end(), [](float s) { return s != 1; });
    if (isScaled)
      drawSeries(os, "loss scale", report.lossScales, Scale::PowersOfTwo);
  }
}

} // namespace mp
