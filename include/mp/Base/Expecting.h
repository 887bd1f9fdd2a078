// Errors of files that say what a file should have held.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_BASE_EXPECTING_H
#define MP_BASE_EXPECTING_H

#include "mp/Base/Status.h"

namespace mp {

/// The same status, an error's message followed by what is to be there instead, unless it says itself what was
/// expected: "truncated: 3 of 8 bytes; expected an array as numpy.save writes it".
inline Status expecting(const Status &status, const std::string &what) {
  if (status.ok() || status.message().find("expected") != std::string::npos)
    return status;
  return makeError(status.message(), "; expected ", what);
}

} // namespace mp

#endif // MP_BASE_EXPECTING_H
