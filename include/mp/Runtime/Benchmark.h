//===- Benchmark.h - how long a program takes -------------------*- C++ -*-===//
//
// Part of Halfstep, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MP_RUNTIME_BENCHMARK_H
#define MP_RUNTIME_BENCHMARK_H

#include "mp/Runtime/Session.h"

#include <iosfwd>

namespace mp {

/// How a program is timed: `warmup` runs, then `repeat` samples of `runs` runs each, one after another without a pause.
struct BenchmarkOptions {
  std::string program = "infer";
  uint64_t seed = 0; // of state and inputs
  unsigned warmup = 10;
  unsigned repeat = 30;
  unsigned runs = 10;
  std::string json; // file for the figures, or empty
};

struct BenchmarkResult {
  /// Of one run, by the device's clock: a sample's time over its runs. Ascending.
  std::vector<double> seconds;
  /// What one run computes and moves, as the launch plan says.
  uint64_t flops = 0;
  uint64_t bytes = 0;

  double median() const { return (seconds[(seconds.size() - 1) / 2] + seconds[seconds.size() / 2]) / 2; }
};

/// Initializes the state and runs a program again and again on random inputs that are on the device before. What the
/// program changes in the state, the next run works on.
ErrorOr<BenchmarkResult> measure(Session &session, const BenchmarkOptions &options);

/// Measures and writes one line, and the JSON file.
Status benchmark(Session &session, const BenchmarkOptions &options, std::ostream &out);

} // namespace mp

#endif // MP_RUNTIME_BENCHMARK_H
