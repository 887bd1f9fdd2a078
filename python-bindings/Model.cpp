// halfstep._compiler.Model: models that Python makes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Model.h"
#include "Attributes.h"
#include "Errors.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

using Shape = std::vector<std::optional<int64_t>>; // None is open
/// A type, of which the shape may be None: the element type alone.
using TensorType = std::pair<MpElementType, std::optional<Shape>>;

namespace {

class Type {
public:
  explicit Type(const TensorType &given) {
    type.element = given.first;
    type.rank = given.second ? static_cast<int64_t>(given.second->size()) : -1;
    for (std::optional<int64_t> size : given.second.value_or(Shape()))
      shape.push_back(size.value_or(-1));
    type.shape = shape.data();
  }

  MpTensorType type{};

private:
  std::vector<int64_t> shape;
};

/// Its number, and the type that it has.
nb::tuple describe(const MpModel *model, int64_t value) {
  MpTensorType type{};
  check(mpModelType(model, value, &type));
  nb::list shape;
  for (int64_t i = 0; i < type.rank; ++i)
    shape.append(type.shape[i] < 0 ? nb::object(nb::none()) : nb::object(nb::int_(type.shape[i])));
  return nb::make_tuple(value, static_cast<int>(type.element), nb::tuple(shape));
}

} // namespace

Model::Model(const std::string &name) {
  MpModel *made = nullptr;
  check(mpModelCreate(name.c_str(), &made));
  handle.reset(made);
}

static Model *copyOf(const Model &model) {
  MpModel *made = nullptr;
  check(mpModelCopy(model.get(), &made));
  return new Model(made);
}

/// `initializer` is a kind and its two numbers and seed.
static nb::tuple addArgument(Model &model, const std::string &name, MpRole role, const TensorType &given,
                             const std::optional<std::tuple<MpInitializerKind, double, double, int64_t>> &initializer) {
  const Type type(given);
  MpInitializer first{};
  if (initializer)
    std::tie(first.kind, first.first, first.second, first.seed) = *initializer;
  const MpModelArgument argument = {sizeof(argument), name.c_str(), role, type.type, initializer ? &first : nullptr};
  int64_t value = 0;
  check(mpModelAddArgument(model.get(), &argument, &value));
  return describe(model.get(), value);
}

/// The results, each as (number, element type, shape). Of operands None stands for one that is left out.
static nb::list addOp(Model &model, const std::string &name, const std::vector<std::optional<int64_t>> &operands,
                      const nb::dict &values, const std::optional<TensorType> &result, const std::string &label,
                      const std::string &file, unsigned line) {
  const Attributes attributes(values);
  std::vector<int64_t> given, results(8);
  for (std::optional<int64_t> operand : operands)
    given.push_back(operand.value_or(-1));
  std::optional<Type> stated;
  if (result)
    stated.emplace(*result);
  size_t count = 0;
  const MpModelOp op = {sizeof(op),
                        name.c_str(),
                        given.data(),
                        given.size(),
                        attributes.data(),
                        attributes.size(),
                        stated ? &stated->type : nullptr,
                        label.c_str(),
                        file.c_str(),
                        line};
  MpStatus *status = mpModelAddOp(model.get(), &op, results.data(), results.size(), &count);
  if (count > results.size()) { // the parts of a split are as many as its author wants
    mpStatusDestroy(status);
    results.resize(count);
    status = mpModelAddOp(model.get(), &op, results.data(), results.size(), &count);
  }
  check(status);
  nb::list list;
  for (size_t i = 0; i < count; ++i)
    list.append(describe(model.get(), results[i]));
  return list;
}

static std::string textOf(const Model &model, bool locations) {
  MpBytes *bytes = nullptr;
  check(mpModelText(model.get(), locations, &bytes));
  return toString(Owned<MpBytes>(bytes));
}

void addModel(nb::module_ &module) {
  nb::enum_<MpElementType>(module, "ElementType")
      .value("i1", MP_I1)
      .value("ui8", MP_UI8)
      .value("i32", MP_I32)
      .value("i64", MP_I64)
      .value("f16", MP_F16)
      .value("bf16", MP_BF16)
      .value("f32", MP_F32)
      .value("f64", MP_F64);
  nb::enum_<MpRole>(module, "Role")
      .value("input", MP_ROLE_INPUT)
      .value("parameter", MP_ROLE_PARAMETER)
      .value("state", MP_ROLE_STATE)
      .value("output", MP_ROLE_OUTPUT)
      .value("loss", MP_ROLE_LOSS)
      .value("metric", MP_ROLE_METRIC)
      .value("next", MP_ROLE_NEXT);
  nb::enum_<MpInitializerKind>(module, "InitializerKind")
      .value("zeros", MP_ZEROS)
      .value("ones", MP_ONES)
      .value("constant", MP_CONSTANT)
      .value("normal", MP_NORMAL)
      .value("uniform", MP_UNIFORM)
      .value("glorot_uniform", MP_GLOROT_UNIFORM)
      .value("glorot_normal", MP_GLOROT_NORMAL)
      .value("he_uniform", MP_HE_UNIFORM)
      .value("he_normal", MP_HE_NORMAL);
  nb::class_<Model>(module, "Model")
      .def(nb::init<const std::string &>(), nb::arg("name"))
      .def("copy", &copyOf)
      .def("add_argument", &addArgument, nb::arg("name"), nb::arg("role"), nb::arg("type"),
           nb::arg("initializer").none())
      .def("add_op", &addOp, nb::arg("name"), nb::arg("operands"), nb::arg("attributes"), nb::arg("result").none(),
           nb::arg("label"), nb::arg("file"), nb::arg("line"))
      .def(
          "open_autocast",
          [](Model &model, bool enabled, std::optional<MpElementType> element) {
            check(mpModelOpenAutocast(model.get(), enabled, element ? &*element : nullptr));
          },
          nb::arg("enabled"), nb::arg("element").none())
      .def("close_autocast", [](Model &model) { check(mpModelCloseAutocast(model.get())); })
      .def(
          "add_result",
          [](Model &model, int64_t value, MpRole role, const std::string &name) {
            check(mpModelAddResult(model.get(), value, role, name.c_str()));
          },
          nb::arg("value"), nb::arg("role"), nb::arg("name") = "")
      .def(
          "set_batch",
          [](Model &model, int64_t batch, const std::vector<int64_t> &inputs) {
            check(mpModelSetBatch(model.get(), batch, inputs.data(), inputs.size()));
          },
          nb::arg("batch"), nb::arg("inputs"))
      .def("text", &textOf, nb::arg("locations"));
}
