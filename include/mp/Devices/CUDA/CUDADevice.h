// An NVIDIA GPU as a device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_DEVICES_CUDA_CUDADEVICE_H
#define MP_DEVICES_CUDA_CUDADEVICE_H

#include "mp/Runtime/Core/Device.h"

namespace mp {

/// The driver's library, as the system's loader finds it.
inline constexpr const char *kCUDADriver = "libcuda.so.1";

/// GPU `options.ordinal`, which runs variants with target "nvptx". Needs the driver and nothing else:
/// its library is opened here. A variant's commands are captured once for each set of bindings, as a
/// CUDA graph, and launched from then on.
ErrorOr<std::unique_ptr<Device>> createCUDADevice(const DeviceOptions &options = {},
                                                  const std::string &library = kCUDADriver);

/// How many GPUs there are; 0 without a driver, or with one that cannot be used.
unsigned countCUDADevices(const std::string &library = kCUDADriver);

/// Registers createCUDADevice as "cuda", which is GPU 0, and "cuda:N".
void registerCUDADevice(const std::string &library = kCUDADriver);

} // namespace mp

#endif // MP_DEVICES_CUDA_CUDADEVICE_H
