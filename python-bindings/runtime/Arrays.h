// Arrays of Python as tensors of the C API, and back.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_PYTHON_ARRAYS_H
#define MP_PYTHON_ARRAYS_H

#include "Errors.h"

#include <nanobind/ndarray.h>

#include <vector>

/// Any array in the host's memory, by the buffer protocol or by DLPack.
using AnyArray = nanobind::ndarray<nanobind::ro, nanobind::c_contig, nanobind::device::cpu>;

/// An array as the C API takes it; nothing is copied.
class [[gnu::visibility("hidden")]] Tensor { // as nanobind's types are
public:
  /// `element` is the type of an array that can't say it, as one of bf16 viewed as integers; else -1.
  Tensor(const AnyArray &array, int element);

  MpTensor get() const;

private:
  AnyArray array;
  MpElementType element;
  std::vector<int64_t> shape;
};

/// Name, element type and array of each; the arrays own the tensors. One of bf16 is viewed as uint16.
nanobind::list toPython(Owned<MpTensors> tensors);

#endif // MP_PYTHON_ARRAYS_H
