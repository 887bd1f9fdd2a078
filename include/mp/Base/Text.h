// Text for people.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_BASE_TEXT_H
#define MP_BASE_TEXT_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace mp {

/// Whether `text` is UTF-8, which JSON needs, without control characters, which could fool a terminal: neither those of
/// ASCII nor U+0080 to U+009F.
bool isPlainText(std::string_view text);

/// The most bytes of what an executable and its checkpoints call a model or a policy.
inline constexpr size_t kLongestLabel = 255;

/// The beginning of `text` with a '?' for each byte that is not of plain text, at most `longest` bytes: whole
/// characters.
std::string printable(std::string_view text, size_t longest = 80);

/// "300 bytes", "2.6 MiB": to a tenth of the largest unit that there is one of.
std::string formatBytes(uint64_t bytes);

} // namespace mp

#endif // MP_BASE_TEXT_H
