// Tests of opening the driver.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/CUDA/Driver.h"
#include "Devices/CUDA/Rig.h"
#include "Runtime/TemporaryFolder.h"
#include "mp/Training/Infer.h"

#include <filesystem>
#include <sstream>

#if __has_include(<cuda.h>)
#include <cuda.h>
#endif

using namespace mp;
using namespace mp::test;

#if __has_include(<cuda.h>)
namespace {

/// Whether two functions take parameters of the same sizes.
template <typename... Theirs, typename... Ours>
constexpr bool agree(CUresult (*)(Theirs...), cuda::Result (*)(Ours...)) {
  if constexpr (sizeof...(Theirs) != sizeof...(Ours))
    return false;
  else
    return ((sizeof(Theirs) == sizeof(Ours)) && ...);
}

#define DRIVER_FUNCTION(name, symbol, parameters)                                                                      \
  static_assert(                                                                                                       \
      agree(static_cast<decltype(&::symbol)>(nullptr), static_cast<decltype(cuda::Driver::name.address)>(nullptr)),    \
      #symbol);
#include "Devices/CUDA/DriverFunctions.def"

static_assert(sizeof(CUlaunchConfig) == sizeof(cuda::LaunchConfig));
static_assert(offsetof(CUlaunchConfig, hStream) == offsetof(cuda::LaunchConfig, stream));
static_assert(offsetof(CUlaunchConfig, numAttrs) == offsetof(cuda::LaunchConfig, attributeCount));
static_assert(sizeof(CUlaunchAttribute) == sizeof(cuda::LaunchAttribute));
static_assert(offsetof(CUlaunchAttribute, value) == offsetof(cuda::LaunchAttribute, cluster));
static_assert(int(CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) == cuda::LaunchAttribute::kClusterDimension);
static_assert(int(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) == int(cuda::DeviceAttribute::Multiprocessors));
static_assert(int(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR) == int(cuda::DeviceAttribute::CapabilityMajor));
static_assert(int(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR) == int(cuda::DeviceAttribute::CapabilityMinor));
static_assert(int(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN) ==
              int(cuda::DeviceAttribute::SharedBytesPerBlock));
static_assert(int(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) ==
              int(cuda::FunctionAttribute::MaxDynamicSharedBytes));
static_assert(int(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED) ==
              int(cuda::FunctionAttribute::NonPortableCluster));
static_assert(int(CU_JIT_ERROR_LOG_BUFFER) == int(cuda::JitOption::ErrorLog));
static_assert(int(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) == int(cuda::JitOption::ErrorLogBytes));
static_assert(int(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL) == int(cuda::CaptureMode::ThreadLocal));
static_assert(int(CU_STREAM_NON_BLOCKING) == cuda::kStreamNonBlocking);
static_assert(int(CU_EVENT_DISABLE_TIMING) == cuda::kEventDisableTiming);
static_assert(CU_MEMHOSTALLOC_PORTABLE == cuda::kHostPortable && CU_MEMHOSTALLOC_DEVICEMAP == cuda::kHostMapped);
static_assert(int(CUDA_ERROR_OUT_OF_MEMORY) == int(cuda::Result::OutOfMemory) &&
              int(CUDA_ERROR_NO_DEVICE) == int(cuda::Result::NoDevice));
static_assert(int(CUDA_ERROR_UNSUPPORTED_PTX_VERSION) == int(cuda::Result::UnsupportedPTXVersion));
static_assert(int(CUDA_ERROR_LAUNCH_FAILED) == int(cuda::Result::LaunchFailed) &&
              int(CUDA_ERROR_CONTAINED) == int(cuda::Result::Contained));

} // namespace
#endif

/// A copy of the stand-in, which the process has not opened yet.
static std::string copyStandIn(const TemporaryFolder &folder) {
  std::string path = folder / "libcuda.so.1";
  std::filesystem::copy_file(STAND_IN, path);
  return path;
}

TEST(CUDADriver, WithoutADriver) {
  std::string message = createCUDADevice({}, "libcuda-that-nobody-has.so.1").message();
  EXPECT_EQ(message, "no CUDA driver: libcuda-that-nobody-has.so.1: cannot open shared object file: No such file or "
                     "directory; install NVIDIA's, or use device cpu or simt");
  EXPECT_EQ(countCUDADevices("libcuda-that-nobody-has.so.1"), 0u);
}

TEST(CUDADriver, OfAnotherKind) {
  EXPECT_EQ(createCUDADevice({}, "libc.so.6").message(), "no CUDA driver: libc.so.6 has no cuDriverGetVersion");
}

TEST(CUDADriver, ThatIsTooOld) {
  TemporaryFolder folder;
  std::string path = copyStandIn(folder);
  openStandIn(path).settings.version = 11070;
  EXPECT_EQ(createCUDADevice({}, path).message(),
            "the CUDA driver is for CUDA 11.7, needed is 11.8 or newer: install a newer driver");
  EXPECT_EQ(countCUDADevices(path), 0u);
}

using CUDADevices = CUDATest;

TEST_F(CUDADevices, ThatAreNotThere) {
  standIn.settings.devices = 0;
  EXPECT_EQ(deviceError(), "cuInit: CUDA_ERROR_NO_DEVICE, no CUDA-capable device is detected; there is no GPU, or "
                           "CUDA_VISIBLE_DEVICES hides it");
  standIn.settings.devices = 2;
  EXPECT_EQ(deviceError({.ordinal = 2}), "no GPU 2, this machine has 2");
}

TEST_F(CUDADevices, AreListedAndNumbered) {
  registerCUDADevice(STAND_IN);
  standIn.settings.devices = 2;
  EXPECT_EQ(presentDevices(), (std::vector<std::string>{"cuda:0", "cuda:1"}));
  EXPECT_EQ((*createDevice("cuda"))->description().name, "cuda:0");
  EXPECT_EQ((*createDevice("cuda:1"))->description().name, "cuda:1");
  EXPECT_EQ(createDevice("cuda:7").message(), "no GPU 7, this machine has 2");
  for (const char *name : {"cuda:", "cuda:x", "cuda:1x", "cudas"})
    EXPECT_EQ(createDevice(name).message(), std::string("unknown device '") + name + "'; expected one of cuda");
  standIn.settings.devices = 1;
  std::ostringstream text;
  printDevices(text);
  EXPECT_EQ(text.str(), "cuda:0: Stand-in, compute capability 8.0, driver for CUDA 12.4\n"
                        "  runs target nvptx on 108 units\n  memory 1.0 GiB\n  features sm_80\n"
                        "  multiplies in f16->f32 (mma.sync) f16->f16 (mma.sync) bf16->f32 (mma.sync) "
                        "f32->f32 (mma.sync, TF32) f64->f64 (mma.sync)\n");
  standIn.settings.devices = 0;
  text.str("");
  printDevices(text);
  EXPECT_EQ(text.str(), "") << "nothing is said of what is not there";
}
