// Bytes on their way to C.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CAPI_BYTES_H
#define MP_LIB_CAPI_BYTES_H

#include "mp-c/Runtime.h"
#include "mp/Executable/Executable.h"

#include <string>

/// A text, or a file's bytes where there are any.
struct MpBytes {
  std::string text;
  mp::FileBytes file;

  std::span<const std::byte> span() const { return file.size() ? file.span() : std::as_bytes(std::span(text)); }
};

#endif // MP_LIB_CAPI_BYTES_H
