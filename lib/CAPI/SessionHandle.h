// What a session of C is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CAPI_SESSIONHANDLE_H
#define MP_LIB_CAPI_SESSIONHANDLE_H

#include "mp-c/Runtime.h"
#include "mp/Runtime/Core/Session.h"

#include <memory>
#include <string>

struct MpSession {
  std::unique_ptr<mp::Session> session;
  std::string stateNames;
};

#endif // MP_LIB_CAPI_SESSIONHANDLE_H
