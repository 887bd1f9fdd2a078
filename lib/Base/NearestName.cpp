// Which name was meant.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Base/NearestName.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

using namespace mp;

/// Levenshtein's distance, in which two neighbours that are exchanged are one mistake; three rows of its table at a
/// time.
static size_t distanceBetween(std::string_view a, std::string_view b) {
  std::vector<size_t> before, above, row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t(0));
  for (size_t i = 0; i < a.size(); ++i) {
    before = std::exchange(above, row);
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      row[j + 1] = std::min({above[j] + (a[i] == b[j] ? 0 : 1), row[j] + 1, above[j + 1] + 1});
      if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j])
        row[j + 1] = std::min(row[j + 1], before[j - 1] + 1);
    }
  }
  return row.back();
}

std::string mp::nearestName(std::string_view word, std::span<const std::string> names) {
  // A word from outside may be of any length; no name is as long.
  constexpr size_t kLongest = 64;
  std::string nearest;
  if (word.size() > kLongest)
    return nearest;
  // A prefix such as `mp.` is no part of what was misspelt.
  const size_t letters = word.size() - (word.rfind('.') + 1);
  size_t least = (letters + 2) / 3 + 1;
  for (const std::string &name : names)
    if (size_t distance = distanceBetween(word, name); distance < least) {
      nearest = name;
      least = distance;
    }
  return nearest;
}

std::string mp::suggestName(std::string_view word, std::span<const std::string> names) {
  std::string nearest = nearestName(word, names);
  return nearest.empty() ? "" : "; did you mean '" + nearest + "'?";
}
