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

void BlockRunner::runRange(NativeKernel kernel, std::span<void *const> buffers, uint64_t first, uint64_t last,
                           bool scratch, unsigned worker) {
  DefaultRounding rounding;
  // A kernel takes void ** and must not see another thread's scratch, so every range has a list of
  // its own.
  std::vector<void *> own(buffers.begin(), buffers.end());
  if (scratch)
    own.push_back(scratchOf[worker].data());
  for (uint64_t block = first; block < last; ++block)
    kernel(own.data(), static_cast<int64_t>(block));
}

void BlockRunner::run(NativeKernel kernel, std::span<void *const> buffers, uint64_t grid, bool scratch) {
  if (workers.count() == 1 || grid <= 1)
    return runRange(kernel, buffers, 0, grid, scratch, 0);
  workers.execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<uint64_t>(0, grid),
        [&](const tbb::blocked_range<uint64_t> &range) {
          runRange(kernel, buffers, range.begin(), range.end(), scratch,
                   static_cast<unsigned>(tbb::this_task_arena::current_thread_index()));
        },
        tbb::static_partitioner());
  });
}
