// The sixteen barriers of a block.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_DEVICES_SIMT_BARRIERS_H
#define MP_LIB_DEVICES_SIMT_BARRIERS_H

#include "Devices/SIMT/Clocks.h"
#include "Devices/SIMT/Warp.h"

#include <array>
#include <string>
#include <vector>

namespace mp {

/// PTX ISA 9.7.13, "bar, barrier": sixteen numbered barriers, each for all threads of the block that have not ended
/// or for a stated number of them, in whole warps.
class Barriers {
public:
  void reset(SimulatedBlock &block);

  /// The combined predicates of those who waited.
  struct Votes {
    uint32_t yes = 0, all = 0;
  };

  /// Waits at barrier `id` for `count` threads (0: all). Gives what the threads that waited voted.
  Votes wait(SimulatedThread &thread, const SimulatorSite *site, uint32_t id, uint32_t count, bool vote);

  /// The threads of a warp count as there, and go on.
  void arrive(const Gathering &warp, uint32_t id, uint32_t count);

  /// A thread has ended: barriers may have waited for no one else.
  void end();

  /// "barrier 2, 32 of 64 threads there" for a thread that waits in one; else empty.
  std::string describe(const SimulatedThread &thread) const;

private:
  struct Barrier {
    uint32_t count = 0; // 0: all
    uint32_t arrived = 0;
    Votes votes;
    std::vector<SimulatedThread *> waiting;        // each with a Votes for its result
    WarpClocks released{};                         // what warps knew that went on
    std::array<uint32_t, 32> lanes{};              // that arrived, by warp
    std::array<const SimulatorSite *, 32> sites{}; // where, by warp
  };

  Barrier &join(SimulatedThread &thread, const SimulatorSite *site, uint32_t id, uint32_t count);
  bool isComplete(const Barrier &barrier) const;
  void complete(Barrier &barrier, SimulatedThread *last);

  SimulatedBlock *block = nullptr;
  std::array<Barrier, 16> barriers;
  uint32_t ended = 0;
};

} // namespace mp

#endif // MP_LIB_DEVICES_SIMT_BARRIERS_H
