// Code of a blob, loaded on a GPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_DEVICES_CUDA_MODULE_H
#define MP_LIB_DEVICES_CUDA_MODULE_H

#include "Devices/CUDA/Context.h"

namespace mp::cuda {

/// PTX or a cubin, loaded; unloaded when the last variant that uses it is gone.
class Module {
public:
  /// Loads code. PTX is translated by the driver, which keeps what it made in a cache of its own; what
  /// its assembler says is part of the error. The context is current, and outlives the module.
  static ErrorOr<std::shared_ptr<Module>> load(std::shared_ptr<Context> context, std::span<const std::byte> code,
                                               executable::BlobKind kind);
  ~Module();
  Module(const Module &) = delete;
  Module &operator=(const Module &) = delete;

  /// The kernel that a launch names, allowed what the launch takes.
  ErrorOr<FunctionHandle> find(const executable::LaunchT &launch) const;

private:
  Module(std::shared_ptr<Context> context) : context(std::move(context)) {}

  std::shared_ptr<Context> context;
  ModuleHandle handle = nullptr;
};

} // namespace mp::cuda

#endif // MP_LIB_DEVICES_CUDA_MODULE_H
