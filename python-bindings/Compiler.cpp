// halfstep._compiler: mp-c/Compiler.h for Python.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Errors.h"
#include "Model.h"
#include "Nonfinite.h"
#include "Settings.h"

#include "mp-c/Compiler.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <sstream>

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

/// What is told of a compilation.
struct Told {
  std::vector<Diagnostic> diagnostics;
  std::vector<std::pair<std::string, std::string>> stages;
  nb::object onProgress; // or None
};

void keep(const MpDiagnostic *told, void *user) {
  static_cast<Told *>(user)->diagnostics.emplace_back(nameOf(told->severity), told->file, told->line, told->column,
                                                      told->message);
}

const char *orNull(const std::optional<std::string> &text) { return text ? text->c_str() : nullptr; }

/// Tells a callable of Python, from whichever thread. What it raises is nobody's: a compilation does not end of it.
void tellProgress(const char *stage, size_t done, size_t count, void *user) {
  nb::gil_scoped_acquire acquire;
  try {
    static_cast<Told *>(user)->onProgress(stage, done, count);
  } catch (nb::python_error &error) {
    error.discard_as_unraisable("progress of a compilation");
  }
}

void keepStage(const char *stage, const char *text, void *user) {
  static_cast<Told *>(user)->stages.emplace_back(stage, text);
}

/// What is compiled: text, or a model that Python made.
using Source = std::variant<std::string, const Model *>;

/// The bytes, or None and what is wrong; every diagnostic; with `stages` the name and the text of each stage.
nb::tuple compile(const Source &source, const std::string &name, const std::vector<std::string> &settings,
                  const std::optional<std::string> &stage, const std::optional<std::string> &remarks,
                  const std::optional<std::string> &cache, bool stages, nb::object onProgress) {
  const Settings own(settings);
  Told told;
  told.onProgress = std::move(onProgress);
  MpCompileOptions options = own.options();
  options.stage = orNull(stage);
  options.remarks = orNull(remarks);
  options.cache = orNull(cache);
  options.onDiagnostic = keep;
  options.user = &told;
  options.onStage = stages ? keepStage : nullptr;
  options.onProgress = told.onProgress.is_none() ? nullptr : tellProgress;
  MpBytes *bytes = nullptr;
  Owned<MpStatus> status;
  {
    nb::gil_scoped_release release;
    const auto *text = std::get_if<std::string>(&source);
    status.reset(text ? mpCompileToBytes(text->data(), text->size(), name.c_str(), &options, &bytes)
                      : mpModelCompile(std::get<const Model *>(source)->get(), name.c_str(), &options, &bytes));
  }
  Owned<MpBytes> owned(bytes);
  if (status)
    return nb::make_tuple(nb::none(), toFault(status.get()), told.diagnostics, told.stages);
  return nb::make_tuple(nb::bytes(mpBytesData(bytes), mpBytesSize(bytes)), nb::none(), told.diagnostics, told.stages);
}

std::vector<std::string> settingNames() {
  std::vector<std::string> names;
  std::istringstream stream(mpSettingNames());
  for (std::string name; std::getline(stream, name);)
    names.push_back(name);
  return names;
}

/// What autocast decides, as JSON.
std::string explain(const std::string &text, const std::string &name, const std::vector<std::string> &settings) {
  const Settings own(settings);
  const MpCompileOptions options = own.options();
  MpBytes *json = nullptr;
  Owned<MpStatus> status;
  {
    nb::gil_scoped_release release;
    status.reset(mpExplain(text.data(), text.size(), name.c_str(), &options, &json));
  }
  Owned<MpBytes> owned(json);
  check(status.release());
  return toString(owned);
}

} // namespace

NB_MODULE(_compiler, module) {
  // At exit others, such as torch.export, still hold globals of the user's and with them sessions.
  nb::set_leak_warnings(false);
  addModel(module);
  addNonfiniteFinder(module);
  module.def("compile", &compile, nb::arg("model"), nb::arg("name"), nb::arg("settings"), nb::arg("stage").none(),
             nb::arg("remarks").none(), nb::arg("cache").none(), nb::arg("stages"),
             nb::arg("on_progress").none() = nb::none(),
             "The executable or a stage's text, or None; what is wrong, or None; the diagnostics; the stages.");
  module.def("setting_names", &settingNames);
  module.def("explain", &explain, nb::arg("text"), nb::arg("name"), nb::arg("settings"));
}
