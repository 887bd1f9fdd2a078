// Text as HTML has it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_REPORT_HTML_H
#define MP_LIB_REPORT_HTML_H

#include <string>
#include <string_view>

namespace mp {

/// Any text as the content of an element or an attribute in quotes: no markup is left in it.
std::string escapeHtml(std::string_view text);

} // namespace mp

#endif // MP_LIB_REPORT_HTML_H
