// A launch plan, run on the host.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_DEVICES_HOST_HOSTVARIANT_H
#define MP_LIB_DEVICES_HOST_HOSTVARIANT_H

#include "Devices/Host/NativeLibrary.h"
#include "mp/Runtime/Core/Device.h"

#include <functional>
#include <map>

namespace mp {

/// How a device on the host runs the launches of one variant, and what it wants to know of the rest of the plan.
class HostLaunches {
public:
  virtual ~HostLaunches() = default;

  /// Makes the next launch of the plan ready.
  virtual Status prepare(const LoadedExecutable &file, const executable::LaunchT &launch) = 0;

  /// A run of the plan begins.
  virtual void begin() {}

  /// Does the whole plan, with what its launches need at hand.
  virtual Status execute(const std::function<Status()> &plan) { return plan(); }

  /// Runs launch `index` of the plan over the addresses of its buffers.
  virtual Status run(size_t index, const executable::LaunchT &launch, std::span<void *const> pointers) = 0;

  /// A command of the plan copied, or filled.
  virtual void copied(const executable::BufferSlice &, const executable::BufferSlice &) {}
  virtual void filled(const executable::BufferSlice &) {}
};

/// The shared objects that a variant's launches are in, each loaded once.
class CodeLibraries {
public:
  /// The address of `symbol` in blob `blob`.
  ErrorOr<void *> find(const LoadedExecutable &file, uint32_t blob, const std::string &symbol);

private:
  std::map<uint32_t, std::unique_ptr<NativeLibrary>> libraries;
};

/// Makes a variant ready whose launches run on the host. `arena` holds its arena_bytes; `file` outlives the result.
ErrorOr<std::unique_ptr<LoadedVariant>>
loadHostVariant(const LoadedExecutable &file, const executable::ProgramT &program, const executable::VariantT &variant,
                std::unique_ptr<HostLaunches> launches, std::unique_ptr<DeviceMemory> arena);

} // namespace mp

#endif // MP_LIB_DEVICES_HOST_HOSTVARIANT_H
