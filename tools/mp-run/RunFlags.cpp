// Flags of verbs that run on a device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp-run/RunFlags.h"

#include "mp/Pipeline/Target.h"
#include "mp/Runtime/Core/BestChip.h"

#include <iostream>
#include <memory>
#include <optional>

namespace mp {

/// A target that was asked for is the device's: no other code would run.
static void checkTarget(const std::string &device, const std::string &target, const CompileOptions &options) {
  for (llvm::StringRef given : options.given)
    if (given.starts_with("target=") && (options.target != target || !options.otherTargets.empty()))
      fail("--" + given.str() + ": device " + device + " runs code for " + target + " alone; leave --target out");
}

void compileFor(const std::string &device, CompileOptions &options, const DeviceOptions &deviceOptions, bool quiet) {
  ErrorOr<std::unique_ptr<Device>> made = createDevice(device, deviceOptions);
  check(made.status());
  const std::string &target = (*made)->description().target;
  checkTarget(device, target, options);
  options.target = target;
  options.otherTargets.clear();
  const Target *known = findTarget(target);
  if (!known || !known->isGPU() || !options.chips.empty())
    return;
  ErrorOr<std::string> chip = bestChip(**made);
  check(chip.status());
  options.chips = {*chip};
  if (!quiet)
    std::cerr << "mp-run: device " << device << ": compiling for " << options.chips.front()
              << "; --chip chooses another\n";
}

DeviceOptions deviceOptionsOf(const TrainOptions &options) {
  DeviceOptions device;
  device.threads = options.threads;
  device.pinThreads = options.pinThreads;
  device.simulation = options.simulation;
  return device;
}

CompileOptions compileOptionsFor(const std::string &model, const CompileFlags &flags, const TrainOptions &training) {
  CompileOptions options;
  flags.apply(model, options);
  if (training.batchSize)
    options.specialize.batch = *training.batchSize;
  if (training.learningRate)
    options.optimizer.learningRate = *training.learningRate;
  options.optimizer.accumulate = static_cast<int64_t>(training.accumulate.value_or(1));
  if (training.lastBatch == LastBatch::Pad)
    options.specialize.pad = true;
  if (!isExecutable(model))
    compileFor(training.device, options, deviceOptionsOf(training), training.quiet);
  options.reportAccesses |= training.simulation.checksMemory();
  return options;
}

std::unique_ptr<Session> createSession(std::shared_ptr<const LoadedExecutable> file, const std::string &device,
                                       const DeviceOptions &options) {
  ErrorOr<std::unique_ptr<Device>> target = createDevice(device, options);
  check(target.status());
  ErrorOr<std::unique_ptr<Session>> session = Session::create(std::move(file), std::move(*target));
  check(session.status());
  return std::move(*session);
}

} // namespace mp
