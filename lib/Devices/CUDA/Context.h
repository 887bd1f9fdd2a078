// One GPU, opened.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_DEVICES_CUDA_CONTEXT_H
#define MP_LIB_DEVICES_CUDA_CONTEXT_H

#include "Devices/CUDA/Capability.h"
#include "Devices/CUDA/Queue.h"

namespace mp::cuda {

/// A GPU as the driver describes it.
struct GPU {
  DeviceNumber number = 0;
  DeviceDescription description;
  Capability capability;
  uint32_t sharedBytes = 0; // a block's, at most
};

/// Starts the driver and counts GPUs.
ErrorOr<unsigned> countGPUs(const Driver &driver);

/// What GPU `ordinal` is; it is there.
ErrorOr<GPU> describeGPU(const Driver &driver, unsigned ordinal);

/// A GPU's primary context, which this process shares with others that use the GPU in it (PyTorch),
/// and a queue there. The device, its memory and its variants hold it together, so that they may be
/// destroyed in any order.
class Context {
public:
  static ErrorOr<std::shared_ptr<Context>> create(const Driver &driver, GPU gpu);
  ~Context();
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;

  const Driver &driver;
  const GPU gpu;

  Queue &queue() { return *ownQueue; }
  const std::string &name() const { return gpu.description.name; }

private:
  friend class Current;
  Context(const Driver &driver, GPU gpu) : driver(driver), gpu(std::move(gpu)) {}

  ContextHandle handle = nullptr;
  std::unique_ptr<Queue> ownQueue;
};

/// Makes a context the calling thread's current one and the former again in the end.
class Current {
public:
  explicit Current(const Context &context)
      : driver(context.driver), entered(driver.call(driver.ctxPushCurrent, context.handle)) {}
  ~Current();
  Current(const Current &) = delete;
  Current &operator=(const Current &) = delete;

  const Status &status() const { return entered; }

private:
  const Driver &driver;
  Status entered;
};

} // namespace mp::cuda

#endif // MP_LIB_DEVICES_CUDA_CONTEXT_H
