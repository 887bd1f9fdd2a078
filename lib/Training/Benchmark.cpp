// How long a program takes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Training/Benchmark.h"
#include "mp/Base/WholeFile.h"
#include "mp/Runtime/Core/RandomValues.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <ostream>
#include <sstream>

using namespace mp;
using namespace mp::executable;

static ErrorOr<HostTensor> inputFor(const Session &session, const ArgumentT &argument, uint64_t seed) {
  if (argument.kind == ArgumentKind::Input)
    return randomInput(session, argument, seed);
  // Weights of rows: each counts.
  ErrorOr<HostTensor> ones = zeroTensor(*argument.type);
  for (uint64_t i = 0; ones && i < ones->count(); ++i)
    storeElement(ones->bytes, argument.type->element, i, 1);
  return ones;
}

ErrorOr<std::unique_ptr<Benchmark>> Benchmark::create(Session &session, std::string_view program, uint64_t seed,
                                                      std::optional<int64_t> batch) {
  ErrorOr<std::unique_ptr<ProgramRunner>> runner = session.load(program, batch);
  if (!runner)
    return runner.status();
  std::unique_ptr<Benchmark> benchmark(new Benchmark(session.device(), std::move(*runner)));
  if (Status filled = benchmark->fillInputs(session, seed); !filled.ok())
    return filled;
  return benchmark;
}

Status Benchmark::fillInputs(const Session &session, uint64_t seed) {
  for (size_t i = 0; i < variant().arguments.size(); ++i) {
    const ArgumentT &argument = *variant().arguments[i];
    if (argument.kind == ArgumentKind::State)
      continue;
    ErrorOr<HostTensor> value = inputFor(session, argument, seed);
    if (!value)
      return value.status();
    if (Status set = runner->setArgument(0, i, value->bytes); !set.ok())
      return set;
  }
  return device.wait(device.mark());
}

ErrorOr<DeviceTensor> Benchmark::tensor(std::string_view name) const {
  std::optional<size_t> argument = runner->argument(name);
  if (const DeviceMemory *memory = argument ? runner->argumentMemory(0, *argument) : nullptr)
    return DeviceTensor{variant().arguments[*argument]->type.get(), memory};
  if (std::optional<size_t> result = runner->result(name))
    return DeviceTensor{variant().results[*result]->type.get(), runner->resultMemory(0, *result)};
  return makeError("program ", runner->program().name, " has no input or result '", name, "'");
}

Status Benchmark::enqueue(unsigned times) {
  for (unsigned i = 0; i < times; ++i)
    if (Status queued = runner->enqueue(0); !queued.ok())
      return queued;
  return Status::success();
}

ErrorOr<std::vector<double>> Benchmark::run(unsigned warmup, unsigned repeat, unsigned runs) {
  if (repeat == 0 || runs == 0)
    return makeError("repeat and runs are ", repeat, " and ", runs, ", expected at least 1");
  if (Status warm = enqueue(warmup); !warm.ok())
    return warm;
  if (Status warm = runner->wait(0); !warm.ok())
    return warm;

  // All samples are in the queue before the first time is read, so that nothing waits in between.
  std::vector<std::unique_ptr<TimeStamp>> stamps;
  for (unsigned sample = 0; sample <= repeat; ++sample) {
    if (Status queued = enqueue(sample == 0 ? 0 : runs); !queued.ok())
      return queued;
    ErrorOr<std::unique_ptr<TimeStamp>> stamp = device.stamp();
    if (!stamp)
      return stamp.status();
    stamps.push_back(std::move(*stamp));
  }
  if (Status done = runner->wait(0); !done.ok())
    return done;

  std::vector<double> samples;
  for (size_t i = 1; i < stamps.size(); ++i) {
    ErrorOr<double> seconds = stamps[i]->secondsSince(*stamps[i - 1]);
    if (!seconds)
      return seconds.status();
    samples.push_back(*seconds / runs);
  }
  return samples;
}

/// Whether the last run was a step that updated nothing.
ErrorOr<bool> Benchmark::isSkipped() {
  std::optional<size_t> bad = runner->result(logs::bad);
  if (!bad || variant().results[*bad]->kind != ResultKind::Log)
    return false;
  ErrorOr<HostTensor> value = runner->read(0, *bad);
  return value ? ErrorOr<bool>(elementAt(*value, 0) >= 0) : value.status();
}

ErrorOr<std::vector<std::vector<double>>> Benchmark::timeCommands(unsigned warmup, unsigned repeat) {
  constexpr unsigned kMostSkips = 64; // from there a dynamic scale has halved to nothing
  std::vector<std::vector<double>> seconds(variant().commands.size());
  for (unsigned updates = 0, skips = 0; updates < warmup + repeat;) {
    ErrorOr<std::vector<double>> once = runner->timeCommands(0);
    if (!once)
      return once.status();
    ErrorOr<bool> skipped = isSkipped();
    if (!skipped)
      return skipped.status();
    if (*skipped && ++skips > kMostSkips)
      return makeError("program ", runner->program().name, " was skipped ", skips, " times: gradients are not finite");
    if (*skipped || updates++ < warmup)
      continue;
    for (size_t i = 0; i < once->size(); ++i)
      seconds[i].push_back((*once)[i]);
  }
  return seconds;
}

static double medianOf(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  return (samples[(samples.size() - 1) / 2] + samples[samples.size() / 2]) / 2;
}

