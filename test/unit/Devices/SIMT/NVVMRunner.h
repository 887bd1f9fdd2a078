// A GPU function's text, run on the simulated device.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_DEVICES_SIMT_NVVMRUNNER_H
#define MP_TEST_DEVICES_SIMT_NVVMRUNNER_H

#include "Codegen/Lower/SIMT/Simulate.h"
#include "Devices/Host/NativeLibrary.h"
#include "Devices/SIMT/GridRunner.h"

#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace mp::test {

/// The module of one kernel `@k` with so many buffers `%b0`, `%b1`, ..., and shared memory `@mp_shared`.
std::string kernelText(unsigned buffers, const std::string &body);

/// Memory of one buffer of a launch, and what the launch may do with it.
struct GlobalBuffer {
  std::vector<std::byte> bytes;
  bool isWritable = true;
  bool isInitialized = true;

  template <typename T> static GlobalBuffer of(const std::vector<T> &values) {
    GlobalBuffer buffer;
    buffer.bytes.resize(values.size() * sizeof(T));
    std::memcpy(buffer.bytes.data(), values.data(), buffer.bytes.size());
    return buffer;
  }
  template <typename T> static GlobalBuffer zeros(size_t count) { return of(std::vector<T>(count)); }
  template <typename T> std::vector<T> as() const {
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
};

struct Geometry {
  uint32_t threads = 32;
  uint64_t grid = 1;
  uint32_t sharedBytes = 0;
  uint32_t cluster = 1;
};

/// A kernel from text, compiled for the host as the compiler does it.
class NVVMRunner {
public:
  /// Errors are kept in `errors`; then there is no code.
  explicit NVVMRunner(const std::string &text, SimulatorChecks checks = {});

  bool ok() const { return kernel != nullptr; }

  /// Runs it, as a launch of the device; buffers are changed in place.
  Status run(std::vector<GlobalBuffer> &buffers, const Geometry &geometry, const SIMTOptions &options = {},
             const std::string &chip = "sm_80", unsigned hostThreads = 1) const;

  std::string errors;
  std::string lowered; ///< the module after lowering
  uint32_t info = 0;   ///< the word beside the kernel

private:
  std::unique_ptr<NativeLibrary> library;
  SimulatedKernel kernel = nullptr;
};

} // namespace mp::test

#endif // MP_TEST_DEVICES_SIMT_NVVMRUNNER_H
