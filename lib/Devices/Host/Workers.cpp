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

/// Says where the threads of an arena run. Those that help keep off the processor of the thread that calls: when others
/// sleep, a system may wake them there (Linux does where processors are virtual and halted), and they would wait until
/// the caller is done or somebody balances. Pinned, each is on a processor of its own, the caller on the one where it
/// is found. Helpers stay so while they sleep, which is when it matters; the caller gets back what it had. A system
/// that refuses leaves them where they are.
class Places final : public tbb::task_scheduler_observer {
public:
  Places(tbb::task_arena &arena, bool pins) : tbb::task_scheduler_observer(arena), pins(pins) {
    CPU_ZERO(&all);
    if (::sched_getaffinity(0, sizeof(all), &all) == 0)
      for (unsigned processor = 0; processor < CPU_SETSIZE; ++processor)
        if (CPU_ISSET(processor, &all))
          processors.push_back(processor);
    if (!processors.empty())
      observe(true);
  }
  /// Once nobody looks, threads that are still there would stay where they are.
  ~Places() override {
    constexpr std::chrono::seconds kLongest(1);
    const auto begin = std::chrono::steady_clock::now();
    while (inside.load() > 0 && std::chrono::steady_clock::now() - begin < kLongest)
      std::this_thread::yield();
    observe(false);
  }

  void on_scheduler_entry(bool helps) override {
    ++inside;
    if (!helps)
      placeCaller();
    else
      placeHelper(static_cast<size_t>(std::max(0, tbb::this_task_arena::current_thread_index())));
  }
  void on_scheduler_exit(bool helps) override {
    if (!helps && pins && !before.empty()) {
      if (CPU_COUNT(&before.back()) > 0)
        (void)::sched_setaffinity(0, sizeof(cpu_set_t), &before.back());
      before.pop_back();
    }
    --inside;
  }

private:
  static cpu_set_t only(unsigned processor) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    return set;
  }
  void placeCaller() {
    const int here = ::sched_getcpu();
    const auto found = std::find(processors.begin(), processors.end(), static_cast<unsigned>(here));
    home = found == processors.end() ? 0 : static_cast<size_t>(found - processors.begin());
    if (!pins)
      return;
    cpu_set_t own;
    CPU_ZERO(&own);
    if (::sched_getaffinity(0, sizeof(own), &own) != 0)
      CPU_ZERO(&own);
    before.push_back(own);
    own = only(processors[home]);
    (void)::sched_setaffinity(0, sizeof(own), &own);
  }
  void placeHelper(size_t number) {
    cpu_set_t own = pins ? only(processors[(home + number) % processors.size()]) : all;
    if (!pins && processors.size() > 1)
      CPU_CLR(processors[home], &own);
    if (!CPU_EQUAL(&own, &helperIsOn) && ::sched_setaffinity(0, sizeof(own), &own) == 0)
      helperIsOn = own;
  }

  const bool pins;
  cpu_set_t all;
  std::vector<unsigned> processors;
  std::atomic<size_t> home = 0; // which of them the caller is on
  std::atomic<int> inside = 0;
  static thread_local std::vector<cpu_set_t> before; // of each arena that calls from this thread
  static thread_local cpu_set_t helperIsOn;          // what this thread was last told
};

thread_local std::vector<cpu_set_t> Places::before;
thread_local cpu_set_t Places::helperIsOn = {};

} // namespace

Workers::Workers(unsigned threads, bool pins)
    : threadCount(threadsOrDefault(threads)), pinned(pins), arena(static_cast<int>(threadCount)) {
  // oneTBB makes no more workers than processors unless it is told that it may.
  if (threadCount > tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism))
    allowance = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, threadCount);
  if (pins || threadCount > 1)
    places = std::make_unique<Places>(arena, pins);
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
