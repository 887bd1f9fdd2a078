// Blocks of a launch, over threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/CPU/BlockRunner.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/partitioner.h>

using namespace mp;

Status BlockRunner::reserveScratch(uint64_t bytes) {
  if (bytes <= scratchBytes)
    return Status::success();
  std::vector<FileBytes> blocks;
  for (unsigned i = 0; i < workers.count(); ++i) {
    std::optional<FileBytes> block = FileBytes::allocate(bytes);
    if (!block)
      return makeError("no memory for ", bytes, " bytes of scratch for each of ", workers.count(), " threads");
    blocks.push_back(std::move(*block));
  }
  scratchOf = std::move(blocks);
  scratchBytes = bytes;
  return Status::success();
}

/// Modelled seconds of one thread that are worth being shared: a launch over several costs a microsecond or two, and
/// what one core made lies in the caches of another afterwards.
static constexpr double kLeastShared = 20e-6;

void BlockRunner::runRange(NativeKernel kernel, std::span<void *const> buffers, uint64_t first, uint64_t last,
                           bool scratch, unsigned worker) {
  DefaultRounding rounding;
  // A kernel takes void ** and must not see another thread's scratch, so every thread has a list of its own.
  std::vector<void *> &own = pointersOf[worker];
  own.assign(buffers.begin(), buffers.end());
  if (scratch)
    own.push_back(scratchOf[worker].data());
  for (uint64_t block = first; block < last; ++block)
    kernel(own.data(), static_cast<int64_t>(block));
}

void BlockRunner::run(NativeKernel kernel, std::span<void *const> buffers, uint64_t grid, bool scratch,
                      double seconds) {
  auto worker = [&] { return static_cast<unsigned>(tbb::this_task_arena::current_thread_index()); };
  if (workers.count() == 1 || grid <= 1)
    return runRange(kernel, buffers, 0, grid, scratch, workers.count() == 1 ? 0 : worker());
  if (seconds > 0 && seconds < kLeastShared)
    return runRange(kernel, buffers, 0, grid, scratch, worker());
  tbb::parallel_for(
      tbb::blocked_range<uint64_t>(0, grid, std::max<uint64_t>(grid / (8 * workers.count()), 1)),
      [&](const tbb::blocked_range<uint64_t> &range) {
        runRange(kernel, buffers, range.begin(), range.end(), scratch, worker());
      },
      tbb::simple_partitioner());
}

Status BlockRunner::execute(const std::function<Status()> &launches) {
  if (workers.count() == 1 && !workers.arePinned())
    return launches();
  Status status;
  workers.execute([&] { status = launches(); });
  return status;
}
