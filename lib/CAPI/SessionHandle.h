// What an executable and a session of C are.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CAPI_SESSIONHANDLE_H
#define MP_LIB_CAPI_SESSIONHANDLE_H

#include "mp-c/Runtime.h"
#include "mp/Runtime/Core/Session.h"

#include <functional>
#include <memory>
#include <mutex>
#include <string>

struct MpExecutable {
  std::shared_ptr<const mp::LoadedExecutable> file;
};

struct MpSession {
  std::unique_ptr<mp::Session> session;
  std::string stateNames;
  bool hasValues = false;     ///< whether somebody said what its state is, which is zero before
  std::recursive_mutex mutex; ///< held by every call; those of a callback during training come from the same thread
};

namespace mp {

/// Calls `function` with the session, which no other thread uses meanwhile: one that tries is refused. To wait would be
/// to wait forever where the first one waits for the second, as a callback of training may.
Status alone(MpSession &session, const std::function<Status(Session &)> &function);

/// The same for a function that says what state is.
Status giveValues(MpSession &session, const std::function<Status(Session &)> &function);

/// Whether a program has state to run on. None would be zeros, and so would its results.
Status needsValues(const MpSession &session, const char *program);

} // namespace mp

#endif // MP_LIB_CAPI_SESSIONHANDLE_H
