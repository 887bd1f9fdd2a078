// Which name was meant.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_BASE_NEARESTNAME_H
#define MP_BASE_NEARESTNAME_H

#include <span>
#include <string>
#include <string_view>

namespace mp {

/// The one of `names` that takes the fewest letters put in, left out, changed or exchanged with the next to make of
/// `word`: the first of several. Empty where that is more than a third of the letters (rounded up; those up to a dot do
/// not count), so that nothing is likely to be meant.
std::string nearestName(std::string_view word, std::span<const std::string> names);

/// "; did you mean 'NAME'?" for the nearest name, or nothing.
std::string suggestName(std::string_view word, std::span<const std::string> names);

} // namespace mp

#endif // MP_BASE_NEARESTNAME_H
