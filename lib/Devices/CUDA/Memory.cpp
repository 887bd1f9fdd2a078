// Memory of a GPU, and pinned memory of the host.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/CUDA/Memory.h"

#include <algorithm>
#include <cstring>

using namespace mp;
using namespace mp::cuda;

/// An allocation is never empty, so that every block has an address of its own.
static size_t roundUp(uint64_t bytes) {
  return (std::max<uint64_t>(bytes, 1) + kAlignment - 1) / kAlignment * kAlignment;
}

/// Adds what was asked for and what is there.
static Status withSizes(const Status &failed, const Context &context, uint64_t bytes, const char *what) {
  const Driver &driver = context.driver;
  size_t free = 0;
  size_t total = 0;
  if (!driver.call(driver.memGetInfo, &free, &total).ok())
    return makeError(failed.message(), "; asked for ", bytes, " bytes of ", what);
  return makeError(failed.message(), "; asked for ", bytes, " bytes of ", what, ", ", free, " of ", total,
                   " bytes of device memory are free");
}

namespace {

class GPUMemory final : public Memory {
public:
  using Memory::Memory;

  ~GPUMemory() override {
    if (!pointer)
      return;
    Current current(*context);
    (void)context->queue().drain();
    (void)context->driver.call(context->driver.memFree, pointer);
  }

  Status make() {
    const Driver &driver = context->driver;
    if (Status made = driver.call(driver.memAlloc, &pointer, roundUp(size())); !made.ok()) {
      pointer = 0;
      return withSizes(made, *context, size(), "device memory");
    }
    return context->queue().clear(pointer, roundUp(size()));
  }

  std::byte *hostView() const override { return nullptr; }
};

class PinnedMemory final : public Memory {
public:
  using Memory::Memory;

  ~PinnedMemory() override {
    if (!host)
      return;
    Current current(*context);
    (void)context->queue().drain();
    (void)context->driver.call(context->driver.memFreeHost, host);
  }

  Status make() {
    const Driver &driver = context->driver;
    if (Status made = driver.call(driver.memHostAlloc, &host, roundUp(size()), kHostPortable | kHostMapped);
        !made.ok()) {
      host = nullptr;
      return withSizes(made, *context, size(), "pinned host memory");
    }
    std::memset(host, 0, roundUp(size()));
    return driver.call(driver.memHostGetDevicePointer, &pointer, host, 0u);
  }

  std::byte *hostView() const override { return static_cast<std::byte *>(host); }

private:
  void *host = nullptr;
};

} // namespace

template <typename Kind>
static ErrorOr<std::unique_ptr<Memory>> make(std::shared_ptr<Context> context, uint64_t bytes) {
  auto block = std::make_unique<Kind>(context, bytes);
  Current current(*context);
  if (!current.status().ok())
    return current.status();
  if (Status made = block->make(); !made.ok())
    return made;
  return std::unique_ptr<Memory>(std::move(block));
}

ErrorOr<std::unique_ptr<Memory>> Memory::allocate(std::shared_ptr<Context> context, uint64_t bytes, MemoryKind kind) {
  return kind == MemoryKind::HostVisible ? make<PinnedMemory>(std::move(context), bytes)
                                         : make<GPUMemory>(std::move(context), bytes);
}
