// The CUDA driver library, opened at run time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/CUDA/Driver.h"

#include <algorithm>
#include <dlfcn.h>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>

using namespace mp;
using namespace mp::cuda;

/// cuLaunchKernelEx came with CUDA 11.8.
static constexpr int kOldestVersion = 11080;

std::string cuda::formatVersion(int version) {
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

// Opening

/// Finds one function; false if the library has none of that name.
template <typename... Parameters> static bool find(void *library, DriverFunction<Result(Parameters...)> &function) {
  function.address = reinterpret_cast<Result (*)(Parameters...)>(::dlsym(library, function.name));
  return function.address != nullptr;
}

Status Driver::resolve(void *library, const std::string &name) {
  // The version first: an old driver lacks some of the others.
  if (!find(library, driverGetVersion))
    return makeError("no CUDA driver: ", name, " has no cuDriverGetVersion");
  if (Result result = driverGetVersion.address(&versionNumber); result != Result::Success)
    return makeError("cuDriverGetVersion: error ", static_cast<int>(result));
  if (versionNumber < kOldestVersion)
    return makeError("the CUDA driver is for CUDA ", formatVersion(versionNumber), ", needed is ",
                     formatVersion(kOldestVersion), " or newer: install a newer driver");
  const char *missing = nullptr;
#define DRIVER_FUNCTION(function, symbol, parameters)                                                                  \
  if (!find(library, function) && !missing)                                                                            \
    missing = #symbol;
#include "Devices/CUDA/DriverFunctions.def"
  if (missing)
    return makeError("the CUDA driver, for CUDA ", formatVersion(versionNumber), ", has no ", missing);
  return Status::success();
}

ErrorOr<const Driver *> Driver::open(const std::string &library) {
  static std::mutex mutex;
  static std::map<std::string, std::unique_ptr<const Driver>> opened;
  std::lock_guard<std::mutex> lock(mutex);
  if (auto known = opened.find(library); known != opened.end())
    return known->second.get();
  void *handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return makeError("no CUDA driver: ", ::dlerror(), "; install NVIDIA's, or use device cpu or simt");
  std::unique_ptr<Driver> driver(new Driver());
  if (Status resolved = driver->resolve(handle, library); !resolved.ok()) {
    ::dlclose(handle);
    return resolved;
  }
  return (opened[library] = std::move(driver)).get();
}

// Errors

namespace {

struct Hint {
  Result result;
  const char *text;
};

} // namespace

static constexpr const char *kKernelFailed =
    "a kernel that ran before failed, and the device's context is lost: start the "
    "program again; compute-sanitizer says which kernel it was";
static constexpr const char *kDeviceFailed = "the GPU itself failed and its context is lost; nvidia-smi says more";

/// What to do, where the driver's own text leaves that open.
static constexpr Hint kHints[] = {
    {Result::StubLibrary,
     "the library is the toolkit's stub; the driver's own must come before it in the library path"},
    {Result::DeviceUnavailable, "another process has the GPU for itself"},
    {Result::NoDevice, "there is no GPU, or CUDA_VISIBLE_DEVICES hides it"},
    {Result::NoBinaryForGPU, "the code was made for another chip"},
    {Result::EccUncorrectable, kDeviceFailed},
    {Result::InvalidPTX, "the driver's assembler refuses the code"},
    {Result::NvlinkUncorrectable, kDeviceFailed},
    {Result::UnsupportedPTXVersion, "the driver is older than the code: install a newer one"},
    {Result::Contained, kDeviceFailed},
    {Result::IllegalAddress, kKernelFailed},
    {Result::LaunchOutOfResources, "a block of the kernel needs more registers or shared memory than the GPU has"},
    {Result::LaunchTimeout, kKernelFailed},
    {Result::ContextIsDestroyed, "someone else in this process has reset the device"},
    {Result::Assert, kKernelFailed},
    {Result::HardwareStackError, kKernelFailed},
    {Result::IllegalInstruction, kKernelFailed},
    {Result::MisalignedAddress, kKernelFailed},
    {Result::InvalidAddressSpace, kKernelFailed},
    {Result::InvalidPC, kKernelFailed},
    {Result::LaunchFailed, kKernelFailed},
    {Result::SystemNotReady, "the driver's services are not up; GPUs with NVSwitch need its fabric manager"},
    {Result::SystemDriverMismatch, "driver library and kernel module are of different versions; restart the machine"},
    {Result::Unknown, kDeviceFailed},
};

Status Driver::error(const char *call, Result result) const {
  const char *name = nullptr;
  const char *text = nullptr;
  if (getErrorName.address(result, &name) != Result::Success || !name)
    name = "an error without a name";
  if (getErrorString.address(result, &text) != Result::Success || !text)
    text = "no text";
  const Hint *hint =
      std::find_if(std::begin(kHints), std::end(kHints), [&](const Hint &hint) { return hint.result == result; });
  if (hint == std::end(kHints))
    return makeError(call, ": ", name, ", ", text);
  return makeError(call, ": ", name, ", ", text, "; ", hint->text);
}
