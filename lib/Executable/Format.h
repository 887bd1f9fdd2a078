// The bytes around an executable's table.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// header (64 bytes) | blobs, each at a multiple of 64 | FlatBuffer, at a multiple of 64

#ifndef MP_LIB_EXECUTABLE_FORMAT_H
#define MP_LIB_EXECUTABLE_FORMAT_H

#include "mp/Executable/Executable.h"

#include <array>

namespace mp::format {

/// The first bytes of every executable. A text-mode copy breaks the line ends, so it shows here.
inline constexpr std::array<char, 8> kMagic = {'\x89', 'M', 'P', 'X', '\r', '\n', '\x1a', '\n'};

/// The fixed header, little endian as everything in the file.
struct Header {
  std::array<char, 8> magic = kMagic;
  uint32_t version = kExecutableVersion;
  uint32_t headerBytes = sizeof(Header);
  uint64_t fileBytes = 0;
  uint64_t tableOffset = 0;
  uint64_t tableBytes = 0;
  uint64_t reserved = 0;
  std::array<unsigned char, 16> hash = {}; // XXH3-128, canonical form, of all bytes but these
};
static_assert(sizeof(Header) == 64 && offsetof(Header, hash) == 48);

/// XXH3-128 of `file` without the 16 bytes that hold it. `file` is at least a header long.
std::array<unsigned char, 16> contentHash(std::span<const std::byte> file);

/// Whether this library reads files of that version; `of` says of what it is.
Status checkVersion(uint32_t version, const char *of);

/// Whether `bytes`, as many as the type says, are elements of it. Of floats and integers all are.
Status checkElements(const executable::TensorTypeT &type, std::span<const std::byte> bytes);

/// Whether the bytes are a FlatBuffer of the schema, safe to read and to unpack.
Status checkStructure(std::span<const std::byte> table);

/// `value` rounded up to a multiple of kAlignment.
constexpr uint64_t alignUp(uint64_t value) { return (value + kAlignment - 1) / kAlignment * kAlignment; }

} // namespace mp::format

#endif // MP_LIB_EXECUTABLE_FORMAT_H
