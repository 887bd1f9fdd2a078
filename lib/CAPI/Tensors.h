// Tensors on their way from C and to it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CAPI_TENSORS_H
#define MP_LIB_CAPI_TENSORS_H

#include "mp-c/Runtime.h"
#include "mp/Runtime/Tensors/Tensor.h"
#include "mp/Training/Data/Dataset.h"

struct MpTensors {
  mp::NamedTensors own;
  const mp::NamedTensors *others = nullptr; ///< instead, where they are not copied

  const mp::NamedTensors &get() const { return others ? *others : own; }
};

namespace mp {

/// A copy of a caller's tensor, whose size is checked.
ErrorOr<HostTensor> fromC(const MpTensor &tensor, const char *name);

/// Copies of several by their names; `what` a name is called where one is null.
ErrorOr<NamedTensors> fromC(const char *const *names, const MpTensor *tensors, size_t count, const char *what);

/// The same without a copy: the caller's memory is read as long as the array is used.
ErrorOr<DataArray> viewOfC(const MpTensor &tensor, const char *name);

MpTensors *toC(NamedTensors tensors);

} // namespace mp

#endif // MP_LIB_CAPI_TENSORS_H
