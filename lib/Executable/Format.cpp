// Hash and aligned memory of a file.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Executable/Format.h"

#include <sys/mman.h>
#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cstring>

using namespace mp;

static_assert(std::endian::native == std::endian::little, "executables are little endian");

std::array<unsigned char, 16> format::contentHash(std::span<const std::byte> file) {
  constexpr size_t kHashEnd = offsetof(Header, hash) + sizeof(Header::hash);
  XXH3_state_t *state = XXH3_createState();
  XXH3_128bits_reset(state);
  XXH3_128bits_update(state, file.data(), offsetof(Header, hash));
  XXH3_128bits_update(state, file.data() + kHashEnd, file.size() - kHashEnd);
  XXH128_canonical_t canonical;
  XXH128_canonicalFromHash(&canonical, XXH3_128bits_digest(state));
  XXH3_freeState(state);
  std::array<unsigned char, 16> hash;
  std::memcpy(hash.data(), canonical.digest, hash.size());
  return hash;
}

/// A large page of x86-64. Weights are read in rows that are pages apart, for which small pages are looked up again and
/// again; Linux uses large ones where a program asks for them.
static constexpr size_t kLargePage = 2 << 20;

std::optional<FileBytes> FileBytes::allocate(size_t size) {
  // aligned_alloc wants a multiple of the alignment.
  constexpr size_t kLargest = SIZE_MAX - kLargePage;
  if (size > kLargest)
    return std::nullopt;
  const bool isLarge = size >= kLargePage;
  const size_t alignment = isLarge ? kLargePage : kAlignment;
  const size_t whole = (std::max<size_t>(size, 1) + alignment - 1) / alignment * alignment;
  FileBytes bytes;
  bytes.memory.reset(static_cast<std::byte *>(std::aligned_alloc(alignment, whole)));
  if (!bytes.memory)
    return std::nullopt;
  if (isLarge) // advice: memory is the same where it is not taken
    (void)::madvise(bytes.memory.get(), whole, MADV_HUGEPAGE);
  bytes.length = size;
  return bytes;
}
