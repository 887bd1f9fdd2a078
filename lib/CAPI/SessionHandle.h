//===- SessionHandle.h - what a session of C is -----------------*- C++ -*-===//
//
// Part of Halfstep, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MP_LIB_CAPI_SESSIONHANDLE_H
#define MP_LIB_CAPI_SESSIONHANDLE_H

#include "mp-c/Runtime.h"
#include "mp/Runtime/Session.h"

#include <memory>
#include <string>

struct MpSession {
  std::unique_ptr<mp::Session> session;
  std::string stateNames;
};

#endif // MP_LIB_CAPI_SESSIONHANDLE_H
