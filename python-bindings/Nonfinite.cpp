// halfstep._compiler.NonfiniteFinder: which op of a training step is not finite.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Nonfinite.h"
#include "Errors.h"
#include "Settings.h"

#include "mp-c/Compiler.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace {

class NonfiniteFinder {
public:
  NonfiniteFinder(const std::string &text, const std::string &name, const std::vector<std::string> &settings) {
    const Settings own(settings);
    const MpCompileOptions options = own.options();
    MpNonfiniteFinder *made = nullptr;
    check(mpNonfiniteFinderCreate(text.data(), text.size(), name.c_str(), &options, &made));
    handle.reset(made);
  }

  /// What is found in the step as JSON, or None; and whether there may be more behind it.
  nb::tuple see(nb::capsule step, nb::capsule inputs) {
    MpBytes *found = nullptr;
    int goesOn = 1;
    const auto *given = static_cast<const MpStep *>(step.data("MpStep"));
    const auto *tensors = static_cast<const MpStepInputs *>(inputs.data("MpStepInputs"));
    Owned<MpStatus> status;
    {
      nb::gil_scoped_release release;
      status.reset(mpNonfiniteFinderSee(handle.get(), given, tensors, &found, &goesOn));
    }
    Owned<MpBytes> owned(found);
    check(status.release());
    return nb::make_tuple(found ? nb::object(nb::str(toString(owned).c_str())) : nb::object(nb::none()), goesOn != 0);
  }

private:
  struct Destroyed {
    void operator()(MpNonfiniteFinder *finder) const { mpNonfiniteFinderDestroy(finder); }
  };
  std::unique_ptr<MpNonfiniteFinder, Destroyed> handle;
};

} // namespace

void addNonfiniteFinder(nb::module_ &module) {
  nb::class_<NonfiniteFinder>(module, "NonfiniteFinder")
      .def(nb::init<const std::string &, const std::string &, const std::vector<std::string> &>(), nb::arg("text"),
           nb::arg("name"), nb::arg("settings"))
      .def("see", &NonfiniteFinder::see, nb::arg("step"), nb::arg("inputs"));
}
