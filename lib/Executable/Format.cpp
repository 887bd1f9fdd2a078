// Hash and aligned memory of a file.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Executable/Format.h"

#include <xxhash.h>

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

std::optional<FileBytes> FileBytes::allocate(size_t size) {
  // aligned_alloc wants a multiple of the alignment.
  constexpr size_t kLargest = SIZE_MAX - kAlignment;
  if (size > kLargest)
    return std::nullopt;
  FileBytes bytes;
  bytes.memory.reset(static_cast<std::byte *>(std::aligned_alloc(kAlignment, format::alignUp(size ? size : 1))));
  if (!bytes.memory)
    return std::nullopt;
  bytes.length = size;
  return bytes;
}
