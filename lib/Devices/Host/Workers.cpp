// The host's threads that run blocks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/Host/Workers.h"

#include <algorithm>
#include <atomic>
#include <sched.h>
#include <vector>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

using namespace mp;

static unsigned threadsOrDefault(unsigned threads) {
  return threads ? threads : static_cast<unsigned>(std::max(1, tbb::this_task_arena::max_concurrency()));
}

namespace {

cpu_set_t only(unsigned processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  return set;
}

/// Where the calling thread may run; nowhere if the system does not say.
cpu_set_t ownMask() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof(set), &set) != 0)
    CPU_ZERO(&set);
  return set;
}

/// Says where the threads of an arena run. Those that help keep off the processor of the thread that calls: when others
/// sleep, a system may wake them there (Linux does where processors are virtual and halted), and they would wait until
/// the caller is done or somebody balances. Pinned, each is on a processor of its own, by its number in the arena, and
/// the caller gets back what it had when it leaves. Helpers stay where they are while they sleep, which is when it
/// matters. A system that refuses leaves threads as they are.
class Places final : public tbb::task_scheduler_observer {
public:
  Places(tbb::task_arena &arena, bool pins) : tbb::task_scheduler_observer(arena), pins(pins) {
    const cpu_set_t all = ownMask();
    for (unsigned processor = 0; processor < CPU_SETSIZE; ++processor)
      if (CPU_ISSET(processor, &all))
        processors.push_back(processor);
    if (!processors.empty())
      observe(true);
  }
  ~Places() override { observe(false); }

  void on_scheduler_entry(bool helps) override {
    if (!helps)
      caller = ::sched_getcpu();
    if (pins)
      pin(helps);
    else if (helps)
      keepOff(caller);
  }
  void on_scheduler_exit(bool helps) override {
    if (helps || !pins || before.empty())
      return;
    if (CPU_COUNT(&before.back()) > 0)
      (void)::sched_setaffinity(0, sizeof(cpu_set_t), &before.back());
    before.pop_back();
  }

private:
  void pin(bool helps) {
    if (helps)
      lookUp();
    else
      before.push_back(ownMask());
    const int number = std::max(0, tbb::this_task_arena::current_thread_index());
    const cpu_set_t own = only(processors[static_cast<size_t>(number) % processors.size()]);
    if (::sched_setaffinity(0, sizeof(own), &own) == 0 && helps)
      told = own;
  }
  /// What a helper has, and may have: who has changed that since it was last told is right.
  static cpu_set_t lookUp() {
    const cpu_set_t now = ownMask();
    if (!CPU_EQUAL(&now, &told))
      allowed = now;
    return now;
  }
  static void keepOff(int processor) {
    const cpu_set_t now = lookUp();
    cpu_set_t own = allowed;
    if (processor >= 0 && processor < CPU_SETSIZE)
      CPU_CLR(processor, &own);
    if (CPU_COUNT(&own) == 0)
      own = allowed;
    if (!CPU_EQUAL(&own, &now) && ::sched_setaffinity(0, sizeof(own), &own) != 0)
      return;
    told = own;
  }

  const bool pins;
  std::vector<unsigned> processors;
  std::atomic<int> caller = -1;                      // the processor that the caller was last seen on
  static thread_local std::vector<cpu_set_t> before; // of each arena that calls from this thread
  static thread_local cpu_set_t told, allowed;       // a helper's: what it was last set to, and of what that is a part
};

thread_local std::vector<cpu_set_t> Places::before;
thread_local cpu_set_t Places::told = {}, Places::allowed = {};

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
