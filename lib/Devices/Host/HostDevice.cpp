// A device in the host's memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/Host/HostDevice.h"

#include <cstring>
#include <unistd.h>

using namespace mp;

uint64_t HostDevice::physicalMemory() {
  long pages = ::sysconf(_SC_PHYS_PAGES);
  long pageSize = ::sysconf(_SC_PAGE_SIZE);
  return pages > 0 && pageSize > 0 ? uint64_t(pages) * uint64_t(pageSize) : 0;
}

namespace {

/// Memory of the host, which its processor computes in.
class HostMemory final : public DeviceMemory {
public:
  explicit HostMemory(FileBytes block) : DeviceMemory(block.size()), block(std::move(block)) {
    std::memset(this->block.data(), 0, this->block.size());
  }

  void *address() const override { return const_cast<std::byte *>(block.data()); }
  std::byte *hostView() const override { return const_cast<std::byte *>(block.data()); }

private:
  FileBytes block;
};

} // namespace

Status HostDevice::canRun(const LoadedExecutable &file, const executable::VariantT &variant) const {
  Status able = Device::canRun(file, variant);
  if (able.ok() && !allowNative)
    return makeError("has native code, which ", FlagName{"no-native"}, " refuses");
  return able;
}

ErrorOr<std::unique_ptr<DeviceMemory>> HostDevice::allocate(uint64_t bytes, MemoryKind) {
  std::optional<FileBytes> block = bytes <= self.memoryBytes ? FileBytes::allocate(bytes) : std::nullopt;
  if (!block)
    return makeError("no memory for ", bytes, " bytes, device ", self.name, " has ", self.memoryBytes);
  return std::unique_ptr<DeviceMemory>(std::make_unique<HostMemory>(std::move(*block)));
}

Status HostDevice::upload(DeviceMemory &destination, uint64_t offset, std::span<const std::byte> source) {
  if (offset > destination.size() || source.size() > destination.size() - offset)
    return makeError("upload of ", source.size(), " bytes at ", offset, " into a block of ", destination.size());
  if (!source.empty())
    std::memcpy(destination.hostView() + offset, source.data(), source.size());
  return Status::success();
}

Status HostDevice::download(const DeviceMemory &source, uint64_t offset, std::span<std::byte> destination) {
  if (offset > source.size() || destination.size() > source.size() - offset)
    return makeError("download of ", destination.size(), " bytes at ", offset, " from a block of ", source.size());
  if (!destination.empty())
    std::memcpy(destination.data(), source.hostView() + offset, destination.size());
  return Status::success();
}

ErrorOr<std::unique_ptr<DeviceMemory>> HostDevice::makeArena(const LoadedExecutable &file,
                                                             const executable::ProgramT &program,
                                                             const executable::VariantT &variant) {
  if (Status able = canRun(file, variant); !able.ok())
    return able.in("program " + program.name);
  ErrorOr<std::unique_ptr<DeviceMemory>> arena = allocate(variant.arena_bytes, MemoryKind::Device);
  if (!arena)
    return arena.status().in("arena of program " + program.name);
  return arena;
}
