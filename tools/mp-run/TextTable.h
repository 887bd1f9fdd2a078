// Tables for a terminal.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TOOLS_MP_RUN_TEXTTABLE_H
#define MP_TOOLS_MP_RUN_TEXTTABLE_H

#include <iosfwd>
#include <string>
#include <vector>

namespace mp {

using Rows = std::vector<std::vector<std::string>>;

/// Columns as wide as their widest entry; the last is not padded.
void printTable(std::ostream &os, const Rows &rows);

} // namespace mp

#endif // MP_TOOLS_MP_RUN_TEXTTABLE_H
