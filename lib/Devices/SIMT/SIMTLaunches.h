// Launches of simulated code.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_DEVICES_SIMT_SIMTLAUNCHES_H
#define MP_LIB_DEVICES_SIMT_SIMTLAUNCHES_H

#include "Devices/Host/HostVariant.h"
#include "Devices/SIMT/GridRunner.h"

#include <map>

namespace mp {

/// Which bytes of a run's memory have a value: of arena and results what was written since the run began, of state all
/// at its beginning. What a launch has as a result has none until the launch writes it. Arguments and constants have
/// their values throughout.
class WrittenBytes {
public:
  explicit WrittenBytes(const executable::VariantT &variant);

  /// A run begins.
  void clear();

  /// A byte for each byte of the slice; null where everything has a value.
  uint8_t *at(const executable::BufferSlice &slice);

  /// The same for a buffer of a launch that begins.
  uint8_t *beginLaunch(const executable::Buffer &buffer);

  void copy(const executable::BufferSlice &to, const executable::BufferSlice &from);
  void fill(const executable::BufferSlice &slice);

private:
  std::vector<uint8_t> arena;
  std::map<uint32_t, std::vector<uint8_t>> results, states;
};

/// Runs launches as blocks of simulated threads. `runner` outlives this.
class SIMTLaunches final : public HostLaunches {
public:
  SIMTLaunches(GridRunner &runner, const executable::VariantT &variant);

  Status prepare(const LoadedExecutable &file, const executable::LaunchT &launch) override;
  void begin() override;
  Status run(size_t index, const executable::LaunchT &launch, std::span<void *const> pointers) override;
  void copied(const executable::BufferSlice &to, const executable::BufferSlice &from) override;
  void filled(const executable::BufferSlice &slice) override;

private:
  void describe(const executable::LaunchT &launch, std::span<void *const> pointers);
  /// Runs `work` on buffers at `pointers`, which the kernel gets, or where they are.
  Status runOn(SimulatedLaunch work, const executable::LaunchT &launch, std::span<void *const> pointers);

  GridRunner &runner;
  const std::string chip; // that the code is for
  MatrixRules rules;
  CodeLibraries libraries;
  std::vector<SimulatedKernel> kernels; // by launch of the plan
  WrittenBytes written;
  std::vector<SimulatedBuffer> buffers; // of the launch that runs, if they are checked
};

} // namespace mp

#endif // MP_LIB_DEVICES_SIMT_SIMTLAUNCHES_H
