//===- SIMTDevice.h - a GPU that the host plays ----------------------------===//
//
// Part of Halfstep, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MP_RUNTIME_SIMT_SIMTDEVICE_H
#define MP_RUNTIME_SIMT_SIMTDEVICE_H

#include "mp/Runtime/Device.h"

namespace mp {

/// A device that runs variants with target "simt": GPU functions compiled for the host, each block's threads as fibers,
/// blocks spread over the host's cores. docs/simulated-device.md says what it checks.
ErrorOr<std::unique_ptr<Device>> createSIMTDevice(const DeviceOptions &options = {});

/// Registers createSIMTDevice as "simt".
void registerSIMTDevice();

} // namespace mp

#endif // MP_RUNTIME_SIMT_SIMTDEVICE_H
