// What this machine's processor is measured to do.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each figure is that of a small model, compiled and run as any other is: what a step gets, not what the processor
// could.

#include "mp-run/MeasureCPU.h"

#include "mp-run/CompileFlags.h"
#include "mp-run/RunFlags.h"

#include "mp/Base/Names.h"
#include "mp/Pipeline/Model.h"
#include "mp/Training/Benchmark.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cmath>
#include <unistd.h>

using namespace mlir;

namespace mp {

/// Programs that share the seconds.
static constexpr int kPrograms = 9;
/// Samples are so short that some run undisturbed where others share the processor, and longer than the clock is
/// coarse.
static constexpr double kSampleSeconds = 2e-4;
/// Samples of a program.
static constexpr double kLeastSamples = 3, kMostSamples = 1000;
/// Products [N x N] x [N x N], so large that packing is a small part, as in layers that are worth a low type.
static constexpr int64_t kProductSize = 512;
/// Steps `v = v * a + b` of a map, so many that its traffic does not count.
static constexpr int64_t kMapSteps = 32;
/// Products so small that to start them is what they take.
static constexpr int64_t kLaunches = 32;

/// `tensor<SHAPExTYPE>`.
static std::string tensorOf(StringRef shape, StringRef type) { return ("tensor<" + shape + "x" + type + ">").str(); }

/// A model from inputs x, a and b to y: `body` makes %y of %x, %a and %b, all of type `tensor`.
static std::string modelOf(StringRef body, StringRef tensor) {
  std::string text = "func.func @model(";
  for (StringRef input : {"x", "a", "b"})
    text += ((input == "x" ? "%" : ", %") + input + ": " + tensor + " {mp.input = \"" + input + "\"}").str();
  return text + (") -> (" + tensor + " {mp.output = \"y\"}) attributes {mp.program = \"model\"} {\n" + body +
                 "  return %y : " + tensor + "\n}\n")
                    .str();
}

/// `count` times `step`, in which %in stands for what the one before made, and %out for what it makes.
static std::string repeat(StringRef step, int64_t count) {
  std::string text;
  for (int64_t i = 0; i < count; ++i) {
    std::string own = step.str();
    auto replace = [&](StringRef name, const std::string &value) {
      for (size_t at = own.find(name); at != std::string::npos; at = own.find(name, at + value.size()))
        own.replace(at, name.size(), value);
    };
    replace("%in", i == 0 ? "%x" : "%v" + std::to_string(i));
    replace("%out", i + 1 == count ? "%y" : "%v" + std::to_string(i + 1));
    replace("%t", "%t" + std::to_string(i));
    text += own;
  }
  return text;
}

/// An op of operands and a result of one type.
static std::string binary(StringRef result, StringRef op, StringRef operands, StringRef tensor) {
  return ("  " + result + " = mp." + op + " " + operands + " : " + tensor + ", " + tensor + " -> " + tensor + "\n")
      .str();
}

/// `count` products in a row, each [size x size].
static std::string products(int64_t size, int64_t count, StringRef type) {
  const std::string tensor = tensorOf(std::to_string(size) + "x" + std::to_string(size), type);
  return modelOf(repeat(binary("%out", "matmul", "%in, %a acc f32", tensor), count), tensor);
}

/// A chain of multiplications and additions of so many elements, which rounds each to the type.
static std::string mapChain(int64_t elements, StringRef type) {
  const std::string tensor = tensorOf(std::to_string(elements), type);
  const std::string step = binary("%t", "mul", "%in, %a", tensor) + binary("%out", "add", "%t, %b", tensor);
  return modelOf(repeat(step, kMapSteps), tensor);
}

static std::string sum(int64_t elements) {
  const std::string tensor = tensorOf(std::to_string(elements), "f32");
  return modelOf(binary("%y", "add", "%x, %a", tensor), tensor);
}

static std::string copy(int64_t elements) {
  const std::string tensor = tensorOf(std::to_string(elements), "f32");
  return modelOf("  %y = mp.relu %x : " + tensor + "\n", tensor);
}

/// Bytes of a cache of this machine, 0 where the system does not say.
static int64_t cacheBytesOf(int name) { return std::max<int64_t>(::sysconf(name), 0); }

namespace {

class Measurement {
public:
  Measurement(const CPULevel &level, double seconds,
              llvm::function_ref<void(const TuningFigure &figure, double measured)> report)
      : tuning{level, "", ""}, seconds(seconds / kPrograms), report(report) {}

  Tuning run() {
    // Each stands on those before it.
    set("launch_seconds", time(products(8, kLaunches, "f32")).seconds / kLaunches);
    if (const int64_t bytes = cacheBytesOf(_SC_LEVEL2_CACHE_SIZE); bytes > 0)
      tuning.level.cacheBytes = bytes;
    set("cache_bytes", static_cast<double>(tuning.level.cacheBytes));
    measureTraffic();
    for (const char *type : kTypes) {
      const Timed product = time(products(kProductSize, 1, type));
      set("contraction_operations_per_second", product.operations / withoutLaunch(product), type);
    }
    measureMaps();
    return std::move(tuning);
  }

private:
  static constexpr const char *kTypes[] = {"f32", "bf16", "f16"};

