// A CUDA driver that is none.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A shared library with the driver's functions that are used, on memory of the host. What is put into a
// stream runs as late as the driver may run it: when something waits for it. So work that lacks an
// event to wait for sees old bytes, and a buffer that is reused too early is read with the new ones.
// Kernels are functions of the test, by name. It records calls, counts objects, fails on demand, and
// notes what a driver leaves undefined.

#ifndef MP_TEST_DEVICES_CUDA_STANDIN_H
#define MP_TEST_DEVICES_CUDA_STANDIN_H

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace mp::test {

/// What a kernel's name stands for: called for each block, with scratch behind the buffers.
struct StandInKernel {
  void (*code)(void **buffers, int64_t block);
  uint64_t scratchBytes = 0;
};

/// What the library says of itself, and is set to.
struct StandInSettings {
  int version = 12040;
  int devices = 1;
  int major = 8;
  int minor = 0;
  int sharedBytes = 166912;
  size_t memory = size_t(1) << 30;
};

class StandIn {
public:
  virtual ~StandIn() = default;

  /// Back to the beginning; nothing is alive.
  virtual void reset() = 0;

  StandInSettings settings;
  std::map<std::string, StandInKernel> kernels;

  /// A kernel that fails with this result instead of running; the context is lost then.
  std::map<std::string, int> failingKernels;

  /// The number of calls so far fails with a result once it is reached; 0 for never. A function that
  /// releases something does so all the same.
  uint64_t failAt = 0;
  int failWith = 0;

  /// All calls so far, by the driver's names; those that say what an error means excepted.
  std::vector<std::string> calls;

  /// Objects alive, by kind: "memory", "stream". None at 0.
  std::map<std::string, int> alive;

  /// What no caller may do: use what is gone, free what work is pending for, allocate in a capture.
  std::vector<std::string> violations;
};

/// The symbol of the function that returns the library's stand-in.
inline constexpr const char *kStandInSymbol = "halfstepStandIn";

} // namespace mp::test

#endif // MP_TEST_DEVICES_CUDA_STANDIN_H
