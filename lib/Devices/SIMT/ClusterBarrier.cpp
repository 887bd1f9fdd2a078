// The barrier of a cluster of blocks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/SIMT/ClusterBarrier.h"
#include "Devices/SIMT/Block.h"

#include <algorithm>
#include <utility>

using namespace mp;

void ClusterBarrier::restart(uint32_t threads, uint32_t newBlocks) {
  live = left = threads;
  arrived = phase = 0;
  blocks = newBlocks;
  warps.clear();
  waiting.clear();
  releasing.assign(blocks, {});
  released.assign(blocks, {});
}

void ClusterBarrier::arrive(const Gathering &warp) {
  warp.forEachLane([&](unsigned lane) {
    SimulatedThread &thread = warp.lanes[lane];
    if (thread.clusterArrivals != thread.clusterWaits)
      warp.block.fail(thread, warp.site, "arrives at the cluster's barrier again before it waits there");
    ++thread.clusterArrivals;
    ++arrived;
    --left;
  });
  const SimulatedThread &first = warp.lanes[0];
  warp.block.checks.clocks.release(first.warp, releasing[first.clusterBlock]);
  completeIfAll();
}

void ClusterBarrier::beginWait(const Gathering &warp) {
  warp.forEachLane([&](unsigned lane) {
    SimulatedThread &thread = warp.lanes[lane];
    if (thread.clusterArrivals == thread.clusterWaits)
      warp.block.fail(thread, warp.site, "waits at the cluster's barrier without having arrived");
    ++thread.clusterWaits;
  });
  if (hasPassed(warp.lanes[0]))
    acquire(warp.block, warp.lanes[0].warp);
  else
    warps.push_back({&warp.block, warp.lanes[0].warp});
}

void ClusterBarrier::endWait(SimulatedThread &thread) {
  if (hasPassed(thread))
    return;
  waiting.push_back(&thread);
  thread.scheduler->wait(thread);
}

void ClusterBarrier::end(const SimulatedThread &thread) {
  --live;
  if (thread.clusterArrivals == phase)
    --left;
  completeIfAll();
}

void ClusterBarrier::acquire(SimulatedBlock &block, uint32_t warp) {
  block.checks.clocks.synchronize(1u << warp, released[block.threadsOf(warp)[0].clusterBlock]);
}

void ClusterBarrier::completeIfAll() {
  if (left != 0 || arrived == 0)
    return;
  ++phase;
  left = live;
  arrived = 0;
  released = std::exchange(releasing, std::vector<WarpClocks>(blocks));
  for (const WaitingWarp &each : std::exchange(warps, {}))
    acquire(*each.block, each.warp);
  for (SimulatedThread *thread : std::exchange(waiting, {}))
    thread->scheduler->wake(*thread);
}

std::string ClusterBarrier::describe(const SimulatedThread &thread) const {
  if (std::find(waiting.begin(), waiting.end(), &thread) == waiting.end())
    return "";
  return "the cluster's barrier, " + std::to_string(arrived) + " of " + std::to_string(arrived + left) +
         " threads there";
}
