// Blocks of a launch, over threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_DEVICES_CPU_BLOCKRUNNER_H
#define MP_LIB_DEVICES_CPU_BLOCKRUNNER_H

#include "Devices/Host/Workers.h"
#include "mp/Executable/Executable.h"

#include <functional>
#include <span>
#include <vector>

namespace mp {

/// What a kernel's symbol is: buffers in order of the launch, then scratch; and the number of the
/// block.
using NativeKernel = void (*)(void **buffers, int64_t block);

/// Runs the blocks of one launch after another on a fixed number of threads, each with scratch
/// memory of its own.
class BlockRunner {
public:
  explicit BlockRunner(unsigned threads, bool pins = false) : workers(threads, pins), pointersOf(workers.count()) {}

  unsigned threads() const { return workers.count(); }

  /// Makes sure that every thread has this much scratch.
  Status reserveScratch(uint64_t bytes);

  /// Does `launches`, which call run(), with the threads at hand: what that costs is paid once for all of them.
  Status execute(const std::function<Status()> &launches);

  /// Inside of execute(): calls kernel(buffers, b) for b = 0 .. grid-1, in any order and at once; if `scratch`, with
  /// one pointer more. What takes one thread so few `seconds` that others do not help stays on the calling one; 0 is
  /// not known.
  void run(NativeKernel kernel, std::span<void *const> buffers, uint64_t grid, bool scratch, double seconds);

private:
  /// Runs blocks first .. last-1 on the calling thread, which is number `worker` of the arena.
  void runRange(NativeKernel kernel, std::span<void *const> buffers, uint64_t first, uint64_t last, bool scratch,
                unsigned worker);

  Workers workers;
  uint64_t scratchBytes = 0;
  std::vector<FileBytes> scratchOf;
  std::vector<std::vector<void *>> pointersOf; // each thread's, kept so that launches allocate nothing
};

} // namespace mp

#endif // MP_LIB_DEVICES_CPU_BLOCKRUNNER_H
