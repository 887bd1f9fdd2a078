// A launch plan, run on the host.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/Host/HostVariant.h"
#include "mp/Runtime/Core/PlanMemory.h"

#include <algorithm>
#include <chrono>
#include <cstring>

using namespace mp;
using namespace mp::executable;

ErrorOr<void *> CodeLibraries::find(const LoadedExecutable &file, uint32_t blob, const std::string &symbol) {
  std::unique_ptr<NativeLibrary> &library = libraries[blob];
  if (!library) {
    ErrorOr<std::unique_ptr<NativeLibrary>> loaded = NativeLibrary::load(file.blob(blob));
    if (!loaded)
      return loaded.status();
    library = std::move(*loaded);
  }
  return library->find(symbol);
}

namespace {

class HostVariant final : public LoadedVariant {
public:
  HostVariant(const LoadedExecutable &file, const VariantT &variant, std::unique_ptr<HostLaunches> launches,
              std::unique_ptr<DeviceMemory> arena)
      : variant(variant), launches(std::move(launches)), arena(std::move(arena)), memory(variant) {
    if (variant.constants >= 0)
      constants = file.blob(variant.constants);
    memory.setOwn(this->arena->address(), constants.data());
  }

  Status prepare(const LoadedExecutable &file);
  Status enqueue(const Bindings &bindings) override {
    return launches->execute([&] { return run(bindings, [] {}); });
  }
  ErrorOr<std::vector<double>> timeCommands(const Bindings &bindings) override;
  uint64_t residentBytes() const override { return arena->size() + constants.size(); }

private:
  /// Runs the plan; `onDone` follows each command.
  template <typename OnDone> Status run(const Bindings &bindings, OnDone onDone);
  Status launch(size_t index, const LaunchT &launch, const Bindings &bindings);
  void copy(const CopyT &copy, const Bindings &bindings);
  void fill(const FillT &fill, const Bindings &bindings);

  const VariantT &variant;
  std::unique_ptr<HostLaunches> launches;
  std::unique_ptr<DeviceMemory> arena;
  std::span<const std::byte> constants;
  PlanMemory memory;
  std::vector<void *> pointers; // of the launch that runs
};

} // namespace

Status HostVariant::prepare(const LoadedExecutable &file) {
  for (const std::unique_ptr<CommandT> &command : variant.commands)
    if (const LaunchT *launch = command->what.AsLaunch())
      if (Status ready = launches->prepare(file, *launch); !ready.ok())
        return ready.in("kernel " + launch->kernel);
  return Status::success();
}

Status HostVariant::launch(size_t index, const LaunchT &launch, const Bindings &bindings) {
  pointers.clear();
  for (const Buffer &buffer : launch.buffers)
    pointers.push_back(memory.resolve(buffer.slice(), bindings));
  return launches->run(index, launch, pointers).in("kernel " + launch.kernel);
}

void HostVariant::copy(const CopyT &copy, const Bindings &bindings) {
  std::memmove(memory.resolve(*copy.destination, bindings), memory.resolve(*copy.source, bindings),
               copy.source->bytes());
  launches->copied(*copy.destination, *copy.source);
}

void HostVariant::fill(const FillT &fill, const Bindings &bindings) {
  std::byte *destination = memory.resolve(*fill.destination, bindings);
  for (uint64_t i = 0; i < fill.destination->bytes(); i += fill.pattern_bytes)
    std::memcpy(destination + i, &fill.pattern, std::min<uint64_t>(fill.pattern_bytes, fill.destination->bytes() - i));
  launches->filled(*fill.destination);
}

template <typename OnDone> Status HostVariant::run(const Bindings &bindings, OnDone onDone) {
  if (Status bound = memory.check(bindings); !bound.ok())
    return bound;
  launches->begin();
  size_t launched = 0;
  for (const std::unique_ptr<CommandT> &command : variant.commands) {
    if (const LaunchT *work = command->what.AsLaunch()) {
      if (Status ran = launch(launched++, *work, bindings); !ran.ok())
        return ran;
    } else if (const CopyT *work = command->what.AsCopy()) {
      copy(*work, bindings);
    } else if (const FillT *work = command->what.AsFill()) {
      fill(*work, bindings);
    }
    onDone();
  }
  return Status::success();
}

ErrorOr<std::vector<double>> HostVariant::timeCommands(const Bindings &bindings) {
  using Clock = std::chrono::steady_clock;
  std::vector<Clock::time_point> moments;
  moments.reserve(variant.commands.size() + 1);
  moments.push_back(Clock::now());
  auto plan = [&] { return run(bindings, [&] { moments.push_back(Clock::now()); }); };
  if (Status ran = launches->execute(plan); !ran.ok())
    return ran;
  std::vector<double> seconds;
  for (size_t i = 1; i < moments.size(); ++i)
    seconds.push_back(std::chrono::duration<double>(moments[i] - moments[i - 1]).count());
  return seconds;
}

ErrorOr<std::unique_ptr<LoadedVariant>> mp::loadHostVariant(const LoadedExecutable &file, const ProgramT &program,
                                                            const VariantT &variant,
                                                            std::unique_ptr<HostLaunches> launches,
                                                            std::unique_ptr<DeviceMemory> arena) {
  auto loaded = std::make_unique<HostVariant>(file, variant, std::move(launches), std::move(arena));
  if (Status ready = loaded->prepare(file); !ready.ok())
    return ready.in("program " + program.name);
  return std::unique_ptr<LoadedVariant>(std::move(loaded));
}
