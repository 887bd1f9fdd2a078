//===- Device.cpp - registry and defaults of devices ----------------------===//
//
// Part of Halfstep, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mp/Runtime/Device.h"

#include <algorithm>

using namespace mp;

static std::string join(const std::vector<std::string> &words) {
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : ", ") + word;
  return text;
}

Status Device::canRun(const executable::VariantT &variant) const {
  const DeviceDescription &device = description();
  if (variant.target != device.target)
    return makeError("made for target ", variant.target, ", device ", device.name, " runs target ", device.target);
  std::vector<std::string> missing;
  for (const std::string &feature : variant.features)
    if (std::find(device.features.begin(), device.features.end(), feature) == device.features.end())
      missing.push_back(feature);
  if (missing.empty())
    return Status::success();
  return makeError("needs ", join(missing), ", device ", device.name, " (", device.model, ") has ",
                   device.features.empty() ? "no features" : join(device.features));
}

double Device::preference(const executable::VariantT &variant) const { return variant.features.size(); }

namespace {
struct Registration {
  std::string name;
  DeviceFactory factory;
};
} // namespace

static std::vector<Registration> &registry() {
  static std::vector<Registration> registrations;
  return registrations;
}

void mp::registerDevice(std::string name, DeviceFactory factory) {
  for (Registration &registration : registry())
    if (registration.name == name) {
      registration.factory = std::move(factory);
      return;
    }
  registry().push_back({std::move(name), std::move(factory)});
}

std::vector<std::string> mp::registeredDevices() {
  std::vector<std::string> names;
  for (const Registration &registration : registry())
    names.push_back(registration.name);
  return names;
}

ErrorOr<std::unique_ptr<Device>> mp::createDevice(std::string_view name, const DeviceOptions &options) {
  for (const Registration &registration : registry())
    if (registration.name == name)
      return registration.factory(options);
  return makeError("no device '", name, "', this program has ",
                   registry().empty() ? "none" : join(registeredDevices()));
}
