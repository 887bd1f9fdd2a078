// The host's threads that run blocks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_DEVICES_HOST_WORKERS_H
#define MP_LIB_DEVICES_HOST_WORKERS_H

#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_scheduler_observer.h>

#include <memory>

namespace mp {

/// A oneTBB arena of a fixed number of threads. Those beside the caller's keep off the processor that it is on.
class Workers {
public:
  /// 0 is as many as the process may use. `pins` keeps each on one of the processors that the process may use, in
  /// turn: the caller while it is in the arena, the others from then on.
  explicit Workers(unsigned threads, bool pins = false);

  unsigned count() const { return threadCount; }
  bool arePinned() const { return pinned; }

  /// Runs `body` in the arena; parallel algorithms that it calls use its threads.
  template <typename Body> void execute(Body body) { arena.execute(body); }

private:
  unsigned threadCount;
  bool pinned;
  std::unique_ptr<tbb::global_control> allowance;
  tbb::task_arena arena;
  std::unique_ptr<tbb::task_scheduler_observer> places; // of the arena, and gone before it
};

/// Rounds to nearest and keeps subnormals while it lives, whatever the host program has set.
class DefaultRounding {
public:
  DefaultRounding();
  ~DefaultRounding();
  DefaultRounding(const DefaultRounding &) = delete;
  DefaultRounding &operator=(const DefaultRounding &) = delete;

private:
  unsigned before = 0;
};

} // namespace mp

#endif // MP_LIB_DEVICES_HOST_WORKERS_H
