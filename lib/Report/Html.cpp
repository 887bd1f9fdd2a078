// Text as HTML has it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Report/Html.h"

namespace mp {

std::string escapeHtml(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (char c : text) {
    switch (c) {
    case '&':
      escaped += "&amp;";
      break;
    case '<':
      escaped += "&lt;";
      break;
    case '>':
      escaped += "&gt;";
      break;
    case '"':
      escaped += "&quot;";
      break;
    case '\'':
      escaped += "&#39;";
      break;
    default:
      // Pages have no control characters but these two.
      escaped += static_cast<unsigned char>(c) < ' ' && c != '\n' && c != '\t' ? std::string("\xEF\xBF\xBD")
                                                                               : std::string(1, c);
    }
  }
  return escaped;
}

} // namespace mp
