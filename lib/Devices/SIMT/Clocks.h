// What is ordered before what in a block.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A vector clock for each warp: clock[v][w] is the time of warp w up to which everything that w did is ordered before
// what v does now. Synchronization is by whole warps (PTX ISA 9.7.13, "bar, barrier": arrivals count warps), so lanes
// of one warp share a clock, and a step of its own time orders its lanes.

#ifndef MP_LIB_DEVICES_SIMT_CLOCKS_H
#define MP_LIB_DEVICES_SIMT_CLOCKS_H

#include <algorithm>
#include <array>
#include <cstdint>

namespace mp {

/// A time for each warp of a block.
using WarpClocks = std::array<uint32_t, 32>;

/// Which thread did something, and when.
struct Stamp {
  uint32_t time = 0;
  uint32_t thread = 0;
};

class Clocks {
public:
  /// Begins a block: whatever was stamped before is over.
  void restart() {
    uint32_t latest = start;
    for (size_t warp = 0; warp < clocks.size(); ++warp)
      latest = std::max(latest, clocks[warp][warp]);
    start = latest;
    for (size_t warp = 0; warp < clocks.size(); ++warp) {
      clocks[warp].fill(start);
      clocks[warp][warp] = start + 1;
    }
  }

  /// Whether the stamp is of this block.
  bool isCurrent(const Stamp &stamp) const { return stamp.time > start; }

  Stamp now(uint32_t thread) const { return {clocks[thread / 32][thread / 32], thread}; }

  /// Whether what was stamped happens before what `thread` does now.
  bool isBefore(const Stamp &stamp, uint32_t thread) const {
    const uint32_t warp = thread / 32, other = stamp.thread / 32;
    if (stamp.thread == thread || !isCurrent(stamp))
      return true;
    return other == warp ? clocks[warp][warp] > stamp.time : clocks[warp][other] >= stamp.time;
  }

  /// Orders the lanes of a warp.
  void step(uint32_t warp) { ++clocks[warp][warp]; }

  /// Puts what `warp` did into `released`, for those who synchronize with it later.
  void release(uint32_t warp, WarpClocks &released) {
    join(released, clocks[warp]);
    step(warp);
  }

  /// The warps of mask `warps` meet: what each of them did, and what is in `released`, is before what they do next.
  void synchronize(uint32_t warps, WarpClocks released) {
    for (uint32_t warp = 0; warp < clocks.size(); ++warp)
      if (warps >> warp & 1)
        join(released, clocks[warp]);
    for (uint32_t warp = 0; warp < clocks.size(); ++warp)
      if (warps >> warp & 1) {
        clocks[warp] = released;
        step(warp);
      }
  }

private:
  static void join(WarpClocks &into, const WarpClocks &from) {
    for (size_t warp = 0; warp < into.size(); ++warp)
      into[warp] = std::max(into[warp], from[warp]);
  }

  uint32_t start = 0;
  std::array<WarpClocks, 32> clocks{};
};

} // namespace mp

#endif // MP_LIB_DEVICES_SIMT_CLOCKS_H
