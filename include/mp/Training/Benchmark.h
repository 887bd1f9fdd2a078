// How long a program takes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TRAINING_BENCHMARK_H
#define MP_TRAINING_BENCHMARK_H

#include "mp/Runtime/Core/Session.h"

#include "mp/Base/Names.h"

#include <iosfwd>

namespace mp {

/// A tensor in a device's memory that someone else owns.
struct DeviceTensor {
  const TensorTypeT *type;
  const DeviceMemory *memory;
};

/// A program loaded with memory of its own, whose inputs are random values that are on the device before it runs.
class Benchmark {
public:
  /// Loads the variant that the device prefers, of that batch or else the largest, and fills its inputs under `seed`;
  /// weights of rows are 1. State is the session's, as it is. The session outlives the benchmark.
  static ErrorOr<std::unique_ptr<Benchmark>> create(Session &session, std::string_view program, uint64_t seed,
                                                    std::optional<int64_t> batch = {});

  const executable::VariantT &variant() const { return runner->variant(); }

  /// The input of that name, or else the result. State is neither.
  ErrorOr<DeviceTensor> tensor(std::string_view name) const;

  /// Runs `warmup` times and waits, then takes `repeat` samples of `runs` runs each, one after another without a pause,
  /// and waits. Gives of each sample, in turn, the seconds of one run by the device's clock. What the program changes
  /// in the state, the next run works on.
  ErrorOr<std::vector<double>> run(unsigned warmup, unsigned repeat, unsigned runs);

  /// Runs `warmup` times, then `repeat` times, and gives for each command of the variant its seconds in each of those.
  /// A step that is skipped leaves its updates out, and counts as none; an error where too many are.
  ErrorOr<std::vector<std::vector<double>>> timeCommands(unsigned warmup, unsigned repeat);

private:
  Benchmark(Device &device, std::unique_ptr<ProgramRunner> runner) : device(device), runner(std::move(runner)) {}

  Status fillInputs(const Session &session, uint64_t seed);
  Status enqueue(unsigned times);
  ErrorOr<bool> isSkipped();

  Device &device;
  std::unique_ptr<ProgramRunner> runner;
};

/// How a program is timed: `warmup` runs, then `repeat` samples of `runs` runs each, one after another without a pause.
struct BenchmarkOptions {
  std::string program = programs::infer;
  uint64_t seed = 0;                // of state and inputs
  std::optional<int64_t> batchSize; // the largest that there is code for, where none is said
  unsigned warmup = 10;
  unsigned repeat = 30;
  unsigned runs = 10;
  bool perKernel = false; // time each kernel, too
  std::string json;       // file for the figures, or empty
};

/// One kernel of a program that was timed, with what its launch says of it.
struct KernelTime {
  std::string name;
  double seconds = 0; ///< the median
  uint64_t flops = 0, bytes = 0;
  double modelled = 0; ///< seconds by the compiler's cost model on one core, or 0
};

struct BenchmarkResult {
  /// Of one run, by the device's clock: a sample's time over its runs. Ascending.
  std::vector<double> seconds;
  /// What one run computes and moves, as the launch plan says.
  uint64_t flops = 0;
  uint64_t bytes = 0;
  /// In the order in which they run, where they were asked for. Each runs between the others, as it does in the
  /// program.
  std::vector<KernelTime> kernels;

  double median() const { return (seconds[(seconds.size() - 1) / 2] + seconds[seconds.size() / 2]) / 2; }
};

/// Runs a benchmark's program `warmup` times, then `repeat` times kernel by kernel; copies and fills are "copy" and
/// "fill".
ErrorOr<std::vector<KernelTime>> timeKernels(Benchmark &benchmark, unsigned warmup, unsigned repeat);

/// Initializes the state and runs a benchmark of a program.
ErrorOr<BenchmarkResult> measure(Session &session, const BenchmarkOptions &options);

/// Measures and writes one line, with `perKernel` a table of kernels, and the JSON file.
Status benchmark(Session &session, const BenchmarkOptions &options, std::ostream &out);

} // namespace mp

#endif // MP_TRAINING_BENCHMARK_H
