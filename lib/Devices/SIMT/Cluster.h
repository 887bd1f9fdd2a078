// Blocks that run together.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_DEVICES_SIMT_CLUSTER_H
#define MP_LIB_DEVICES_SIMT_CLUSTER_H

#include "Devices/SIMT/Block.h"
#include "Devices/SIMT/ClusterBarrier.h"
#include "Devices/SIMT/Scheduler.h"

#include <memory>
#include <vector>

namespace mp {

/// Runs the blocks of one cluster, which may wait for one another, together on the thread that calls it; one cluster
/// after another. Where a launch says nothing of clusters each block is one.
class SimulatedCluster {
public:
  explicit SimulatedCluster(const SIMTOptions &options) : options(options) {}

  /// Runs cluster `number`; the error names the thread and the op, or all threads that wait for ever.
  Status run(const SimulatedLaunch &launch, uint64_t number);

private:
  Status prepare(const SimulatedLaunch &launch, uint64_t number);
  Status describeDeadlock(uint64_t number) const;

  const SIMTOptions &options;
  Scheduler scheduler;
  ClusterBarrier barrier;
  std::vector<std::unique_ptr<SimulatedBlock>> blocks;
  size_t running = 0; // of them
};

} // namespace mp

#endif // MP_LIB_DEVICES_SIMT_CLUSTER_H
