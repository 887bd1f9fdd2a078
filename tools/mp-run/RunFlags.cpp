// Flags of verbs that run on a device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp-run/RunFlags.h"

#include "mp/Hardware/ChipTable.h"
#include "mp/Pipeline/Target.h"

#include <cstring>
#include <iostream>
#include <memory>
#include <optional>

namespace mp {

/// An executable with one kernel that takes what `chip` has: PTX of its version, and all the shared memory of a block.
static LoadedExecutable demandOf(const Chip &chip, const std::string &target) {
  using namespace executable;
  const std::string code =
      ".version " + std::to_string(chip.ptxVersion / 10) + "." + std::to_string(chip.ptxVersion % 10) + "\n";
  std::optional<FileBytes> bytes = FileBytes::allocate(code.size());
  check(bytes ? Status::success() : makeError("no memory"));
  std::memcpy(bytes->data(), code.data(), code.size());
  auto blob = std::make_unique<BlobT>();
  blob->kind = BlobKind::PTX;
  blob->length = code.size();
  LaunchT launch;
  launch.shared_bytes = static_cast<uint32_t>(chip.sharedBytesPerBlock);
  auto variant = std::make_unique<VariantT>();
  variant->target = target;
  variant->features = {std::string(chip.name)};
  variant->commands.push_back(std::make_unique<CommandT>());
  variant->commands.back()->what.Set(std::move(launch));
  auto program = std::make_unique<ProgramT>();
  program->variants.push_back(std::move(variant));
  LoadedExecutable file{{}, std::move(*bytes)};
  file.table.blobs.push_back(std::move(blob));
  file.table.programs.push_back(std::move(program));
  return file;
}

/// The chip in our table that code for `device` is best made for: whatever its kernels take, the device has it.
static std::string bestChip(const Device &device) {
  std::string best;
  double preference = 0;
  for (const Chip &chip : allChips()) {
    const LoadedExecutable file = demandOf(chip, device.description().target);
    const executable::VariantT &variant = *file.table.programs.front()->variants.front();
    if (!device.canRun(file, variant).ok() || (!best.empty() && device.preference(variant) <= preference))
      continue;
    best = std::string(chip.name);
    preference = device.preference(variant);
  }
  if (best.empty())
    fail("device " + device.description().name + " (" + device.description().model +
         ") runs code for none of the chips that there is code for: " + chipNames());
  return best;
}

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
  const llvm::StringRef chip = known->getDefaultChip();
  options.chips = {chip.empty() ? bestChip(**made) : chip.str()};
  if (!quiet)
    std::cerr << "mp-run: device " << device << ": compiling for " << options.chips.front()
              << "; --chip chooses another\n";
}

DeviceOptions deviceOptionsOf(unsigned threads, const SIMTOptions &simulation) {
  DeviceOptions options;
  options.threads = threads;
  options.simulation = simulation;
  return options;
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
    compileFor(training.device, options, deviceOptionsOf(training.threads, training.simulation), training.quiet);
  options.reportAccesses |= training.simulation.checksMemory();
  return options;
}

std::unique_ptr<Session> createSession(std::shared_ptr<const LoadedExecutable> file, const std::string &device,
                                       unsigned threads, const SIMTOptions &simulation) {
  ErrorOr<std::unique_ptr<Device>> target = createDevice(device, deviceOptionsOf(threads, simulation));
  check(target.status());
  ErrorOr<std::unique_ptr<Session>> session = Session::create(std::move(file), std::move(*target));
  check(session.status());
  return std::move(*session);
}

} // namespace mp
