// Lanes that come together.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_DEVICES_SIMT_WARP_H
#define MP_LIB_DEVICES_SIMT_WARP_H

#include "Devices/SIMT/Thread.h"

#include <array>
#include <bit>
#include <vector>

namespace mp {

/// The lanes of a warp that execute one op together; the op is computed for all of them when the last has come.
struct Gathering {
  SimulatedBlock &block;
  SimulatedThread *lanes; // 32
  uint32_t mask;
  const SimulatorSite *site;

  /// What lane `lane` passed, and where its result goes.
  template <typename T> const T &operands(unsigned lane) const { return *static_cast<const T *>(lanes[lane].operands); }
  template <typename T> T &results(unsigned lane) const { return *static_cast<T *>(lanes[lane].results); }

  /// Calls visit(lane) for the lanes that take part.
  template <typename Visit> void forEachLane(Visit visit) const {
    for (uint32_t left = mask; left; left &= left - 1)
      visit(static_cast<unsigned>(std::countr_zero(left)));
  }
};

using Collective = void (*)(const Gathering &gathering);

/// PTX ISA: whether lanes may come from different instructions ("same qualifiers and same membermask"), or must
/// execute the same instruction (.aligned).
enum class Convergence { Qualifiers, Aligned };

/// The ops that lanes of one warp wait in.
class Warp {
public:
  void reset() { meetings.clear(), ended = 0; }

  /// `thread` comes to an op for the lanes of `mask`; returns when it is computed.
  void meet(SimulatedThread &thread, const SimulatorSite *site, const void *operands, void *results, uint32_t mask,
            Collective compute, Convergence convergence);

  /// Lane `lane` has ended: ops may have waited for no one else.
  void end(SimulatedThread &thread);

  uint32_t endedLanes() const { return ended; }

private:
  struct Meeting {
    Collective compute;
    const SimulatorSite *site;
    uint32_t mask, arrived;
    Convergence convergence;
  };

  bool belongs(const Meeting &meeting, const SimulatorSite *site, uint32_t mask, Collective compute,
               Convergence convergence) const;
  bool isComplete(const Meeting &meeting) const;
  void finish(SimulatedThread &thread, size_t index);

  std::vector<Meeting> meetings;
  uint32_t ended = 0;
};

} // namespace mp

#endif // MP_LIB_DEVICES_SIMT_WARP_H
