// halfstep._compiler.Model: models that Python makes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_PYTHON_MODEL_H
#define MP_PYTHON_MODEL_H

#include <nanobind/nanobind.h>

void addModel(nanobind::module_ &module);

#endif // MP_PYTHON_MODEL_H
