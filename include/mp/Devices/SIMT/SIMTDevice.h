// A GPU that the host plays.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_DEVICES_SIMT_SIMTDEVICE_H
#define MP_DEVICES_SIMT_SIMTDEVICE_H

#include "mp/Runtime/Core/Device.h"

namespace mp {

/// A device that runs variants with target "simt": GPU functions compiled for the host, each block's threads as fibers,
/// blocks spread over the host's cores. docs/simulated-device.md says what it checks.
ErrorOr<std::unique_ptr<Device>> createSIMTDevice(const DeviceOptions &options = {});

/// Registers createSIMTDevice as "simt".
void registerSIMTDevice();

} // namespace mp

#endif // MP_DEVICES_SIMT_SIMTDEVICE_H
