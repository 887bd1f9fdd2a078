// Values of Python as attributes of ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Attributes.h"

#include <nanobind/stl/string.h>

#include <cstring>

namespace nb = nanobind;

/// Whether it is True or False, Python's or NumPy's.
static bool isTruth(nb::handle value) {
  if (PyBool_Check(value.ptr()))
    return true;
  nb::object type = nb::getattr(value, "dtype", nb::none());
  return !type.is_none() && nb::cast<std::string>(nb::str(type)) == "bool" &&
         nb::len_hint(nb::getattr(value, "shape", nb::tuple())) == 0;
}

/// A whole number of 64 bits, of what is one.
static bool readInteger(nb::handle value, int64_t &number) {
  if (isTruth(value) || !PyIndex_Check(value.ptr()))
    return false;
  nb::object index = nb::steal(PyNumber_Index(value.ptr()));
  int overflow = 0;
  number = index.is_valid() ? PyLong_AsLongLongAndOverflow(index.ptr(), &overflow) : 0;
  PyErr_Clear(); // an array of one element is an index by its type alone
  return index.is_valid() && overflow == 0;
}

bool Attributes::readTensor(nb::handle value, MpAttribute &attribute) {
  if (!PyTuple_Check(value.ptr()) || nb::len(value) != 2 || !nb::isinstance<MpElementType>(value[0]))
    return false;
  Array &array = arrays.emplace_back(nb::cast<Array>(value[1]));
  std::vector<int64_t> &shape = integers.emplace_back();
  for (size_t i = 0; i < array.ndim(); ++i)
    shape.push_back(static_cast<int64_t>(array.shape(i)));
  attribute.kind = MP_ATTRIBUTE_TENSOR;
  attribute.tensor = {nb::cast<MpElementType>(value[0]), static_cast<int64_t>(shape.size()), shape.data(), array.data(),
                      array.nbytes()};
  attribute.element = array.dtype() == nb::dtype<double>() ? MP_F64 : attribute.tensor.element;
  return true;
}

bool Attributes::readIntegers(nb::handle value, MpAttribute &attribute) {
  nb::object several = nb::steal(PySequence_Fast(value.ptr(), ""));
  PyErr_Clear();
  if (!several.is_valid())
    return false;
  std::vector<int64_t> &numbers = integers.emplace_back();
  for (nb::handle one : several)
    if (!readInteger(one, numbers.emplace_back()))
      return false;
  attribute.kind = MP_ATTRIBUTE_INTEGERS;
  attribute.integers = numbers.data();
  attribute.count = numbers.size();
  return true;
}

void Attributes::read(nb::handle value, MpAttribute &attribute) {
  if (isTruth(value)) {
    attribute.integer = PyObject_IsTrue(value.ptr());
    if (attribute.integer >= 0)
      attribute.kind = MP_ATTRIBUTE_TRUTH;
    PyErr_Clear(); // a tensor of bool has no value
  } else if (nb::isinstance<MpElementType>(value)) {
    attribute.kind = MP_ATTRIBUTE_ELEMENT;
    attribute.element = nb::cast<MpElementType>(value);
  } else if (nb::isinstance<nb::str>(value)) {
    Py_ssize_t size = 0;
    const char *text = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
    PyErr_Clear();                                                    // half of a surrogate pair is no text
    if (text && static_cast<Py_ssize_t>(std::strlen(text)) == size) { // nor is a zero byte one of a word
      attribute.kind = MP_ATTRIBUTE_WORD;
      attribute.word = texts.emplace_back(text, size).c_str();
    }
  } else if (readInteger(value, attribute.integer)) {
    attribute.kind = MP_ATTRIBUTE_INTEGER;
  } else if (PyFloat_Check(value.ptr())) {
    attribute.kind = MP_ATTRIBUTE_NUMBER;
    attribute.number = PyFloat_AsDouble(value.ptr());
  } else if (!readTensor(value, attribute) && !readIntegers(value, attribute)) {
    nb::object number = nb::steal(PyNumber_Float(value.ptr())); // of NumPy, or one that is too large for an integer
    PyErr_Clear();
    if (number.is_valid()) {
      attribute.kind = MP_ATTRIBUTE_NUMBER;
      attribute.number = PyFloat_AsDouble(number.ptr());
    }
  }
}

Attributes::Attributes(const nb::dict &values) {
  for (auto [name, value] : values) {
    if (value.is_none())
      continue;
    MpAttribute &attribute = attributes.emplace_back();
    attribute.size = sizeof(attribute);
    attribute.name = texts.emplace_back(nb::cast<std::string>(name)).c_str();
    read(value, attribute);
  }
}
