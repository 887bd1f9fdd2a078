// The host's processor as a device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_DEVICES_CPU_CPUDEVICE_H
#define MP_DEVICES_CPU_CPUDEVICE_H

#include "mp/Runtime/Core/Device.h"

namespace mp {

/// A device that runs variants with target "cpu": kernels are native code from ELF blobs, their
/// blocks are spread over oneTBB. The blocks of a launch are independent and commands run in order,
/// so results do not depend on the number of threads. Its queue is empty whenever enqueue returns.
ErrorOr<std::unique_ptr<Device>> createCPUDevice(const DeviceOptions &options = {});

/// Registers createCPUDevice as "cpu".
void registerCPUDevice();

} // namespace mp

#endif // MP_DEVICES_CPU_CPUDEVICE_H
