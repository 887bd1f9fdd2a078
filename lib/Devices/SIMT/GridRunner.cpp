// Blocks of a simulated launch, over threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/SIMT/GridRunner.h"

#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>

#include <algorithm>
#include <atomic>
#include <mutex>

using namespace mp;

namespace {

/// The first fault of a launch, by number of cluster.
class FirstFault {
public:
  bool mayFollow(uint64_t cluster) const { return cluster < number.load(std::memory_order_relaxed); }

  void note(uint64_t cluster, const Status &fault) {
    std::lock_guard<std::mutex> lock(mutex);
    if (cluster >= number)
      return;
    number = cluster;
    status = fault;
  }

  Status take() { return std::move(status); }

private:
  std::mutex mutex;
  std::atomic<uint64_t> number = ~uint64_t(0);
  Status status;
};

} // namespace

/// An error that names the first byte of the launch's results to which no block wrote.
static Status checkWritten(std::span<const SimulatedBuffer> buffers) {
  for (size_t index = 0; index < buffers.size(); ++index) {
    const SimulatedBuffer &buffer = buffers[index];
    if (!buffer.isWritable || !buffer.initialized)
      continue;
    const uint8_t *first = buffer.initialized, *end = first + buffer.bytes, *missing = std::find(first, end, 0);
    if (missing != end)
      return makeError("no block writes byte ", missing - first, " of buffer ", index, ", a result of ", buffer.bytes);
  }
  return Status::success();
}

Status GridRunner::run(const SimulatedLaunch &launch) {
  if (launch.cluster == 0 || launch.grid % launch.cluster != 0)
    return makeError("a grid of ", launch.grid, " blocks in clusters of ", launch.cluster);
  const uint64_t total = launch.grid / launch.cluster;
  const unsigned count = static_cast<unsigned>(std::min<uint64_t>(workers.count(), total));
  for (unsigned worker = 0; worker < count; ++worker)
    if (!clusters[worker])
      clusters[worker] = std::make_unique<SimulatedCluster>(settings);

  std::atomic<uint64_t> next = 0;
  FirstFault fault;
  const auto work = [&](unsigned worker) {
    DefaultRounding rounding;
    for (uint64_t number = next++; number < total && fault.mayFollow(number); number = next++)
      if (Status ran = clusters[worker]->run(launch, number); !ran.ok())
        fault.note(number, ran);
  };
  workers.execute([&] { tbb::parallel_for(0u, count, work, tbb::simple_partitioner()); });
  if (Status ran = fault.take(); !ran.ok() || !settings.uninitialized)
    return ran;
  return checkWritten(launch.buffers);
}
