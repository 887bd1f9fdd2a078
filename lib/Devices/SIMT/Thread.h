// One simulated thread.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_DEVICES_SIMT_THREAD_H
#define MP_LIB_DEVICES_SIMT_THREAD_H

#include "mp/Executable/Simulator.h"

#include <boost/context/detail/fcontext.hpp>

#include <cstddef>
#include <vector>

namespace mp {

class Scheduler;
class SimulatedBlock;

/// A copy that was started and has not landed.
struct PendingCopy {
  std::byte *to;
  const std::byte *from;
  uint32_t copied, bytes; // the rest of `bytes` becomes 0
  const SimulatorSite *site;
};

/// A thread, which generated code knows as its context.
struct SimulatedThread : SimulatorContext {
  enum class State : uint8_t { Ready, Waiting, Ended };

  SimulatedBlock *home = nullptr;
  Scheduler *scheduler = nullptr;
  void (*body)(SimulatedThread &thread) = nullptr; // all that it does
  boost::context::detail::fcontext_t fiber = nullptr;
  State state = State::Ready;

  /// Where it waits.
  const SimulatorSite *site = nullptr;
  const void *operands = nullptr;
  void *results = nullptr;

  /// Copies that have not landed, oldest first, and how many of them each group that was committed has.
  std::vector<PendingCopy> copies;
  std::vector<uint32_t> groups;
  uint32_t uncommitted = 0;

  /// How often it has come to the cluster's barrier to arrive, and to wait.
  uint32_t clusterArrivals = 0;
  uint32_t clusterWaits = 0;

  void waitAt(const SimulatorSite *where, const void *with, void *into) {
    site = where;
    operands = with;
    results = into;
  }
};

} // namespace mp

#endif // MP_LIB_DEVICES_SIMT_THREAD_H
