// The CUDA device on the driver's stand-in.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_DEVICES_CUDA_RIG_H
#define MP_TEST_DEVICES_CUDA_RIG_H

#include "Devices/CUDA/StandIn.h"
#include "Runtime/TinyModel.h"
#include "mp/Devices/CUDA/CUDADevice.h"
#include "mp/Runtime/Core/Session.h"

#include <gtest/gtest.h>

namespace mp::test {

/// Loads a stand-in; every path is one of its own.
StandIn &openStandIn(const std::string &path = STAND_IN);

/// The tests' model with variants for a GPU alone, whose code is blob 0.
TinyModel makeGPUModel(TinyModelOptions options = {});

/// A model through the writer and the reader.
std::shared_ptr<const LoadedExecutable> load(TinyModel model);

/// The model's kernels, as the stand-in runs them.
std::map<std::string, StandInKernel> modelKernels();

/// A stand-in that knows the model's kernels. In the end nothing may be alive, and nothing may have
/// happened that a driver leaves undefined.
class CUDATest : public testing::Test {
protected:
  CUDATest();
  ~CUDATest() override;

  std::unique_ptr<Device> makeDevice(const DeviceOptions &options = {});
  std::string deviceError(const DeviceOptions &options = {}) { return createCUDADevice(options, STAND_IN).message(); }
  std::unique_ptr<Session> makeSession(const TinyModelOptions &options = {});

  /// Calls from `first` on, without those that make a context current.
  std::vector<std::string> callsFrom(size_t first) const;

  /// How many calls begin with this.
  size_t count(const std::string &call) const;

  StandIn &standIn;
};

} // namespace mp::test

#endif // MP_TEST_DEVICES_CUDA_RIG_H
