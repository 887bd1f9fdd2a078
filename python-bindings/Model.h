// halfstep._compiler.Model: models that Python makes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_PYTHON_MODEL_H
#define MP_PYTHON_MODEL_H

#include "mp-c/Compiler.h"

#include <nanobind/nanobind.h>

#include <memory>
#include <string>

/// A model that is being made.
class Model {
public:
  explicit Model(const std::string &name);
  explicit Model(MpModel *made) : handle(made) {}

  MpModel *get() const { return handle.get(); }

private:
  struct Destroyed {
    void operator()(MpModel *model) const { mpModelDestroy(model); }
  };
  std::unique_ptr<MpModel, Destroyed> handle;
};

void addModel(nanobind::module_ &module);

#endif // MP_PYTHON_MODEL_H
