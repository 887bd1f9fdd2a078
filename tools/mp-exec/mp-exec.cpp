// Runs an executable with the runtime alone.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RuntimeFlags.h"
#include "StandardOutput.h"
#include "StopSignals.h"
#include "Verbs.h"
#include "mp/Base/Version.h"
#include "mp/Devices/CPU/CPUDevice.h"
#include "mp/Devices/CUDA/CUDADevice.h"
#include "mp/Devices/SIMT/SIMTDevice.h"
#include "mp/Runtime/Tensors/Files.h"
#include "mp/Training/Benchmark.h"
#include "mp/Training/Trainer.h"

#include <iostream>

using namespace mp;

namespace {

struct Options {
  std::string file;
  DeviceOptions device;
  std::string deviceName = "cpu";
  bool noNative = false;
  TrainOptions train;
  InferOptions infer;
  BenchmarkOptions benchmark;
};

} // namespace

static ErrorOr<std::unique_ptr<Session>> open(const Options &options, const std::string &device,
                                              DeviceOptions deviceOptions) {
  ErrorOr<LoadedExecutable> file = readExecutable(options.file, {options.noNative});
  if (!file)
    return file.status();
  deviceOptions.allowNative = !options.noNative;
  ErrorOr<std::unique_ptr<Device>> made = createDevice(device, deviceOptions);
  if (!made)
    return made.status();
  return Session::create(std::make_shared<const LoadedExecutable>(std::move(*file)), std::move(*made));
}

static Status runInfer(const Options &options) {
  if (Status checked = checkInferOptions(options.infer); !checked.ok())
    return checked;
  ErrorOr<std::unique_ptr<Session>> session = open(options, options.deviceName, options.device);
  return session ? infer(**session, options.infer, std::cout, std::cerr) : session.status();
}

/// `stopped` becomes the exit status where a signal has stopped training.
static Status runTrain(const Options &options, int &stopped) {
  DeviceOptions device = options.device;
  device.threads = options.train.threads;
  device.pinThreads = options.train.pinThreads;
  device.simulation = options.train.simulation;
  ErrorOr<std::unique_ptr<Session>> session = open(options, options.train.device, device);
  if (!session)
    return session.status();
  StopSignals signals;
  TrainOptions training = options.train;
  training.shouldStop = StopSignals::isCaught;
  ErrorOr<TrainResult> result = train(**session, training);
  if (!result)
    return result.status();
  if (result->stopped) {
    std::cerr << "mp-exec: " << StopSignals::describe(*result, training) << std::endl;
    stopped = StopSignals::exitStatus();
    return Status::success();
  }
  std::cout << result->steps << " steps, " << result->skipped << " skipped";
  if (result->lossScale)
    std::cout << ", loss scale " << *result->lossScale;
  for (const Score &score : result->trainScores)
    std::cout << ", " << score.name << ' ' << score.value;
  for (const Score &score : result->testScores)
    std::cout << ", test " << score.name << ' ' << score.value;
  std::cout << '\n';
  return Status::success();
}

static Status runBenchmark(const Options &options) {
  if (!options.benchmark.json.empty())
    if (Status there = checkFolderOf(options.benchmark.json); !there.ok())
      return there.in("--json");
  ErrorOr<std::unique_ptr<Session>> session = open(options, options.deviceName, options.device);
  return session ? benchmark(**session, options.benchmark, std::cout) : session.status();
}

static Status runInfo(const Options &options) {
  ErrorOr<LoadedExecutable> file = readExecutable(options.file, {options.noNative});
  if (!file)
    return file.status();
  printExecutable(file->table, std::cout);
  return Status::success();
}

int main(int argc, char **argv) {
  checkStandardOutput("mp-exec");
  registerCPUDevice();
  registerSIMTDevice();
  registerCUDADevice();
  Options options;
  CLI::App app("Runs Halfstep executables. Code in an executable is trusted as a program is.", "mp-exec");
  app.require_subcommand(1);
  app.set_version_flag("--version", kProducer, "show the version of Halfstep");

  auto addFile = [&](CLI::App *command) {
    command->add_option("FILE", options.file, "executable (.mpx)")->required();
    command->add_flag("--no-native", options.noNative, "refuse native code");
  };
  auto addChip = [&](CLI::App *command) {
    command->add_option("--chip", options.device.chip,
                        "of devices cuda and simt: run code for this chip alone (default: the best that there is)");
  };
  auto addDevice = [&](CLI::App *command) {
    command->add_option("--device", options.deviceName, "device to run on (default cpu)");
    command->add_option("--threads", options.device.threads, "threads of the CPU, at most 1024 (default: all)");
    command->add_flag("--pin-threads", options.device.pinThreads,
                      "keep each thread of the CPU on one of its processors, in turn");
    addSimulateFlag(*command, options.device.simulation);
    addChip(command);
  };
  CLI::App *infer = app.add_subcommand("infer", "run a program once on inputs from files");
  addFile(infer);
  addInferFlags(*infer, options.infer);
  infer->add_option("--program", options.infer.program, "program to run (default infer)");
  addDevice(infer);
  CLI::App *train = app.add_subcommand("train", "train as the executable's programs do");
  addFile(train);
  addTrainFlags(*train, options.train);
  addChip(train);
  CLI::App *benchmark = app.add_subcommand("benchmark", "time a program on random inputs");
  addFile(benchmark);
  addDevice(benchmark);
  benchmark->add_option("--program", options.benchmark.program, "program to time (default infer)");
  benchmark->add_option("--batch-size", options.benchmark.batchSize,
                        "rows of a run, of those that there is code for (default: the largest)");
  benchmark->add_option("--seed", options.benchmark.seed, "seed of state and inputs (default 0)");
  benchmark->add_option("--warmup", options.benchmark.warmup, "runs before (default 10)");
  benchmark->add_option("--repeat", options.benchmark.repeat, "samples (default 30)");
  benchmark->add_option("--runs", options.benchmark.runs, "runs of a sample (default 10)");
  benchmark->add_flag("--per-kernel", options.benchmark.perKernel,
                      "time each kernel, too: its share, its rates, and what the cost model promises of one core");
  benchmark->add_option("--json", options.benchmark.json,
                        "file for the figures, - for standard output (default: none is written)");
  CLI::App *devices = app.add_subcommand("devices", "show the devices of this machine");
  CLI::App *info = app.add_subcommand("info", "show what is in an executable");
  addFile(info);

  for (const std::string &wrong : {describeMissingVerb(app, argc, argv), describeEmptyValue(argc, argv)})
    if (!wrong.empty()) {
      std::cerr << "mp-exec: error: " << wrong << '\n';
      return 1;
    }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    if (error.get_exit_code() == 0) // --help
      return app.exit(error);
    std::cerr << "mp-exec: error: " << describeParseError(app, error) << '\n';
    return 1;
  }

  Status status;
  int stopped = 0;
  if (*infer)
    status = runInfer(options);
  else if (*train)
    status = runTrain(options, stopped);
  else if (*benchmark)
    status = runBenchmark(options);
  else if (*info)
    status = runInfo(options);
  else if (*devices)
    printDevices(std::cout);
  if (status.ok())
    return stopped;
  std::cerr << "mp-exec: error: " << status.message() << '\n';
  return 1;
}
