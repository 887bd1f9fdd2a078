// Errors on their way to C.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CAPI_STATUS_H
#define MP_LIB_CAPI_STATUS_H

#include "mp-c/Runtime.h"
#include "mp/Base/Status.h"

#include <exception>
#include <new>
#include <string>
#include <vector>

struct MpStatus {
  explicit MpStatus(mp::Status status) : status(std::move(status)) {
    for (const std::string &name : this->status.fault().known)
      known.push_back(name.c_str());
  }

  mp::Status status;
  std::vector<const char *> known;
};

namespace mp {

/// Hands an error to C, nothing for success.
inline MpStatus *toC(const Status &status) { return status.ok() ? nullptr : new MpStatus(status); }

/// Runs what may fail; what the standard library throws becomes an error as well.
template <typename Function> MpStatus *guarded(Function &&function) {
  try {
    return toC(function());
  } catch (const std::exception &error) {
    return new (std::nothrow) MpStatus(Status::error(error.what()));
  }
}

inline Status needs(const void *pointer, const char *what) {
  return pointer ? Status::success() : makeError(what, " is null");
}

} // namespace mp

#endif // MP_LIB_CAPI_STATUS_H
