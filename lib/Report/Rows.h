// The rows of a table of variants.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_REPORT_ROWS_H
#define MP_LIB_REPORT_ROWS_H

#include "mp/Report/Comparison.h"

#include <functional>

namespace mp {

struct ReportRow {
  std::string name;
  std::function<std::string(const VariantReport &)> cell;
};

/// What is known of any variant: ops are counted for each type that one of them computes in.
std::vector<ReportRow> makeRows(const std::vector<VariantReport> &reports);

/// A number by a pattern of printf.
std::string formatNumber(const char *pattern, double value);
/// "2^16" for a power of two.
std::string formatScale(double scale);

} // namespace mp

#endif // MP_LIB_REPORT_ROWS_H
