// Launches of native code.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_DEVICES_CPU_CPULAUNCHES_H
#define MP_LIB_DEVICES_CPU_CPULAUNCHES_H

#include "Devices/CPU/BlockRunner.h"
#include "Devices/Host/HostVariant.h"

namespace mp {

/// Runs launches as native code over the threads of `runner`, which outlives this.
class CPULaunches final : public HostLaunches {
public:
  explicit CPULaunches(BlockRunner &runner) : runner(runner) {}

  Status prepare(const LoadedExecutable &file, const executable::LaunchT &launch) override {
    ErrorOr<void *> kernel = libraries.find(file, launch.blob, launch.symbol);
    if (!kernel)
      return kernel.status();
    kernels.push_back(reinterpret_cast<NativeKernel>(*kernel));
    return runner.reserveScratch(launch.scratch_bytes);
  }

  Status run(size_t index, const executable::LaunchT &launch, std::span<void *const> pointers) override {
    runner.run(kernels[index], pointers, launch.grid, launch.scratch_bytes > 0, launch.modelled_seconds);
    return Status::success();
  }

  Status execute(const std::function<Status()> &plan) override { return runner.execute(plan); }

private:
  BlockRunner &runner;
  CodeLibraries libraries;
  std::vector<NativeKernel> kernels; // by launch of the plan
};

} // namespace mp

#endif // MP_LIB_DEVICES_CPU_CPULAUNCHES_H
