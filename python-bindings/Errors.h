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

/// Text, in which what is no UTF-8 is replaced: messages may have a user's bytes in them.
inline nanobind::object toText(const char *text) {
  return nanobind::steal(
      PyUnicode_DecodeUTF8(text, static_cast<Py_ssize_t>(std::char_traits<char>::length(text)), "replace"));
}

/// halfstep_runtime._errors.Fault: what an error is about.
inline nanobind::object toFault(const MpStatus *status) {
  MpFault fault{};
  fault.size = sizeof(fault);
  mpStatusFault(status, &fault);
  nanobind::list known;
  for (size_t i = 0; i < fault.knownCount; ++i)
    known.append(toText(fault.known[i]));
  return nanobind::module_::import_("halfstep_runtime._errors")
      .attr("Fault")(static_cast<int>(fault.code), toText(fault.op), toText(fault.name), toText(fault.value),
                     toText(fault.detail), fault.operand, fault.other, fault.elements, nanobind::tuple(known),
                     toText(fault.file), fault.line, toText(fault.text), fault.constraint);
}

/// Raises halfstep.Error of a status that is not success.
inline void check(MpStatus *given) {
  Owned<MpStatus> status(given);
  if (!status)
    return;
  nanobind::object error =
      nanobind::module_::import_("halfstep_runtime._errors").attr("error_of")(toFault(status.get()));
  PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error.ptr())), error.ptr());
  throw nanobind::python_error();
}

#endif // MP_PYTHON_ERRORS_H
