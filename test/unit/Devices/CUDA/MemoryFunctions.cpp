// Memory, copies and fills.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/CUDA/Functions.h"

#include <algorithm>
#include <cstring>

using namespace mp::test;

namespace mp::cuda {

Result cuMemGetInfo_v2(size_t *free, size_t *total) {
  ENTER();
  *total = engine().settings.memory;
  *free = *total - engine().used();
  return Result::Success;
}

Result cuMemAlloc_v2(DevicePointer *pointer, size_t bytes) {
  ENTER();
  void *block = engine().allocate("memory", bytes);
  *pointer = reinterpret_cast<DevicePointer>(block);
  return block ? Result::Success : Result::OutOfMemory;
}

Result cuMemFree_v2(DevicePointer pointer) {
  Result result = engine().enter(__func__);
  engine().checkQuiet(__func__);
  return engine().release("memory", host(pointer)) ? result : Result::InvalidValue;
}

Result cuMemHostAlloc(void **pointer, size_t bytes, unsigned) {
  ENTER();
  *pointer = engine().allocate("pinned memory", bytes);
  return *pointer ? Result::Success : Result::OutOfMemory;
}

Result cuMemFreeHost(void *pointer) {
  Result result = engine().enter(__func__);
  engine().checkQuiet(__func__);
  return engine().release("pinned memory", pointer) ? result : Result::InvalidValue;
}

Result cuMemHostGetDevicePointer_v2(DevicePointer *pointer, void *memory, unsigned) {
  ENTER();
  *pointer = reinterpret_cast<DevicePointer>(memory);
  return Result::Success;
}

Result cuMemcpyAsync(DevicePointer destination, DevicePointer source, size_t bytes, StreamHandle stream) {
  ENTER();
  stream->add([=] {
    if (engine().checkRange(host(source), bytes, "a copy's source") &&
        engine().checkRange(host(destination), bytes, "a copy's destination"))
      std::memmove(host(destination), host(source), bytes);
  });
  return Result::Success;
}

Result cuMemcpyDtoHAsync_v2(void *destination, DevicePointer source, size_t bytes, StreamHandle stream) {
  ENTER();
  stream->add([=] {
    if (engine().checkRange(host(source), bytes, "a download's source"))
      std::memcpy(destination, host(source), bytes);
  });
  return Result::Success;
}

/// Fills `height` rows, `pitch` bytes apart, with `width` values each.
template <typename T>
static Result fill(DevicePointer destination, size_t pitch, T value, size_t width, size_t height, StreamHandle stream) {
  stream->add([=] {
    auto *row = static_cast<std::byte *>(host(destination));
    if (!engine().checkRange(row, (height - 1) * pitch + width * sizeof(T), "a fill's destination"))
      return;
    for (size_t y = 0; y < height; ++y, row += pitch)
      std::fill_n(reinterpret_cast<T *>(row), width, value);
  });
  return Result::Success;
}

Result cuMemsetD8Async(DevicePointer destination, unsigned char value, size_t count, StreamHandle stream) {
  ENTER();
  return fill(destination, 0, value, count, 1, stream);
}

Result cuMemsetD16Async(DevicePointer destination, unsigned short value, size_t count, StreamHandle stream) {
  ENTER();
  return fill(destination, 0, value, count, 1, stream);
}

Result cuMemsetD32Async(DevicePointer destination, unsigned value, size_t count, StreamHandle stream) {
  ENTER();
  return fill(destination, 0, value, count, 1, stream);
}

Result cuMemsetD2D32Async(DevicePointer destination, size_t pitch, unsigned value, size_t width, size_t height,
                          StreamHandle stream) {
  ENTER();
  return fill(destination, pitch, value, width, height, stream);
}

} // namespace mp::cuda
