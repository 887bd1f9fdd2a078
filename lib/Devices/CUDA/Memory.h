// Memory of a GPU, and pinned memory of the host.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_DEVICES_CUDA_MEMORY_H
#define MP_LIB_DEVICES_CUDA_MEMORY_H

#include "Devices/CUDA/Context.h"

namespace mp::cuda {

/// A block that kernels work on. MemoryKind::HostVisible is pinned memory of the host, mapped into
/// the device's address space: what a kernel writes there the host reads without a copy.
class Memory : public DeviceMemory {
public:
  Memory(std::shared_ptr<Context> context, uint64_t bytes) : DeviceMemory(bytes), context(std::move(context)) {}

  static ErrorOr<std::unique_ptr<Memory>> allocate(std::shared_ptr<Context> context, uint64_t bytes, MemoryKind kind);

  void *address() const override { return reinterpret_cast<void *>(pointer); }

  /// The last run that was given this block; uploads to it wait for that run alone.
  QueuePoint lastUse = 0;

  /// Whose memory it is.
  const Context &owner() const { return *context; }

  DevicePointer devicePointer() const { return pointer; }

protected:
  std::shared_ptr<Context> context;
  DevicePointer pointer = 0;
};

} // namespace mp::cuda

#endif // MP_LIB_DEVICES_CUDA_MEMORY_H
