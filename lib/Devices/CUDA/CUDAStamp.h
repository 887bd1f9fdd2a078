// A reading of a GPU's clock.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_DEVICES_CUDA_CUDASTAMP_H
#define MP_LIB_DEVICES_CUDA_CUDASTAMP_H

#include "Devices/CUDA/Context.h"

namespace mp::cuda {

/// An event with a time, recorded behind all that is in the context's queue.
ErrorOr<std::unique_ptr<TimeStamp>> recordStamp(std::shared_ptr<Context> context);

} // namespace mp::cuda

#endif // MP_LIB_DEVICES_CUDA_CUDASTAMP_H
