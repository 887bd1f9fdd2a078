// Pinned memory that uploads go through.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_DEVICES_CUDA_STAGING_H
#define MP_LIB_DEVICES_CUDA_STAGING_H

#include "Devices/CUDA/Driver.h"

#include <array>
#include <span>

namespace mp::cuda {

/// A ring of pinned buffers. Bytes of the host are copied into one, and from there by the device, so
/// that the host goes on at once; it waits only where all buffers are on their way.
class Staging {
public:
  explicit Staging(const Driver &driver) : driver(driver) {}

  /// Puts a copy into `stream`. Returns when `source` may be reused.
  Status copy(DevicePointer destination, std::span<const std::byte> source, StreamHandle stream);

  /// Gives the buffers back, which the device must be done with.
  void release();

private:
  struct Buffer {
    void *bytes = nullptr;
    EventHandle passed = nullptr;
    bool sent = false;
  };

  Status prepare(Buffer &buffer);

  static constexpr size_t kBufferBytes = size_t(2) << 20;

  const Driver &driver;
  std::array<Buffer, 8> ring;
  size_t next = 0;
};

} // namespace mp::cuda

#endif // MP_LIB_DEVICES_CUDA_STAGING_H
