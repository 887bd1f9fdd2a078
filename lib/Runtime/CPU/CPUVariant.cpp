//===- CPUVariant.cpp - a launch plan, run on the host --------------------===//
//
// Part of Halfstep, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CPU/CPUVariant.h"
#include "CPU/BlockRunner.h"

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
      : variant(variant), runner(runner), arena(std::move(arena)) {
    if (variant.constants >= 0)
      constants = file.blob(variant.constants);
  }

  Status loadCode(const LoadedExecutable &file);
  Status enqueue(const Bindings &bindings) override;
  uint64_t residentBytes() const override { return arena->size() + constants.size(); }

private:
  void noteState(const Place &place);
  Status check(const Bindings &bindings) const;
  std::byte *resolve(const Place &place, const Bindings &bindings) const;
  void launch(const LaunchT &launch, NativeKernel kernel, const Bindings &bindings);
  void fill(const FillT &fill, const Bindings &bindings) const;

  const VariantT &variant;
  BlockRunner &runner;
  std::unique_ptr<DeviceMemory> arena;
  std::span<const std::byte> constants;
  /// How far the plan reaches into each row of the state table.
  std::map<uint32_t, uint64_t> stateBytes;
  std::map<uint32_t, std::unique_ptr<NativeLibrary>> libraries;
  std::vector<Step> steps;
  std::vector<void *> pointers; // of the launch that runs
};

} // namespace

void CPUVariant::noteState(const Place &place) {
  if (place.space() == Space::State)
    stateBytes[place.index()] = std::max(stateBytes[place.index()], place.offset() + place.bytes());
}

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
      ErrorOr<NativeKernel> kernel = library->find(launch->symbol);
      if (!kernel)
        return kernel.status().in("kernel " + launch->kernel);
      step.kernel = *kernel;
      for (const Buffer &buffer : launch->buffers)
        noteState(buffer.place());
      scratch = std::max(scratch, launch->scratch_bytes);
    } else if (const CopyT *copy = command->what.AsCopy()) {
      noteState(*copy->source);
      noteState(*copy->destination);
    } else if (const FillT *fill = command->what.AsFill()) {
      noteState(*fill->destination);
    }
    steps.push_back(step);
  }
  return runner.reserveScratch(scratch);
}

/// The block of list[index], checked to be there and to hold `bytes`.
static Status checkBlock(std::span<DeviceMemory *const> list, size_t index, uint64_t bytes, const char *what) {
  if (index >= list.size() || !list[index])
    return makeError(what, " ", index, " is not bound");
  if (list[index]->size() < bytes)
    return makeError(what, " ", index, " is bound to ", list[index]->size(), " bytes, it has ", bytes);
  return Status::success();
}

Status CPUVariant::check(const Bindings &bindings) const {
  for (size_t i = 0; i < variant.arguments.size(); ++i)
    if (variant.arguments[i]->kind != ArgumentKind::State)
      if (Status bound = checkBlock(bindings.arguments, i, *byteCount(*variant.arguments[i]->type), "argument");
          !bound.ok())
        return bound;
  for (size_t i = 0; i < variant.results.size(); ++i)
    if (variant.results[i]->kind != ResultKind::Next)
      if (Status bound = checkBlock(bindings.results, i, *byteCount(*variant.results[i]->type), "result"); !bound.ok())
        return bound;
  for (const auto &[row, bytes] : stateBytes)
    if (Status bound = checkBlock(bindings.state, row, bytes, "state"); !bound.ok())
      return bound;
  return Status::success();
}

std::byte *CPUVariant::resolve(const Place &place, const Bindings &bindings) const {
  auto at = [&](DeviceMemory *block) { return static_cast<std::byte *>(block->address()) + place.offset(); };
  switch (place.space()) {
  case Space::Arena:
    return at(arena.get());
  case Space::State:
    return at(bindings.state[place.index()]);
  case Space::Argument:
    return at(bindings.arguments[place.index()]);
  case Space::Result:
    return at(bindings.results[place.index()]);
  case Space::Constant:
    return const_cast<std::byte *>(constants.data()) + place.offset();
  }
  return nullptr;
}

void CPUVariant::launch(const LaunchT &launch, NativeKernel kernel, const Bindings &bindings) {
  pointers.clear();
  for (const Buffer &buffer : launch.buffers)
    pointers.push_back(resolve(buffer.place(), bindings));
  runner.run(kernel, pointers, launch.grid, launch.scratch_bytes > 0);
}

void CPUVariant::fill(const FillT &fill, const Bindings &bindings) const {
  std::byte *destination = resolve(*fill.destination, bindings);
  for (uint64_t i = 0; i < fill.destination->bytes(); i += fill.pattern_bytes)
    std::memcpy(destination + i, &fill.pattern, std::min<uint64_t>(fill.pattern_bytes, fill.destination->bytes() - i));
}

Status CPUVariant::enqueue(const Bindings &bindings) {
  if (Status bound = check(bindings); !bound.ok())
    return bound;
  for (const Step &step : steps) {
    if (const LaunchT *command = step.command->what.AsLaunch())
      launch(*command, step.kernel, bindings);
    else if (const CopyT *copy = step.command->what.AsCopy())
      std::memmove(resolve(*copy->destination, bindings), resolve(*copy->source, bindings), copy->source->bytes());
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
