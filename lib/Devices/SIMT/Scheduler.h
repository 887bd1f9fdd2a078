// Which simulated thread goes on.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Threads are fibers on one thread of the host. A thread runs until it waits: at a barrier, or for other lanes of its
// warp. Then the next ready one goes on, in order of waking or as a seed says. So threads never run at once, and which
// interleavings a kernel meets depends on the seed alone.

#ifndef MP_LIB_DEVICES_SIMT_SCHEDULER_H
#define MP_LIB_DEVICES_SIMT_SCHEDULER_H

#include "Devices/SIMT/Thread.h"
#include "mp/Base/Status.h"

#include <vector>

namespace mp {

class Scheduler {
public:
  /// Forgets all threads. Others are shuffled by `seed`, or not if it is 0.
  void restart(uint64_t seed);

  /// Adds a thread that does `body` on a stack of `bytes` that ends at `top`.
  void add(SimulatedThread &thread, void *top, size_t bytes, void (*body)(SimulatedThread &thread));

  /// Runs threads until each waits or has ended, or until one has failed.
  Status run();

  // Called on a thread's stack.

  /// Gives up the host's thread until `wake` was called for `thread`.
  void wait(SimulatedThread &thread);
  void wake(SimulatedThread &thread);

  /// Lets all others that are ready run first. False if that went on for so long that it would for ever.
  [[nodiscard]] bool sleep(SimulatedThread &thread);

  /// Ends the run with an error.
  [[noreturn]] void stop(Status why);

private:
  static void enter(boost::context::detail::transfer_t transfer);
  void leave();
  SimulatedThread &takeReady();

  std::vector<SimulatedThread *> ready; // from `firstReady` on
  size_t firstReady = 0;
  uint64_t random = 0; // 0: no shuffling
  uint64_t sleeps = 0; // since a thread ended
  boost::context::detail::fcontext_t home = nullptr;
  Status failure;
};

} // namespace mp

#endif // MP_LIB_DEVICES_SIMT_SCHEDULER_H
