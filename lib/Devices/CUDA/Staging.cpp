// Pinned memory that uploads go through.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/CUDA/Staging.h"

#include <algorithm>
#include <cstring>

using namespace mp;
using namespace mp::cuda;

/// Makes a buffer, or waits until the device has read it.
Status Staging::prepare(Buffer &buffer) {
  if (!buffer.bytes)
    if (Status made = driver.call(driver.memHostAlloc, &buffer.bytes, kBufferBytes, kHostPortable); !made.ok())
      return made.in("pinned memory for uploads");
  if (!buffer.passed)
    if (Status made = driver.call(driver.eventCreate, &buffer.passed, kEventDisableTiming); !made.ok())
      return made;
  if (!buffer.sent)
    return Status::success();
  Status passed = driver.call(driver.eventSynchronize, buffer.passed);
  buffer.sent = !passed.ok();
  return passed;
}

Status Staging::copy(DevicePointer destination, std::span<const std::byte> source, StreamHandle stream) {
  while (!source.empty()) {
    Buffer &buffer = ring[next];
    if (Status ready = prepare(buffer); !ready.ok())
      return ready;
    size_t bytes = std::min(source.size(), kBufferBytes);
    std::memcpy(buffer.bytes, source.data(), bytes);
    DevicePointer pinned = reinterpret_cast<DevicePointer>(buffer.bytes);
    if (Status copied = driver.call(driver.memcpyAsync, destination, pinned, bytes, stream); !copied.ok())
      return copied;
    if (Status recorded = driver.call(driver.eventRecord, buffer.passed, stream); !recorded.ok()) {
      // Nothing says when the buffer is free again, so that is awaited here.
      (void)driver.call(driver.streamSynchronize, stream);
      return recorded;
    }
    buffer.sent = true;
    next = (next + 1) % ring.size();
    destination += bytes;
    source = source.subspan(bytes);
  }
  return Status::success();
}

void Staging::release() {
  for (Buffer &buffer : ring) {
    if (buffer.passed)
      (void)driver.call(driver.eventDestroy, buffer.passed);
    if (buffer.bytes)
      (void)driver.call(driver.memFreeHost, buffer.bytes);
    buffer = {};
  }
}
