// A series as a drawing of characters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_REPORT_DRAWING_H
#define MP_LIB_REPORT_DRAWING_H

#include <iosfwd>
#include <string>
#include <vector>

namespace mp {

enum class Scale { Linear, PowersOfTwo };

/// Draws `values` over their index, 66 columns by 8 lines, 78 with the range at the left. Each column shows the mean of
/// the values that fall into it; values that are not finite are left out. Nothing is drawn of an empty series.
void drawSeries(std::ostream &os, const std::string &title, const std::vector<float> &values, Scale scale);

} // namespace mp

#endif // MP_LIB_REPORT_DRAWING_H
