//===- CPUVariant.cpp - a launch plan, run on the host --------------------===//
//
// Part of Halfstep, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CPU/CPUVariant.h"
#include "CPU/BlockRunner.h"
#include "PlanMemory.h"

#include <algorithm>
#include <cstring>
#include <map>

using namespace mp;
using namespace mp::executable;

namespace {

/// One command of the plan with its code found.
struct Step {
  const CommandT *command;
  NativeKernel kernel = nullptr; // Launch only
};

class CPUVariant final : public LoadedVariant {
public:
  CPUVariant(const LoadedExecutable &file, const VariantT &variant, BlockRunner &runner,
             std::unique_ptr<DeviceMemory> arena)
      : variant(variant), runner(runner), arena(std::move(arena)), memory(variant) {
    if (variant.constants >= 0)
      constants = file.blob(variant.constants);
    memory.setOwn(this->arena->address(), constants.data());
  }

  Status loadCode(const LoadedExecutable &file);
  Status enqueue(const Bindings &bindings) override;
  uint64_t residentBytes() const override { return arena->size() + constants.size(); }

private:
  void launch(const LaunchT &launch, NativeKernel kernel, const Bindings &bindings);
  void fill(const FillT &fill, const Bindings &bindings) const;

  const VariantT &variant;
  BlockRunner &runner;
  std::unique_ptr<DeviceMemory> arena;
  std::span<const std::byte> constants;
  PlanMemory memory;
  std::map<uint32_t, std::unique_ptr<NativeLibrary>> libraries;
  std::vector<Step> steps;
  std::vector<void *> pointers; // of the launch that runs
};

} // namespace

Status CPUVariant::loadCode(const LoadedExecutable &file) {
  uint64_t scratch = 0;
  for (const std::unique_ptr<CommandT> &command : variant.commands) {
    Step step{command.get()};
    if (const LaunchT *launch = command->what.AsLaunch()) {
      std::unique_ptr<NativeLibrary> &library = libraries[launch->blob];
      if (!library) {
        ErrorOr<std::unique_ptr<NativeLibrary>> loaded = NativeLibrary::load(file.blob(launch->blob));
        if (!loaded)
          return loaded.status().in("kernel " + launch->kernel);
        library = std::move(*loaded);
      }
      ErrorOr<void *> kernel = library->find(launch->symbol);
      if (!kernel)
        return kernel.status().in("kernel " + launch->kernel);
      step.kernel = reinterpret_cast<NativeKernel>(*kernel);
      scratch = std::max(scratch, launch->scratch_bytes);
    }
    steps.push_back(step);
  }
  return runner.reserveScratch(scratch);
}

void CPUVariant::launch(const LaunchT &launch, NativeKernel kernel, const Bindings &bindings) {
  pointers.clear();
  for (const Buffer &buffer : launch.buffers)
    pointers.push_back(memory.resolve(buffer.place(), bindings));
  runner.run(kernel, pointers, launch.grid, launch.scratch_bytes > 0);
}

void CPUVariant::fill(const FillT &fill, const Bindings &bindings) const {
  std::byte *destination = memory.resolve(*fill.destination, bindings);
  for (uint64_t i = 0; i < fill.destination->bytes(); i += fill.pattern_bytes)
    std::memcpy(destination + i, &fill.pattern, std::min<uint64_t>(fill.pattern_bytes, fill.destination->bytes() - i));
}

Status CPUVariant::enqueue(const Bindings &bindings) {
  if (Status bound = memory.check(bindings); !bound.ok())
    return bound;
  for (const Step &step : steps) {
    if (const LaunchT *command = step.command->what.AsLaunch())
      launch(*command, step.kernel, bindings);
    else if (const CopyT *copy = step.command->what.AsCopy())
      std::memmove(memory.resolve(*copy->destination, bindings), memory.resolve(*copy->source, bindings),
                   copy->source->bytes());
    else if (const FillT *command = step.command->what.AsFill())
      fill(*command, bindings);
  }
  return Status::success();
}

ErrorOr<std::unique_ptr<LoadedVariant>> mp::loadCPUVariant(const LoadedExecutable &file, const ProgramT &program,
                                                           const VariantT &variant, BlockRunner &runner,
                                                           std::unique_ptr<DeviceMemory> arena) {
  auto loaded = std::make_unique<CPUVariant>(file, variant, runner, std::move(arena));
  if (Status code = loaded->loadCode(file); !code.ok())
    return code.in("program " + program.name);
  return std::unique_ptr<LoadedVariant>(std::move(loaded));
}
