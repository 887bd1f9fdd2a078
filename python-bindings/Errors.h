// Errors of the C API as Python's exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_PYTHON_ERRORS_H
#define MP_PYTHON_ERRORS_H

#include "mp-c/Runtime.h"

#include <nanobind/nanobind.h>

#include <memory>
#include <string>

/// Frees what the C API hands out.
struct Freed {
  void operator()(MpStatus *status) const { mpStatusDestroy(status); }
  void operator()(MpBytes *bytes) const { mpBytesDestroy(bytes); }
  void operator()(MpTensors *tensors) const { mpTensorsDestroy(tensors); }
  void operator()(MpExecutable *executable) const { mpExecutableDestroy(executable); }
  void operator()(MpSession *session) const { mpSessionDestroy(session); }
};
template <typename Handle> using Owned = std::unique_ptr<Handle, Freed>;

/// The text that is in bytes of the C API.
inline std::string toString(const Owned<MpBytes> &bytes) {
  return {static_cast<const char *>(mpBytesData(bytes.get())), mpBytesSize(bytes.get())};
}

/// Raises halfstep.Error with the message of a status that is not success.
inline void check(MpStatus *given) {
  Owned<MpStatus> status(given);
  if (!status)
    return;
  nanobind::object type = nanobind::module_::import_("halfstep_runtime._errors").attr("Error");
  PyErr_SetString(type.ptr(), mpStatusMessage(status.get()));
  throw nanobind::python_error();
}

#endif // MP_PYTHON_ERRORS_H
