//===- SIMTLaunches.h - launches of simulated code -------------------------===//
//
// Part of Halfstep, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef MP_LIB_RUNTIME_SIMT_SIMTLAUNCHES_H
#define MP_LIB_RUNTIME_SIMT_SIMTLAUNCHES_H

#include "Host/HostVariant.h"
#include "SIMT/GridRunner.h"

#include <map>

namespace mp {

/// Which bytes of a run's own memory, arena and results, were written since it began. Everything else (state,
/// arguments, constants) has its values from the start.
class WrittenBytes {
public:
  explicit WrittenBytes(const executable::VariantT &variant);

  /// Nothing is written.
  void clear();

  /// A byte for each byte of the place; null where everything is written.
  uint8_t *at(const executable::Place &place);

  void copy(const executable::Place &to, const executable::Place &from);
  void fill(const executable::Place &place);

private:
  std::vector<uint8_t> arena;
  std::map<uint32_t, std::vector<uint8_t>> results;
};

/// Runs launches as blocks of simulated threads. `runner` outlives this.
class SIMTLaunches final : public HostLaunches {
public:
  SIMTLaunches(GridRunner &runner, const executable::VariantT &variant);

  Status prepare(const LoadedExecutable &file, const executable::LaunchT &launch) override;
  void begin() override;
  Status run(size_t index, const executable::LaunchT &launch, std::span<void *const> pointers) override;
  void copied(const executable::Place &to, const executable::Place &from) override;
  void filled(const executable::Place &place) override;

private:
  void describe(const executable::LaunchT &launch, std::span<void *const> pointers);

  GridRunner &runner;
  const std::string chip; // that the code is for
  MatrixRules rules;
  CodeLibraries libraries;
  std::vector<SimulatedKernel> kernels; // by launch of the plan
  WrittenBytes written;
  std::vector<SimulatedBuffer> buffers; // of the launch that runs
};

} // namespace mp

#endif // MP_LIB_RUNTIME_SIMT_SIMTLAUNCHES_H
