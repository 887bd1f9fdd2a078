// The host's threads that run blocks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/Host/Workers.h"

#include <algorithm>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

using namespace mp;

static unsigned threadsOrDefault(unsigned threads) {
  return threads ? threads : static_cast<unsigned>(std::max(1, tbb::this_task_arena::max_concurrency()));
}

Workers::Workers(unsigned threads) : threadCount(threadsOrDefault(threads)), arena(static_cast<int>(threadCount)) {
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
