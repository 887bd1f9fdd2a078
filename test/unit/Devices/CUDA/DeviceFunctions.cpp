// The driver and its devices.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/CUDA/Functions.h"

#include <algorithm>
#include <cstdio>
#include <iterator>

using namespace mp::test;

namespace mp::cuda {

static constexpr bool kWithoutContext = false;

struct ErrorRow {
  Result result;
  const char *name;
  const char *text;
};

static constexpr ErrorRow kErrors[] = {
    {Result::InvalidValue, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {Result::OutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {Result::NoDevice, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {Result::InvalidContext, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {Result::InvalidPTX, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {Result::NotFound, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {Result::IllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {Result::StreamCaptureInvalidated, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
     "operation failed due to a previous error"},
    {Result::Unknown, "CUDA_ERROR_UNKNOWN", "unknown error"},
};

static const ErrorRow *find(Result result) {
  const ErrorRow *row =
      std::find_if(std::begin(kErrors), std::end(kErrors), [&](const ErrorRow &row) { return row.result == result; });
  return row == std::end(kErrors) ? nullptr : row;
}

Result cuGetErrorName(Result error, const char **name) {
  const ErrorRow *row = find(error);
  *name = row ? row->name : nullptr;
  return row ? Result::Success : Result::InvalidValue;
}

Result cuGetErrorString(Result error, const char **text) {
  const ErrorRow *row = find(error);
  *text = row ? row->text : nullptr;
  return row ? Result::Success : Result::InvalidValue;
}

Result cuDriverGetVersion(int *version) {
  *version = engine().settings.version;
  return Result::Success;
}

Result cuInit(unsigned) {
  ENTER(kWithoutContext);
  return engine().settings.devices ? Result::Success : Result::NoDevice;
}

Result cuDeviceGetCount(int *count) {
  ENTER(kWithoutContext);
  *count = engine().settings.devices;
  return Result::Success;
}

Result cuDeviceGet(DeviceNumber *device, int ordinal) {
  ENTER(kWithoutContext);
  *device = ordinal;
  return ordinal < engine().settings.devices ? Result::Success : Result::InvalidDevice;
}

Result cuDeviceGetName(char *name, int bytes, DeviceNumber) {
  ENTER(kWithoutContext);
  std::snprintf(name, static_cast<size_t>(bytes), "Stand-in");
  return Result::Success;
}

Result cuDeviceTotalMem_v2(size_t *bytes, DeviceNumber) {
  ENTER(kWithoutContext);
  *bytes = engine().settings.memory;
  return Result::Success;
}

Result cuDeviceGetAttribute(int *value, DeviceAttribute which, DeviceNumber) {
  ENTER(kWithoutContext);
  const StandInSettings &settings = engine().settings;
  const std::map<DeviceAttribute, int> values = {{DeviceAttribute::Multiprocessors, 108},
                                                 {DeviceAttribute::CapabilityMajor, settings.major},
                                                 {DeviceAttribute::CapabilityMinor, settings.minor},
                                                 {DeviceAttribute::SharedBytesPerBlock, settings.sharedBytes}};
  auto found = values.find(which);
  if (found == values.end())
    return Result::InvalidValue;
  *value = found->second;
  return Result::Success;
}

Result cuDevicePrimaryCtxRetain(ContextHandle *context, DeviceNumber) {
  ENTER(kWithoutContext);
  if (engine().retained++ == 0)
    engine().made("context", &engine().context);
  *context = &engine().context;
  return Result::Success;
}

Result cuDevicePrimaryCtxRelease_v2(DeviceNumber) {
  Result result = engine().enter(__func__, kWithoutContext);
  for (const auto &[kind, count] : engine().alive)
    if (kind != "context" && engine().retained == 1)
      engine().violate("context released before " + kind);
  if (--engine().retained == 0)
    engine().gone("context", &engine().context);
  return result;
}

Result cuCtxPushCurrent_v2(ContextHandle) {
  ENTER(kWithoutContext);
  ++engine().pushed;
  return engine().retained ? Result::Success : Result::InvalidContext;
}

Result cuCtxPopCurrent_v2(ContextHandle *context) {
  Result result = engine().enter(__func__, kWithoutContext);
  *context = &engine().context;
  --engine().pushed;
  return result;
}

} // namespace mp::cuda
