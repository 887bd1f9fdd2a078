//===- CUDAStamp.h - a reading of a GPU's clock -----------------*- C++ -*-===//
//
// Part of Halfstep, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MP_LIB_RUNTIME_CUDA_CUDASTAMP_H
#define MP_LIB_RUNTIME_CUDA_CUDASTAMP_H

#include "CUDA/Context.h"

namespace mp::cuda {

/// An event with a time, recorded behind all that is in the context's queue.
ErrorOr<std::unique_ptr<TimeStamp>> recordStamp(std::shared_ptr<Context> context);

} // namespace mp::cuda

#endif // MP_LIB_RUNTIME_CUDA_CUDASTAMP_H