  /// Of one run of a program.
  struct Timed {
    double seconds, operations, bytes;
  };

  void measureTraffic() {
    // A quarter of the cache is read and a quarter written.
    const Timed cached = time(copy(tuning.level.cacheBytes / 16));
    set("cache_bytes_per_second", cached.bytes / withoutLaunch(cached));
    constexpr int64_t kLeast = 64 << 20, kMost = 256 << 20;
    const Timed streamed = time(sum(std::clamp(cacheBytesOf(_SC_LEVEL3_CACHE_SIZE), kLeast, kMost) / 4));
    set("memory_bytes_per_second", streamed.bytes / withoutLaunch(streamed));
  }

  /// An operation in a low type takes that of f32 and conversions of its operands and result, as the model counts them:
  /// the rate is that of an operation with one conversion.
  void measureMaps() {
    constexpr double kConversions = 3;
    double f32Seconds = 0;
    for (const char *type : kTypes) {
      const Timed chain = time(mapChain(tuning.level.cacheBytes / 64, type));
      double own = withoutLaunch(chain) / chain.operations;
      if (StringRef(type) == "f32")
        f32Seconds = own;
      else
        own = f32Seconds + std::max(own - f32Seconds, 0.0) / kConversions;
      set("map_operations_per_second", 1 / own, type);
    }
  }

  double withoutLaunch(const Timed &timed) const {
    return std::max(timed.seconds - tuning.level.launchSeconds, timed.seconds / 2);
  }

  void set(StringRef field, double value, StringRef type = "") {
    const TuningFigure *figure =
        llvm::find_if(tuningFigures(), [&](const TuningFigure &row) { return row.field == field && row.type == type; });
    assert(figure != tuningFigures().end());
    if (!(value >= figure->least && value <= figure->most))
      fail(figure->name() + ": was measured to be " + std::to_string(value) + ", which cannot be");
    figure->set(tuning.level, value);
    report(*figure, value);
  }

  Timed time(const std::string &model) {
    std::unique_ptr<Session> session = createSession(compileModel(model), targets::cpu, {.threads = 1});
    tuning.processor = session->device().description().model;
    check(session->initialize(0));
    ErrorOr<std::unique_ptr<Benchmark>> benchmark = Benchmark::create(*session, programs::infer, 0);
    check(benchmark.status());
    Timed timed{0, 0, 0};
    for (const auto &command : (*benchmark)->variant().commands)
      if (const executable::LaunchT *launch = command->what.AsLaunch()) {
        timed.operations += static_cast<double>(launch->flops);
        timed.bytes += static_cast<double>(launch->bytes);
      }
    const double once = std::max(sample(**benchmark, 1, 1), 1e-8);
    const double runs = std::max(std::floor(kSampleSeconds / once), 1.0);
    const double samples = std::clamp(seconds / (runs * once), kLeastSamples, kMostSamples);
    timed.seconds = sample(**benchmark, static_cast<unsigned>(samples), static_cast<unsigned>(runs));
    return timed;
  }

  /// The sample that a quarter of `count` are faster than, after a run that warms up.
  static double sample(Benchmark &benchmark, unsigned count, unsigned runs) {
    ErrorOr<std::vector<double>> samples = benchmark.run(/*warmup=*/1, count, runs);
    check(samples.status());
    std::sort(samples->begin(), samples->end());
    return (*samples)[count / 4];
  }

  std::shared_ptr<const LoadedExecutable> compileModel(const std::string &text) const {
    CompileOptions options;
    options.training = false;
    options.specialize.batch = 1;
    options.autocast.policy = "float32"; // types are as they are written
    options.cpus = {std::string(tuning.level.name)};
    DialectRegistry registry;
    registerCompilerDialects(registry);
    MLIRContext context(registry);
    OwningOpRef<ModuleOp> module = parseModel(text, "tune", context);
    if (!module)
      throw CLI::RuntimeError(1);
    FailureOr<std::shared_ptr<const LoadedExecutable>> loaded = compileAndLoad(*module, options);
    if (failed(loaded))
      throw CLI::RuntimeError(1);
    return *loaded;
  }

  Tuning tuning;
  const double seconds; // of one program
  llvm::function_ref<void(const TuningFigure &figure, double measured)> report;
};

} // namespace

Tuning measureCPU(const CPULevel &level, double seconds,
                  llvm::function_ref<void(const TuningFigure &figure, double measured)> report) {
  return Measurement(level, seconds, report).run();
}

} // namespace mp
