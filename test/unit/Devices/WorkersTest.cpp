// Threads that run blocks, and where.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/Host/Workers.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <sched.h>
#include <set>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace mp;

namespace {

cpu_set_t processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(::sched_getaffinity(0, sizeof(set), &set), 0);
  return set;
}

/// Calls `body` as blocks are run.
template <typename Body> void onThreads(Workers &workers, Body body) {
  workers.execute([&] { tbb::parallel_for(0, 1000, [&](int) { body(); }); });
}

/// Calls `body` on `threads` threads at once: each waits for the others, so that none takes two.
template <typename Body> void onEachThread(Workers &workers, int threads, Body body) {
  std::atomic<int> arrived = 0;
  std::mutex mutex;
  workers.execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<int>(0, threads, 1),
        [&](const tbb::blocked_range<int> &) {
          ++arrived;
          for (int i = 0; i < 10000 && arrived < threads; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
          const std::lock_guard<std::mutex> lock(mutex);
          body();
        },
        tbb::simple_partitioner());
  });
}

cpu_set_t only(int processor) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(processor, &set);
  return set;
}

std::vector<int> numbersOf(const cpu_set_t &set) {
  std::vector<int> numbers;
  for (int processor = 0; processor < CPU_SETSIZE; ++processor)
    if (CPU_ISSET(processor, &set))
      numbers.push_back(processor);
  return numbers;
}

void moveTo(const cpu_set_t &set, pid_t thread = 0) { ASSERT_EQ(::sched_setaffinity(thread, sizeof(set), &set), 0); }

bool isCaller() { return tbb::this_task_arena::current_thread_index() == 0; }

} // namespace

TEST(Workers, PinnedThreadsHaveAProcessorEachAndGetTheirsBack) {
  const cpu_set_t before = processors();
  std::atomic<int> elsewhere = 0;
  {
    Workers workers(3, /*pins=*/true);
    EXPECT_EQ(workers.count(), 3u);
    for (int i = 0; i < 2; ++i) {
      onThreads(workers, [&] {
        const cpu_set_t own = processors();
        cpu_set_t both;
        CPU_AND(&both, &own, &before);
        elsewhere += CPU_COUNT(&own) != 1 || CPU_COUNT(&both) != 1 ? 1 : 0;
      });
      const cpu_set_t after = processors();
      EXPECT_TRUE(CPU_EQUAL(&after, &before));
    }
  }
  EXPECT_EQ(elsewhere, 0);
}

TEST(Workers, PinnedThreadsAreOnDifferentProcessors) {
  const cpu_set_t all = processors();
  constexpr int kThreads = 3;
  Workers workers(kThreads, /*pins=*/true);
  std::set<int> seen;
  onEachThread(workers, kThreads, [&] { seen.insert(::sched_getcpu()); });
  EXPECT_EQ(seen.size(), static_cast<size_t>(std::min(kThreads, CPU_COUNT(&all))));
}

TEST(Workers, PinnedThreadsStayApartWhereverTheCallerWas) {
  const cpu_set_t all = processors();
  const std::vector<int> numbers = numbersOf(all);
  if (numbers.size() < 2)
    GTEST_SKIP() << "takes two processors";
  Workers workers(2, /*pins=*/true);
  int together = 0;
  for (size_t i = 0; i < 100; ++i) {
    // The caller moves, while the other thread may still be in the arena.
    moveTo(only(numbers[i % 2]));
    moveTo(all);
    std::vector<cpu_set_t> masks;
    onEachThread(workers, 2, [&] { masks.push_back(processors()); });
    ASSERT_EQ(masks.size(), 2u);
    together += CPU_EQUAL(&masks[0], &masks[1]) ? 1 : 0;
  }
  EXPECT_EQ(together, 0);
}

TEST(Workers, OneThreadIsPinned) {
  Workers workers(1, /*pins=*/true);
  int count = 0;
  workers.execute([&] {
    const cpu_set_t own = processors();
    count = CPU_COUNT(&own);
  });
  EXPECT_EQ(count, 1);
}

TEST(Workers, OthersKeepOffTheCallersProcessor) {
  const cpu_set_t all = processors();
  std::vector<int> numbers = numbersOf(all);
  if (numbers.size() < 2)
    GTEST_SKIP() << "takes two processors";
  numbers.resize(std::min<size_t>(numbers.size(), 3));
  Workers workers(3);
  for (int home : numbers) {
    const cpu_set_t here = only(home);
    cpu_set_t others = all;
    CPU_CLR(home, &others);
    moveTo(here);
    // A thread that has not left the arena since the caller was elsewhere stays until it has, which takes it a hundred
    // turns on a processor: a second where others want that, too.
    int wrong = 1;
    for (int pause = 1; pause < 8192 && wrong != 0; pause *= 2) {
      std::this_thread::sleep_for(std::chrono::milliseconds(pause));
      wrong = 0;
      onEachThread(workers, 3, [&] {
        const cpu_set_t own = processors();
        wrong += CPU_EQUAL(&own, isCaller() ? &here : &others) ? 0 : 1;
      });
    }
    EXPECT_EQ(wrong, 0) << "caller on " << home;
    moveTo(all);
  }
}

TEST(Workers, OthersStayWhereSomebodyElsePutsThem) {
  const cpu_set_t all = processors();
  const std::vector<int> numbers = numbersOf(all);
  if (numbers.size() < 2)
    GTEST_SKIP() << "takes two processors";
  Workers workers(2);
  pid_t helper = 0;
  moveTo(only(numbers[0])); // the other is elsewhere then, so that what it is given is another mask
  onEachThread(workers, 2, [&] { helper = isCaller() ? helper : ::gettid(); });
  ASSERT_NE(helper, 0);
  const cpu_set_t given = only(numbers[0]);
  moveTo(given, helper); // as taskset does
  int wrong = 0;
  for (size_t i = 0; i < 20; ++i) {
    moveTo(only(numbers[i % 2]));
    std::this_thread::sleep_for(std::chrono::milliseconds(5)); // the other leaves the arena, and enters again
    onEachThread(workers, 2, [&] {
      const cpu_set_t own = processors();
      wrong += ::gettid() != helper || CPU_EQUAL(&own, &given) ? 0 : 1; // another may help
    });
  }
  EXPECT_EQ(wrong, 0);
  moveTo(all, helper);
  moveTo(all);
}
