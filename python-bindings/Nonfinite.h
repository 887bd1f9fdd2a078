// halfstep._compiler.NonfiniteFinder: which op of a training step is not finite.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_PYTHON_NONFINITE_H
#define MP_PYTHON_NONFINITE_H

#include <nanobind/nanobind.h>

void addNonfiniteFinder(nanobind::module_ &module);

#endif // MP_PYTHON_NONFINITE_H
