// One GPU, opened.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/CUDA/Context.h"

using namespace mp;
using namespace mp::cuda;

ErrorOr<unsigned> cuda::countGPUs(const Driver &driver) {
  if (Status started = driver.call(driver.init, 0u); !started.ok())
    return started;
  int count = 0;
  if (Status counted = driver.call(driver.deviceGetCount, &count); !counted.ok())
    return counted;
  return static_cast<unsigned>(count);
}

ErrorOr<GPU> cuda::describeGPU(const Driver &driver, unsigned ordinal) {
  GPU gpu;
  if (Status found = driver.call(driver.deviceGet, &gpu.number, static_cast<int>(ordinal)); !found.ok())
    return found;
  char model[256] = "";
  if (Status named = driver.call(driver.deviceGetName, model, static_cast<int>(sizeof(model) - 1), gpu.number);
      !named.ok())
    return named;
  size_t bytes = 0;
  if (Status sized = driver.call(driver.deviceTotalMem, &bytes, gpu.number); !sized.ok())
    return sized;
  int units = 0;
  int shared = 0;
  for (auto [value, which] :
       {std::pair(&units, DeviceAttribute::Multiprocessors), std::pair(&shared, DeviceAttribute::SharedBytesPerBlock),
        std::pair(&gpu.capability.major, DeviceAttribute::CapabilityMajor),
        std::pair(&gpu.capability.minor, DeviceAttribute::CapabilityMinor)})
    if (Status asked = driver.call(driver.deviceGetAttribute, value, which, gpu.number); !asked.ok())
      return asked;
  gpu.sharedBytes = static_cast<uint32_t>(shared);
  gpu.description = {"cuda:" + std::to_string(ordinal),
                     targets::nvptx,
                     std::string(model) + ", compute capability " + formatCapability(gpu.capability) +
                         ", driver for CUDA " + formatVersion(driver.version()),
                     {chipOf(gpu.capability)},
                     bytes,
                     static_cast<unsigned>(units),
                     matrixUnits(gpu.capability),
                     "multiprocessor"};
  return gpu;
}

ErrorOr<std::shared_ptr<Context>> Context::create(const Driver &driver, GPU gpu) {
  std::shared_ptr<Context> context(new Context(driver, std::move(gpu)));
  if (Status retained = driver.call(driver.primaryCtxRetain, &context->handle, context->gpu.number); !retained.ok()) {
    context->handle = nullptr;
    return retained;
  }
  Current current(*context);
  if (!current.status().ok())
    return current.status();
  context->ownQueue = std::make_unique<Queue>(driver);
  if (Status opened = context->ownQueue->open(); !opened.ok())
    return opened;
  return context;
}

Context::~Context() {
  if (!handle)
    return;
  {
    Current current(*this);
    ownQueue.reset();
  }
  (void)driver.call(driver.primaryCtxRelease, gpu.number);
}

Current::~Current() {
  ContextHandle former = nullptr;
  if (entered.ok())
    (void)driver.call(driver.ctxPopCurrent, &former);
}
