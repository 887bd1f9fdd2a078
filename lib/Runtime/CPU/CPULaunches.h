//===- CPULaunches.h - launches of native code -----------------------------===//
//
// Part of Halfstep, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MP_LIB_RUNTIME_CPU_CPULAUNCHES_H
#define MP_LIB_RUNTIME_CPU_CPULAUNCHES_H

#include "CPU/BlockRunner.h"
#include "Host/HostVariant.h"

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
    runner.run(kernels[index], pointers, launch.grid, launch.scratch_bytes > 0);
    return Status::success();
  }

private:
  BlockRunner &runner;
  CodeLibraries libraries;
  std::vector<NativeKernel> kernels; // by launch of the plan
};

} // namespace mp

#endif // MP_LIB_RUNTIME_CPU_CPULAUNCHES_H