ErrorOr<std::vector<KernelTime>> mp::timeKernels(Benchmark &benchmark, unsigned warmup, unsigned repeat) {
  ErrorOr<std::vector<std::vector<double>>> seconds = benchmark.timeCommands(warmup, repeat);
  if (!seconds)
    return seconds.status();
  std::vector<KernelTime> kernels;
  for (size_t i = 0; i < seconds->size(); ++i) {
    const CommandKindUnion &what = benchmark.variant().commands[i]->what;
    const double median = medianOf(std::move((*seconds)[i]));
    if (const LaunchT *launch = what.AsLaunch())
      kernels.push_back({launch->kernel, median, launch->flops, launch->bytes, launch->modelled_seconds});
    else if (const CopyT *copy = what.AsCopy())
      kernels.push_back({"copy", median, 0, 2 * copy->source->bytes(), 0});
    else if (const FillT *fill = what.AsFill())
      kernels.push_back({"fill", median, 0, fill->destination->bytes(), 0});
  }
  return kernels;
}

ErrorOr<BenchmarkResult> mp::measure(Session &session, const BenchmarkOptions &options) {
  if (Status initialized = session.initialize(options.seed); !initialized.ok())
    return initialized;
  ErrorOr<std::unique_ptr<Benchmark>> benchmark =
      Benchmark::create(session, options.program, options.seed, options.batchSize);
  if (!benchmark)
    return benchmark.status();
  ErrorOr<std::vector<double>> seconds = (*benchmark)->run(options.warmup, options.repeat, options.runs);
  if (!seconds)
    return seconds.status();
  BenchmarkResult result;
  result.seconds = std::move(*seconds);
  std::sort(result.seconds.begin(), result.seconds.end());
  for (const auto &command : (*benchmark)->variant().commands)
    if (const LaunchT *launch = command->what.AsLaunch()) {
      result.flops += launch->flops;
      result.bytes += launch->bytes;
    }
  if (options.perKernel) {
    ErrorOr<std::vector<KernelTime>> kernels = timeKernels(**benchmark, options.warmup, options.repeat);
    if (!kernels)
      return kernels.status().in("--per-kernel");
    result.kernels = std::move(*kernels);
  }
  return result;
}

/// A row for each kernel: its share of the time of all, its rates, and how much of what the cost model promises.
static void printKernels(const std::vector<KernelTime> &kernels, std::ostream &out) {
  double total = 0;
  size_t width = 6;
  for (const KernelTime &kernel : kernels) {
    total += kernel.seconds;
    width = std::max(width, kernel.name.size());
  }
  auto cell = [&](size_t columns, const std::string &text) {
    out << std::string(columns > text.size() ? columns - text.size() : 0, ' ') << text;
  };
  auto number = [](double value, int digits) {
    char text[32];
    std::snprintf(text, sizeof(text), "%.*f", digits, value);
    return std::string(text);
  };
  out << "kernel" << std::string(width - 6, ' ') << "          us   share   GFLOP/s    GB/s  of model\n";
  for (const KernelTime &kernel : kernels) {
    // A clock may stand still over what takes no time.
    const double seconds = std::max(kernel.seconds, 1e-9);
    out << kernel.name << std::string(width - kernel.name.size(), ' ');
    cell(12, number(kernel.seconds * 1e6, 1));
    cell(8, number(100 * kernel.seconds / std::max(total, 1e-9), 1) + "%");
    cell(10, number(double(kernel.flops) / seconds / 1e9, 1));
    cell(8, number(double(kernel.bytes) / seconds / 1e9, 1));
    cell(10, kernel.modelled == 0 ? "-" : number(100 * kernel.modelled / seconds, 0) + "%");
    out << '\n';
  }
}

Status mp::benchmark(Session &session, const BenchmarkOptions &options, std::ostream &out) {
  ErrorOr<BenchmarkResult> measured = measure(session, options);
  if (!measured)
    return measured.status();
  const double median = measured->median();
  const bool isJson = options.json == "-"; // and nothing else
  std::ostringstream text;
  text << options.program << " on " << session.device().description().name << ": " << median * 1e6 << " us (from "
       << measured->seconds.front() * 1e6 << " to " << measured->seconds.back() * 1e6 << "; " << options.repeat
       << " samples of " << options.runs << " runs), " << double(measured->flops) / median / 1e12 << " TFLOP/s, "
       << double(measured->bytes) / median / 1e9 << " GB/s\n";
  if (options.perKernel)
    printKernels(measured->kernels, text);
  if (!isJson)
    out << text.str();
  if (options.json.empty())
    return Status::success();
  std::ostringstream file;
  file << "{\"program\": " << nlohmann::json(options.program)
       << ", \"device\": " << nlohmann::json(session.device().description().name) << ", \"median_seconds\": " << median
       << ", \"least_seconds\": " << measured->seconds.front() << ", \"most_seconds\": " << measured->seconds.back()
       << ", \"samples\": " << options.repeat << ", \"runs\": " << options.runs << ", \"flops\": " << measured->flops
       << ", \"bytes\": " << measured->bytes;
  if (options.perKernel) {
    nlohmann::ordered_json rows = nlohmann::json::array();
    for (const KernelTime &kernel : measured->kernels)
      rows.push_back({{"kernel", kernel.name},
                      {"median_seconds", kernel.seconds},
                      {"flops", kernel.flops},
                      {"bytes", kernel.bytes},
                      {"modelled_seconds", kernel.modelled}});
    file << ", \"kernels\": " << rows;
  }
  file << "}\n";
  if (isJson) {
    out << file.str();
    return Status::success();
  }
  return writeWholeFile(options.json, file.str());
}
