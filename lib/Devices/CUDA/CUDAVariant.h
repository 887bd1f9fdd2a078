// A launch plan, run on a GPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_DEVICES_CUDA_CUDAVARIANT_H
#define MP_LIB_DEVICES_CUDA_CUDAVARIANT_H

#include "Devices/CUDA/Module.h"

#include <functional>

namespace mp::cuda {

/// Where a variant gets the module of a blob, which several variants share.
using ModuleSource = std::function<ErrorOr<std::shared_ptr<Module>>(uint32_t blob)>;

/// Loads the code that the variant's commands name and makes its arena and constants. `file` outlives
/// the result.
ErrorOr<std::unique_ptr<LoadedVariant>> loadCUDAVariant(std::shared_ptr<Context> context, const LoadedExecutable &file,
                                                        const executable::VariantT &variant,
                                                        const ModuleSource &modules);

} // namespace mp::cuda

#endif // MP_LIB_DEVICES_CUDA_CUDAVARIANT_H
