// A device in the host's memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_DEVICES_HOST_HOSTDEVICE_H
#define MP_LIB_DEVICES_HOST_HOSTDEVICE_H

#include "mp/Runtime/Core/Device.h"

namespace mp {

/// The part of a device that computes at once, in the host's memory: its queue is empty at every moment.
class HostDevice : public Device {
public:
  const DeviceDescription &description() const override { return self; }
  Status canRun(const LoadedExecutable &file, const executable::VariantT &variant) const override;
  ErrorOr<std::unique_ptr<DeviceMemory>> allocate(uint64_t bytes, MemoryKind kind) override;
  Status upload(DeviceMemory &destination, uint64_t offset, std::span<const std::byte> source) override;
  Status download(const DeviceMemory &source, uint64_t offset, std::span<std::byte> destination) override;
  QueuePoint mark() override { return 0; }
  Status wait(QueuePoint) override { return Status::success(); }

protected:
  explicit HostDevice(const DeviceOptions &options) : allowNative(options.allowNative) {}

  /// The arena of a variant that this device can run.
  ErrorOr<std::unique_ptr<DeviceMemory>> makeArena(const LoadedExecutable &file, const executable::ProgramT &program,
                                                   const executable::VariantT &variant);

  /// Bytes of memory that this machine has.
  static uint64_t physicalMemory();

  DeviceDescription self;

private:
  bool allowNative;
};

} // namespace mp

#endif // MP_LIB_DEVICES_HOST_HOSTDEVICE_H
