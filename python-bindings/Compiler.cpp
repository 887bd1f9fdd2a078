// halfstep._compiler: mp-c/Compiler.h for Python.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Errors.h"
#include "Model.h"

#include "mp-c/Compiler.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace {

/// Severity, file, line, column, message.
using Diagnostic = std::tuple<std::string, std::string, unsigned, unsigned, std::string>;

const char *nameOf(MpSeverity severity) {
  switch (severity) {
  case MP_ERROR:
    return "error";
  case MP_WARNING:
    return "warning";
  case MP_NOTE:
    return "note";
  case MP_REMARK:
    return "remark";
  }
  return "";
}

void keep(const MpDiagnostic *told, void *user) {
  static_cast<std::vector<Diagnostic> *>(user)->emplace_back(nameOf(told->severity), told->file, told->line,
                                                             told->column, told->message);
}

const char *orNull(const std::optional<std::string> &text) { return text ? text->c_str() : nullptr; }

/// The bytes, or None and a message; and every diagnostic.
nb::tuple compile(const std::string &text, const std::string &name, const std::vector<std::string> &settings,
                  const std::optional<std::string> &stage, const std::optional<std::string> &remarks,
                  const std::optional<std::string> &cache) {
  std::vector<const char *> pointers;
  for (const std::string &setting : settings)
    pointers.push_back(setting.c_str());
  std::vector<Diagnostic> diagnostics;
  MpCompileOptions options = {
      sizeof(options), pointers.data(), pointers.size(), orNull(stage), orNull(remarks), orNull(cache), keep,
      &diagnostics};
  MpBytes *bytes = nullptr;
  Owned<MpStatus> status;
  {
    nb::gil_scoped_release release;
    status.reset(mpCompileToBytes(text.data(), text.size(), name.c_str(), &options, &bytes));
  }
  Owned<MpBytes> owned(bytes);
  if (status)
    return nb::make_tuple(nb::none(), mpStatusMessage(status.get()), diagnostics);
  return nb::make_tuple(nb::bytes(mpBytesData(bytes), mpBytesSize(bytes)), nb::none(), diagnostics);
}

} // namespace

NB_MODULE(_compiler, module) {
  addModel(module);
  module.def("compile", &compile, nb::arg("text"), nb::arg("name"), nb::arg("settings"), nb::arg("stage").none(),
             nb::arg("remarks").none(), nb::arg("cache").none(),
             "The executable or a stage's text, or None; the error's message, or None; the diagnostics.");
}
