// Registry and defaults of devices.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Runtime/Core/Device.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>

using namespace mp;

static std::string join(const std::vector<std::string> &words) {
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : ", ") + word;
  return text;
}

ErrorOr<std::vector<double>> LoadedVariant::timeCommands(const Bindings &) {
  return makeError("runs a program as a whole; a profiler of the device's maker times its kernels");
}

Status Device::canRun(const LoadedExecutable &, const executable::VariantT &variant) const {
  const DeviceDescription &device = description();
  if (variant.target != device.target)
    return makeError("made for target ", variant.target, ", device ", device.name, " runs target ", device.target);
  std::vector<std::string> missing;
  for (const std::string &feature : variant.features)
    if (std::find(device.features.begin(), device.features.end(), feature) == device.features.end())
      missing.push_back(feature);
  if (missing.empty())
    return Status::success();
  return makeError("needs ", join(missing), ", which device ", device.name, " (", device.model,
                   ") has not; compile for what it has, of which mp-run devices tells");
}

namespace {

/// A reading of the host's clock.
class HostStamp final : public TimeStamp {
public:
  ErrorOr<double> secondsSince(const TimeStamp &earlier) const override {
    return std::chrono::duration<double>(time - static_cast<const HostStamp &>(earlier).time).count();
  }

private:
  std::chrono::steady_clock::time_point time = std::chrono::steady_clock::now();
};

} // namespace

ErrorOr<std::unique_ptr<TimeStamp>> Device::stamp() {
  return std::unique_ptr<TimeStamp>(std::make_unique<HostStamp>());
}

double Device::preference(const executable::VariantT &variant) const { return variant.features.size(); }

namespace {

struct Registration {
  std::string name;
  DeviceFactory factory;
  DeviceCounter counter; // or null
};

} // namespace

static std::vector<Registration> &registry() {
  static std::vector<Registration> registrations;
  return registrations;
}

void mp::registerDevice(std::string name, DeviceFactory factory, DeviceCounter counter) {
  Registration added{std::move(name), std::move(factory), std::move(counter)};
  for (Registration &registration : registry())
    if (registration.name == added.name) {
      registration = std::move(added);
      return;
    }
  registry().push_back(std::move(added));
}

std::vector<std::string> mp::registeredDevices() {
  std::vector<std::string> names;
  for (const Registration &registration : registry())
    names.push_back(registration.name);
  return names;
}

std::vector<std::string> mp::presentDevices() {
  std::vector<std::string> names;
  for (const Registration &registration : registry()) {
    if (!registration.counter)
      names.push_back(registration.name);
    for (unsigned i = 0, count = registration.counter ? registration.counter() : 0; i < count; ++i)
      names.push_back(registration.name + ":" + std::to_string(i));
  }
  return names;
}

/// The number of a name like "cuda:1" for kind "cuda"; nothing for any other name.
static std::optional<unsigned> ordinalOf(std::string_view name, std::string_view kind) {
  if (!name.starts_with(kind) || name.substr(kind.size(), 1) != ":")
    return std::nullopt;
  name.remove_prefix(kind.size() + 1);
  unsigned ordinal = 0;
  auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), ordinal);
  if (error != std::errc() || end != name.data() + name.size())
    return std::nullopt;
  return ordinal;
}

/// Named as the flags are; the C API calls them so, too.
static Status checkDeviceOptions(std::string_view name, const DeviceOptions &options) {
  if (options.threads > kMostThreads)
    return makeError(FlagName{"threads"}, "=", options.threads, ": expected at most ", kMostThreads,
                     ", 0 for all of the machine");
  if (name != "cpu" && options.pinThreads)
    return makeError(FlagName{"pin-threads"}, ": is for device cpu, device ", name,
                     " runs no blocks on threads of its own");
  if (name != "simt" && options.simulation != SIMTOptions())
    return makeError(FlagName{"simulate"}, ": device ", name, " does not simulate a GPU; use ", FlagName{"device"},
                     "=simt");
  return Status::success();
}

ErrorOr<std::unique_ptr<Device>> mp::createDevice(std::string_view name, const DeviceOptions &options) {
  if (Status checked = checkDeviceOptions(name, options); !checked.ok())
    return checked;
  for (const Registration &registration : registry()) {
    if (registration.name == name)
      return registration.factory(options);
    if (std::optional<unsigned> ordinal = ordinalOf(name, registration.name); ordinal && registration.counter) {
      DeviceOptions numbered = options;
      numbered.ordinal = *ordinal;
      return registration.factory(numbered);
    }
  }
  return makeError("unknown device '", name, "'; expected one of ",
                   registry().empty() ? "none" : join(registeredDevices()));
}
