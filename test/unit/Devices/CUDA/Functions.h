// What the functions of the stand-in share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_DEVICES_CUDA_FUNCTIONS_H
#define MP_TEST_DEVICES_CUDA_FUNCTIONS_H

#include "Devices/CUDA/Engine.h"

namespace mp::cuda {

// The declarations are the runtime's own, so that the two cannot differ.
extern "C" {
// NOLINTNEXTLINE(bugprone-macro-parentheses): parameters come in parentheses of their own
#define DRIVER_FUNCTION(name, symbol, parameters) __attribute__((visibility("default"))) Result symbol parameters;
#include "Devices/CUDA/DriverFunctions.def"
}

template <typename T> void *host(T pointer) { return reinterpret_cast<void *>(pointer); }

} // namespace mp::cuda

// Returns where a call fails, or is made to.
#define ENTER(...)                                                                                                     \
  if (Result failed = test::engine().enter(__func__ __VA_OPT__(, ) __VA_ARGS__); failed != Result::Success)            \
  return failed

#endif // MP_TEST_DEVICES_CUDA_FUNCTIONS_H
