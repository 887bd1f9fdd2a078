// Values that share memory over time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Kernels/Memory/Arena.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <queue>
#include <set>

using namespace mp;

/// Between large values: were they whole pages apart, a processor would take what is loaded from a row of one for what
/// was just stored to the same place of a page in another, and wait for it.
static constexpr int64_t kLeastSpaced = 1 << 18, kSpace = 5 * kBufferAlignment;

namespace {

/// Free byte ranges below the end, joined where they touch.
class Holes {
public:
  /// The start of `bytes` bytes: of the smallest hole that fits, else of the end, which moves.
  int64_t take(int64_t bytes) {
    auto fit = bySize.lower_bound({bytes, 0});
    if (fit != bySize.end()) {
      auto [size, offset] = *fit;
      remove(offset, size);
      if (size > bytes)
        add(offset + bytes, size - bytes);
      return offset;
    }
    // A hole at the end grows.
    int64_t offset = end;
    if (!byOffset.empty()) {
      auto [last, size] = *byOffset.rbegin();
      if (last + size == end) {
        offset = last;
        remove(last, size);
      }
    }
    end = offset + bytes;
    return offset;
  }

  void giveBack(int64_t offset, int64_t size) {
    auto next = byOffset.lower_bound(offset);
    if (next != byOffset.end() && next->first == offset + size) {
      size += next->second;
      remove(next->first, next->second);
    }
    auto previous = byOffset.lower_bound(offset);
    if (previous != byOffset.begin()) {
      --previous;
      if (previous->first + previous->second == offset) {
        auto [start, bytes] = *previous;
        remove(start, bytes);
        offset = start;
        size += bytes;
      }
    }
    add(offset, size);
  }

  int64_t getEnd() const { return end; }

private:
  void add(int64_t offset, int64_t size) {
    byOffset[offset] = size;
    bySize.insert({size, offset});
  }
  void remove(int64_t offset, int64_t size) {
    byOffset.erase(offset);
    bySize.erase({size, offset});
  }

  std::map<int64_t, int64_t> byOffset;
  std::set<std::pair<int64_t, int64_t>> bySize;
  int64_t end = 0;
};

} // namespace

ArenaPlan mp::planArena(llvm::ArrayRef<Lifetime> values) {
  ArenaPlan plan;
  Holes holes;
  using Ending = std::pair<unsigned, size_t>;
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> endings;
  auto sizeOf = [&](size_t value) {
    const auto bytes = static_cast<int64_t>(llvm::alignTo(std::max<int64_t>(values[value].bytes, 1), kBufferAlignment));
    return bytes < kLeastSpaced ? bytes : bytes + kSpace;
  };
  for (size_t value = 0; value < values.size(); ++value) {
    assert((value == 0 || values[value - 1].begin <= values[value].begin) &&
           "values are in the order of their beginning");
    // What ends at the step where this begins is still in use there.
    while (!endings.empty() && endings.top().first < values[value].begin) {
      size_t ended = endings.top().second;
      endings.pop();
      holes.giveBack(plan.offsets[ended], sizeOf(ended));
    }
    plan.offsets.push_back(holes.take(sizeOf(value)));
    endings.push({values[value].end, value});
  }
  plan.bytes = holes.getEnd();
  return plan;
}
