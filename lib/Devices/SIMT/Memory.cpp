// Stacks and shared memory of simulated blocks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/SIMT/Memory.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <sys/mman.h>
#include <utility>

using namespace mp;

Mapping::Mapping(Mapping &&other) noexcept
    : address(std::exchange(other.address, nullptr)), bytes(std::exchange(other.bytes, 0)) {}

Mapping &Mapping::operator=(Mapping &&other) noexcept {
  std::swap(address, other.address);
  std::swap(bytes, other.bytes);
  return *this;
}

Mapping::~Mapping() {
  if (address)
    ::munmap(address, bytes);
}

static constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

ErrorOr<Mapping> mp::mapSharedMemory() {
  // From an address that systems leave free upwards; half of each step is a gap that finds what runs over the end.
  constexpr uint64_t kFirst = 0x10000000, kEnd = uint64_t(1) << 32, kStep = 2 * kSharedWindow;
  for (uint64_t at = kFirst; at + kStep <= kEnd; at += kStep) {
    void *wanted = reinterpret_cast<void *>(at);
    void *found = ::mmap(wanted, kStep, PROT_NONE, kFlags | MAP_FIXED_NOREPLACE, -1, 0);
    if (found == MAP_FAILED)
      continue;
    Mapping mapping(found, kStep);
    // A kernel older than the flag takes the address for a wish.
    if (found != wanted)
      continue;
    if (::mprotect(found, kSharedWindow, PROT_READ | PROT_WRITE) != 0)
      break;
    return mapping;
  }
  return makeError("no free place below 4 GiB for the shared memory of a simulated block");
}

ErrorOr<Mapping> mp::reserveAddresses(size_t bytes) {
  void *found = ::mmap(nullptr, bytes, PROT_NONE, kFlags, -1, 0);
  if (found == MAP_FAILED)
    return makeError("cannot reserve ", bytes, " bytes of addresses: ", std::strerror(errno));
  return Mapping(found, bytes);
}

Status mp::openAddresses(void *first, size_t bytes) {
  if (::mprotect(first, bytes, PROT_READ | PROT_WRITE) != 0)
    return makeError("no memory of ", bytes, " bytes: ", std::strerror(errno));
  return Status::success();
}

Status Stacks::reserve(unsigned count) {
  const size_t each = kBytes + pageBytes, bytes = count * each;
  if (bytes <= memory.size())
    return Status::success();
  void *found = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, kFlags | MAP_STACK, -1, 0);
  if (found == MAP_FAILED)
    return makeError("no memory for the stacks of ", count, " simulated threads: ", std::strerror(errno));
  memory = Mapping(found, bytes);
  for (unsigned index = 0; index < count; ++index)
    if (::mprotect(memory.data() + index * each, pageBytes, PROT_NONE) != 0)
      return makeError("cannot protect the stacks of ", count, " simulated threads: ", std::strerror(errno));
  return Status::success();
}
