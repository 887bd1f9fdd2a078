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
  std::atomic<int> arrived = 0;
  std::mutex mutex;
  std::set<int> seen;
  workers.execute([&] {
    tbb::parallel_for(
        tbb::blocked_range<int>(0, kThreads, 1),
        [&](const tbb::blocked_range<int> &) {
          ++arrived; // each waits for the others, so that no thread takes two
          for (int i = 0; i < 10000 && arrived < kThreads; ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
          const std::lock_guard<std::mutex> lock(mutex);
          seen.insert(::sched_getcpu());
        },
        tbb::simple_partitioner());
  });
  EXPECT_EQ(seen.size(), static_cast<size_t>(std::min(kThreads, CPU_COUNT(&all))));
}

TEST(Workers, PinnedThreadsStayApartWhereverTheCallerWas) {
  const cpu_set_t all = processors();
  if (CPU_COUNT(&all) < 2)
    GTEST_SKIP() << "takes two processors";
  Workers workers(2, /*pins=*/true);
  int together = 0;
  for (int i = 0; i < 100; ++i) {
    // The caller moves, while the other thread may still be in the arena.
    cpu_set_t here;
    CPU_ZERO(&here);
    for (int processor = 0, left = i % 2; processor < CPU_SETSIZE && CPU_COUNT(&here) == 0; ++processor)
      if (CPU_ISSET(processor, &all) && left-- == 0)
        CPU_SET(processor, &here);
    ASSERT_EQ(::sched_setaffinity(0, sizeof(here), &here), 0);
    ASSERT_EQ(::sched_setaffinity(0, sizeof(all), &all), 0);
    std::atomic<int> arrived = 0;
    std::mutex mutex;
    std::vector<cpu_set_t> masks;
    workers.execute([&] {
      tbb::parallel_for(
          tbb::blocked_range<int>(0, 2, 1),
          [&](const tbb::blocked_range<int> &) {
            ++arrived; // each waits for the other, so that no thread takes two
            for (int j = 0; j < 10000 && arrived < 2; ++j)
              std::this_thread::sleep_for(std::chrono::milliseconds(1));
            const std::lock_guard<std::mutex> lock(mutex);
            masks.push_back(processors());
          },
          tbb::simple_partitioner());
    });
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
  const cpu_set_t before = processors();
  if (CPU_COUNT(&before) < 2)
    GTEST_SKIP() << "takes two processors";
  constexpr int kThreads = 3;
  Workers workers(kThreads);
  for (int home = 0, tried = 0; home < CPU_SETSIZE && tried < 3; ++home) {
    if (!CPU_ISSET(home, &before))
      continue;
    ++tried;
    cpu_set_t here;
    CPU_ZERO(&here);
    CPU_SET(home, &here);
    ASSERT_EQ(::sched_setaffinity(0, sizeof(here), &here), 0);
    cpu_set_t others = before;
    CPU_CLR(home, &others);
    std::atomic<int> arrived = 0, wrong = 0;
    workers.execute([&] {
      tbb::parallel_for(
          tbb::blocked_range<int>(0, kThreads, 1),
          [&](const tbb::blocked_range<int> &) {
            ++arrived; // each waits for the others, so that no thread takes two
            for (int i = 0; i < 10000 && arrived < kThreads; ++i)
              std::this_thread::sleep_for(std::chrono::milliseconds(1));
            const cpu_set_t own = processors();
            const bool calls = tbb::this_task_arena::current_thread_index() == 0;
            wrong += CPU_EQUAL(&own, calls ? &here : &others) ? 0 : 1;
          },
          tbb::simple_partitioner());
    });
    EXPECT_EQ(wrong, 0) << "caller on " << home;
    ASSERT_EQ(::sched_setaffinity(0, sizeof(before), &before), 0);
  }
}
