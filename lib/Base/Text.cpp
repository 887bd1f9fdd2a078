// Text for people.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Base/Text.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <iterator>

using namespace mp;

/// The bytes of the plain character that `text` begins with; 0 where it begins with none.
static size_t plainBytes(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  if (first < 0x80)
    return first >= 0x20 && first != 0x7f ? 1 : 0;
  const size_t bytes = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc0 || first >= 0xf8 || text.size() < bytes)
    return 0;
  uint32_t point = first & (0x7f >> bytes);
  for (size_t i = 1; i < bytes; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    if ((next & 0xc0) != 0x80)
      return 0;
    point = point << 6 | (next & 0x3f);
  }
  // Each character has one form, the shortest; those of two bytes begin with control characters.
  constexpr uint32_t kLeast[] = {0, 0, 0xa0, 0x800, 0x10000};
  const bool isSurrogate = point >= 0xd800 && point < 0xe000;
  return point >= kLeast[bytes] && point <= 0x10ffff && !isSurrogate ? bytes : 0;
}

bool mp::isPlainText(std::string_view text) {
  while (!text.empty()) {
    const size_t bytes = plainBytes(text);
    if (bytes == 0)
      return false;
    text.remove_prefix(bytes);
  }
  return true;
}

std::string mp::printable(std::string_view text, size_t longest) {
  std::string shown;
  while (!text.empty()) {
    const size_t plain = plainBytes(text), bytes = plain ? plain : 1;
    if (shown.size() + bytes > longest)
      break;
    shown += plain ? text.substr(0, bytes) : "?";
    text.remove_prefix(bytes);
  }
  return shown;
}

std::string mp::formatBytes(uint64_t bytes) {
  constexpr const char *kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(kUnits); ++unit)
    value /= 1024;
  char text[32];
  std::snprintf(text, sizeof(text), unit ? "%.1f %s" : "%.0f %s", value, kUnits[unit]);
  return text;
}
