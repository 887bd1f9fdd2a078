// Tables for a terminal.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp-run/TextTable.h"

#include <algorithm>
#include <iomanip>
#include <ostream>

namespace mp {

void printTable(std::ostream &os, const Rows &rows) {
  std::vector<size_t> widths;
  for (const auto &row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  }
  for (const auto &row : rows) {
    for (size_t i = 0; i + 1 < row.size(); ++i)
      os << std::left << std::setw(static_cast<int>(widths[i]) + 2) << row[i];
    os << row.back() << '\n';
  }
}

} // namespace mp
