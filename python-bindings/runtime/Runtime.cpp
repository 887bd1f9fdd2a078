// halfstep_runtime._runtime: mp-c/Runtime.h for Python.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Executable.h"
#include "Session.h"

#include <nanobind/stl/tuple.h>

#include <sstream>

namespace nb = nanobind;

static std::vector<std::string> listDevices() {
  std::vector<std::string> names;
  std::istringstream stream(mpDeviceNames());
  for (std::string name; std::getline(stream, name);)
    names.push_back(name);
  return names;
}

static std::string describeSettings(const std::string &device) {
  MpBytes *settings = nullptr;
  check(mpDeviceSettings(device.c_str(), &settings));
  return toString(Owned<MpBytes>(settings));
}

static std::string renderReport(const std::string &runs, int form) {
  MpBytes *report = nullptr;
  Owned<MpStatus> status;
  {
    nb::gil_scoped_release release;
    status.reset(mpRenderReport(runs.data(), runs.size(), static_cast<MpReportForm>(form), &report));
  }
  Owned<MpBytes> owned(report);
  check(status.release());
  return toString(owned);
}

static void writeTensors(const std::string &path, const std::vector<std::string> &names,
                         const std::vector<AnyArray> &arrays, const std::vector<int> &elements) {
  NamedArrays given(names, arrays, elements);
  check(mpTensorsWrite(path.c_str(), given.names.data(), given.views.data(), given.views.size()));
}

static Executable *withValues(const Executable &executable, const std::vector<std::string> &names,
                              const std::vector<AnyArray> &arrays, const std::vector<int> &elements) {
  NamedArrays given(names, arrays, elements);
  return executable.withValues(given.names, given.views);
}

static nb::list readTensors(const std::string &path) {
  MpTensors *tensors = nullptr;
  check(mpTensorsRead(path.c_str(), &tensors));
  return toPython(Owned<MpTensors>(tensors));
}

NB_MODULE(_runtime, module) {
  // At exit others, such as torch.export, still hold globals of the user's and with them sessions.
  nb::set_leak_warnings(false);
  module.def("version", &mpVersion);
  module.def("device_names", &listDevices);
  module.def("device_settings", &describeSettings, nb::arg("device"));
  module.def("render_report", &renderReport, nb::arg("runs"), nb::arg("form"));

  module.def("write_tensors", &writeTensors, nb::arg("path"), nb::arg("names"), nb::arg("arrays"), nb::arg("elements"));
  module.def("read_tensors", &readTensors, nb::arg("path"));

  nb::class_<Executable>(module, "Executable")
      .def(nb::init<nb::bytes>(), nb::arg("bytes"))
      .def_static("read", &Executable::read, nb::arg("path"), nb::rv_policy::take_ownership)
      .def("bytes", &Executable::bytes)
      .def("text", &Executable::text, nb::arg("key"))
      .def("programs", &Executable::programs)
      .def("batches", &Executable::batches, nb::arg("program"))
      .def("stored", &Executable::stored)
      .def("with_values", &withValues, nb::arg("names"), nb::arg("arrays"), nb::arg("elements"),
           nb::rv_policy::take_ownership)
      .def("values", &Executable::values, nb::arg("kind"), nb::arg("program"));

  nb::class_<Session>(module, "Session")
      .def(nb::init<const Executable &, const std::string &, unsigned, bool>(), nb::arg("executable"),
           nb::arg("device"), nb::arg("threads"), nb::arg("pin_threads"))
      .def("close", &Session::close)
      .def("initialize", &Session::initialize, nb::arg("seed"))
      .def("state_names", &Session::stateNames)
      .def("state", &Session::state, nb::arg("name"))
      .def("set_state", &Session::setState, nb::arg("name"), nb::arg("array"), nb::arg("element"))
      .def("set_states", &Session::setStates, nb::arg("names"), nb::arg("arrays"), nb::arg("elements"))
      .def("load_weights", &Session::loadWeights, nb::arg("path"))
      .def("save_weights", &Session::saveWeights, nb::arg("path"))
      .def("load_state", &Session::loadState, nb::arg("path"))
      .def("save_state", &Session::saveState, nb::arg("path"), nb::arg("steps"), nb::arg("epochs"))
      .def("run", &Session::run, nb::arg("program"), nb::arg("names"), nb::arg("arrays"), nb::arg("elements"))
      .def("evaluate", &Session::evaluate, nb::arg("names"), nb::arg("arrays"), nb::arg("elements"))
      .def("train", &Session::train, nb::arg("flag_names"), nb::arg("flag_values"), nb::arg("names"), nb::arg("arrays"),
           nb::arg("elements"), nb::arg("test_names"), nb::arg("test_arrays"), nb::arg("test_elements"),
           nb::arg("behind").none(), nb::arg("on_step").none(), nb::arg("on_epoch").none(), nb::arg("on_inputs").none(),
           nb::arg("next_step") = nb::none(), nb::arg("steps_per_epoch") = 0, nb::arg("one_by_one") = false)
      .def("statistics", &Session::statistics, nb::arg("program"), nb::arg("resident_bytes"))
      .def("time_kernels", &Session::timeKernels, nb::arg("program"), nb::arg("warmup"), nb::arg("repeat"));
}
