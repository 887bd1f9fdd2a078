// The barrier of a cluster of blocks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_DEVICES_SIMT_CLUSTERBARRIER_H
#define MP_LIB_DEVICES_SIMT_CLUSTERBARRIER_H

#include "Devices/SIMT/Clocks.h"
#include "Devices/SIMT/Warp.h"

#include <string>
#include <vector>

namespace mp {

/// PTX ISA 9.7.13, "barrier.cluster": one barrier, for all threads of a cluster that have not ended. Threads arrive,
/// which releases what they did, and wait, which acquires what all did before they arrived.
class ClusterBarrier {
public:
  /// For so many threads in so many blocks.
  void restart(uint32_t threads, uint32_t blocks);

  /// The threads of a warp arrive, and go on.
  void arrive(const Gathering &warp);

  /// The threads of a warp begin to wait for those that have not arrived.
  void beginWait(const Gathering &warp);

  /// Returns when all have arrived.
  void endWait(SimulatedThread &thread);

  /// A thread has ended: nobody waits for it.
  void end(const SimulatedThread &thread);

  /// "the cluster's barrier, 32 of 64 threads there" for a thread that waits for it; else empty.
  std::string describe(const SimulatedThread &thread) const;

private:
  bool hasPassed(const SimulatedThread &thread) const { return thread.clusterWaits <= phase; }
  void acquire(SimulatedBlock &block, uint32_t warp);
  void completeIfAll();

  struct WaitingWarp {
    SimulatedBlock *block;
    uint32_t warp;
  };

  uint32_t live = 0;    // threads that have not ended
  uint32_t left = 0;    // of them, those that have not arrived
  uint32_t arrived = 0; // whether they have ended since or not
  uint32_t phase = 0;   // how often all have arrived
  uint32_t blocks = 0;
  std::vector<WaitingWarp> warps;
  std::vector<SimulatedThread *> waiting;
  /// By block of the cluster: what its warps did before they arrived, in this phase and in the one before.
  std::vector<WarpClocks> releasing, released;
};

} // namespace mp

#endif // MP_LIB_DEVICES_SIMT_CLUSTERBARRIER_H
