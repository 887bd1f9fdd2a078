// halfstep._compiler.Model: models that Python makes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Model.h"
#include "Errors.h"

#include "mp-c/Compiler.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace {

class Model {
public:
  explicit Model(const std::string &name) {
    MpModel *made = nullptr;
    check(mpModelCreate(name.c_str(), &made));
    handle.reset(made);
  }

  int64_t addArgument(const std::string &name, const std::string &type, const std::string &attributes) {
    int64_t value = 0;
    check(mpModelAddArgument(handle.get(), name.c_str(), type.c_str(), attributes.c_str(), &value));
    return value;
  }

  std::vector<int64_t> addOp(const std::string &name, const std::vector<int64_t> &operands,
                             const std::string &attributes, const std::optional<std::string> &result,
                             const std::string &label, const std::string &file, unsigned line) {
    std::vector<int64_t> results(8);
    size_t count = 0;
    MpModelOp op = {sizeof(op),      name.c_str(),       operands.data(),
                    operands.size(), attributes.c_str(), result ? result->c_str() : nullptr,
                    label.c_str(),   file.c_str(),       line};
    MpStatus *status = mpModelAddOp(handle.get(), &op, results.data(), results.size(), &count);
    if (count > results.size()) { // the parts of a split are as many as its author wants
      mpStatusDestroy(status);
      results.resize(count);
      status = mpModelAddOp(handle.get(), &op, results.data(), results.size(), &count);
    }
    check(status);
    results.resize(count);
    return results;
  }

  void openAutocast(bool enabled, const std::optional<std::string> &type) {
    check(mpModelOpenAutocast(handle.get(), enabled, type ? type->c_str() : nullptr));
  }

  void closeAutocast() { check(mpModelCloseAutocast(handle.get())); }

  std::string type(int64_t value) const {
    const char *text = mpModelType(handle.get(), value);
    if (!text)
      throw nb::index_error("no such value");
    return text;
  }

  void addResult(int64_t value, const std::string &attributes) {
    check(mpModelAddResult(handle.get(), value, attributes.c_str()));
  }

  std::string text(bool locations) const {
    MpBytes *bytes = nullptr;
    check(mpModelText(handle.get(), locations, &bytes));
    return toString(Owned<MpBytes>(bytes));
  }

private:
  struct Destroyed {
    void operator()(MpModel *model) const { mpModelDestroy(model); }
  };
  std::unique_ptr<MpModel, Destroyed> handle;
};

} // namespace

void addModel(nb::module_ &module) {
  nb::class_<Model>(module, "Model")
      .def(nb::init<const std::string &>(), nb::arg("name"))
      .def("add_argument", &Model::addArgument, nb::arg("name"), nb::arg("type"), nb::arg("attributes"))
      .def("add_op", &Model::addOp, nb::arg("name"), nb::arg("operands"), nb::arg("attributes"),
           nb::arg("result").none(), nb::arg("label"), nb::arg("file"), nb::arg("line"))
      .def("open_autocast", &Model::openAutocast, nb::arg("enabled"), nb::arg("type").none())
      .def("close_autocast", &Model::closeAutocast)
      .def("type", &Model::type, nb::arg("value"))
      .def("add_result", &Model::addResult, nb::arg("value"), nb::arg("attributes"))
      .def("text", &Model::text, nb::arg("locations"));
}
