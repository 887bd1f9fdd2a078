// Values of Python as attributes of ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_PYTHON_ATTRIBUTES_H
#define MP_PYTHON_ATTRIBUTES_H

#include "mp-c/Compiler.h"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <deque>
#include <string>
#include <vector>

/// The attributes of an op as the C API takes them, of a dictionary. A value may be a bool, a number, a text, several
/// whole numbers, an ElementType, or (ElementType, array). What is none of these is MP_ATTRIBUTE_NONE, which the op
/// refuses by its name.
class [[gnu::visibility("hidden")]] Attributes { // as nanobind's types are
public:
  explicit Attributes(const nanobind::dict &values);

  const MpAttribute *data() const { return attributes.data(); }
  size_t size() const { return attributes.size(); }

private:
  using Array = nanobind::ndarray<nanobind::ro, nanobind::c_contig, nanobind::device::cpu>;

  void read(nanobind::handle value, MpAttribute &attribute);
  bool readTensor(nanobind::handle value, MpAttribute &attribute);
  bool readIntegers(nanobind::handle value, MpAttribute &attribute);

  std::vector<MpAttribute> attributes;
  // What they point to.
  std::deque<std::string> texts;
  std::deque<std::vector<int64_t>> integers;
  std::deque<Array> arrays;
};

#endif // MP_PYTHON_ATTRIBUTES_H
