// Blocks that run together.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/SIMT/Cluster.h"

#include <algorithm>
#include <span>

using namespace mp;

Status SimulatedCluster::prepare(const SimulatedLaunch &launch, uint64_t number) {
  running = launch.cluster;
  while (blocks.size() < running) {
    ErrorOr<std::unique_ptr<SimulatedBlock>> block = SimulatedBlock::create(options, barrier);
    if (!block)
      return block.status();
    blocks.push_back(std::move(*block));
  }
  // A cluster's order is its own, whichever thread of the host runs it.
  scheduler.restart(options.seed ? (options.seed ^ (number + 1) * 0x9E3779B97F4A7C15) | 1 : 0);
  barrier.restart(launch.cluster * launch.threads, launch.cluster);
  for (size_t index = 0; index < running; ++index)
    if (Status started = blocks[index]->start(launch, number * launch.cluster + index, scheduler); !started.ok())
      return started;
  return Status::success();
}

Status SimulatedCluster::run(const SimulatedLaunch &launch, uint64_t number) {
  if (Status prepared = prepare(launch, number); !prepared.ok())
    return prepared;
  if (Status ran = scheduler.run(); !ran.ok())
    return ran;
  const bool allEnded = std::all_of(blocks.begin(), blocks.begin() + static_cast<ptrdiff_t>(running),
                                    [](const auto &block) { return block->hasEnded(); });
  return allEnded ? Status::success() : describeDeadlock(number);
}

Status SimulatedCluster::describeDeadlock(uint64_t number) const {
  if (running == 1)
    return makeError("deadlock in block ", number, ": ", blocks.front()->describeThreads());
  std::string text = "deadlock in cluster " + std::to_string(number);
  for (size_t index = 0; index < running; ++index)
    text += (index ? "; block " : ": block ") + std::to_string(number * running + index) + ": " +
            blocks[index]->describeThreads();
  return Status::error(text);
}
