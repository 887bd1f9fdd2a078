// The host's threads that run blocks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/Host/Workers.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <sched.h>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

using namespace mp;

static unsigned threadsOrDefault(unsigned threads) {
  return threads ? threads : static_cast<unsigned>(std::max(1, tbb::this_task_arena::max_concurrency()));
}

namespace {

/// Moves threads that enter an arena to a processor each, by their number there, and back to where they were when they
/// leave. A system that refuses leaves them where they are.
class Pinning final : public tbb::task_scheduler_observer {
public:
  explicit Pinning(tbb::task_arena &arena) : tbb::task_scheduler_observer(arena) {
    cpu_set_t all;
    if (::sched_getaffinity(0, sizeof(all), &all) == 0)
      for (unsigned processor = 0; processor < CPU_SETSIZE; ++processor)
        if (CPU_ISSET(processor, &all))
          processors.push_back(processor);
    if (!processors.empty())
      observe(true);
  }
  /// Once nobody looks, threads that are still there would stay where they are.
  ~Pinning() override {
    constexpr std::chrono::seconds kLongest(1);
    const auto begin = std::chrono::steady_clock::now();
    while (inside.load() > 0 && std::chrono::steady_clock::now() - begin < kLongest)
      std::this_thread::yield();
    observe(false);
  }

  void on_scheduler_entry(bool) override {
    ++inside;
    cpu_set_t own;
    CPU_ZERO(&own);
    if (::sched_getaffinity(0, sizeof(own), &own) != 0)
      CPU_ZERO(&own);
    before.push_back(own);
    const int number = std::max(0, tbb::this_task_arena::current_thread_index());
    CPU_ZERO(&own);
    CPU_SET(processors[static_cast<size_t>(number) % processors.size()], &own);
    (void)::sched_setaffinity(0, sizeof(own), &own);
  }
  void on_scheduler_exit(bool) override {
    if (!before.empty()) {
      if (CPU_COUNT(&before.back()) > 0)
        (void)::sched_setaffinity(0, sizeof(cpu_set_t), &before.back());
      before.pop_back();
    }
    --inside;
  }

private:
  std::vector<unsigned> processors;
  std::atomic<int> inside = 0;
  static thread_local std::vector<cpu_set_t> before; // of each arena that the thread is in
};

thread_local std::vector<cpu_set_t> Pinning::before;

} // namespace

Workers::Workers(unsigned threads, bool pins)
    : threadCount(threadsOrDefault(threads)), arena(static_cast<int>(threadCount)) {
  if (pins)
    pinning = std::make_unique<Pinning>(arena);
  // oneTBB makes no more workers than processors unless it is told that it may.
  if (threadCount > tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism))
    allowance = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, threadCount);
}

#if defined(__x86_64__)
DefaultRounding::DefaultRounding() : before(_mm_getcsr()) {
  constexpr unsigned kDefault = 0x1F80;
  if (before != kDefault)
    _mm_setcsr(kDefault);
}
DefaultRounding::~DefaultRounding() { _mm_setcsr(before); }
#else
DefaultRounding::DefaultRounding() = default;
DefaultRounding::~DefaultRounding() = default;
#endif
