// Stacks and shared memory of simulated blocks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_DEVICES_SIMT_MEMORY_H
#define MP_LIB_DEVICES_SIMT_MEMORY_H

#include "mp/Base/Status.h"

#include <cstddef>

namespace mp {

/// Memory from mmap, given back by the destructor.
class Mapping {
public:
  Mapping() = default;
  Mapping(void *address, size_t bytes) : address(static_cast<std::byte *>(address)), bytes(bytes) {}
  Mapping(Mapping &&other) noexcept;
  Mapping &operator=(Mapping &&other) noexcept;
  ~Mapping();

  std::byte *data() const { return address; }
  size_t size() const { return bytes; }

private:
  std::byte *address = nullptr;
  size_t bytes = 0;
};

/// The most shared memory that a block of any chip has, and how a block's is aligned.
inline constexpr size_t kSharedWindow = 256 << 10;

/// A block's shared memory: kSharedWindow bytes at a multiple of that below 4 GiB, so that addresses and what kernels
/// make of their bits (swizzles, descriptors) are as on a GPU. What lies behind it cannot be accessed.
ErrorOr<Mapping> mapSharedMemory();

/// `bytes` of addresses that nothing else has and that cannot be accessed.
ErrorOr<Mapping> reserveAddresses(size_t bytes);

/// Whole pages of such addresses that can be from now on.
Status openAddresses(void *first, size_t bytes);

/// Stacks of equal size for the threads of a block, each with a page below it that cannot be accessed.
class Stacks {
public:
  static constexpr size_t kBytes = 128 << 10;

  /// Makes sure that there are `count`.
  Status reserve(unsigned count);

  /// The end of stack `index`, from which it grows down.
  void *top(unsigned index) const { return memory.data() + (index + 1) * (kBytes + pageBytes); }

private:
  static constexpr size_t pageBytes = 4096;

  Mapping memory;
};

} // namespace mp

#endif // MP_LIB_DEVICES_SIMT_MEMORY_H
