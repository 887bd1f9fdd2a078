// Launches of simulated code.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/SIMT/SIMTLaunches.h"
#include "Devices/SIMT/SpacedBuffers.h"
#include "mp/Hardware/ChipTable.h"
#include "mp/Runtime/Core/PlanMemory.h"

#include <algorithm>
#include <cstring>

using namespace mp;
using namespace mp::executable;

// What was written

WrittenBytes::WrittenBytes(const VariantT &variant) : arena(variant.arena_bytes) {
  for (uint32_t index = 0; index < variant.results.size(); ++index)
    if (variant.results[index]->kind != ResultKind::Next)
      results[index].resize(*byteCount(*variant.results[index]->type));
  const auto note = [&](const BufferSlice &slice) {
    if (slice.space() == Space::State)
      states[slice.index()].resize(std::max<size_t>(states[slice.index()].size(), slice.offset() + slice.bytes()));
  };
  for (const std::unique_ptr<CommandT> &command : variant.commands)
    forEachSlice(*command, note);
}

void WrittenBytes::clear() {
  std::fill(arena.begin(), arena.end(), 0);
  for (auto &[index, bytes] : results)
    std::fill(bytes.begin(), bytes.end(), 0);
  for (auto &[index, bytes] : states)
    std::fill(bytes.begin(), bytes.end(), 1);
}

uint8_t *WrittenBytes::at(const BufferSlice &slice) {
  if (slice.space() == Space::Arena)
    return arena.data() + slice.offset();
  if (slice.space() == Space::Result)
    return results.at(slice.index()).data() + slice.offset();
  if (slice.space() == Space::State)
    return states.at(slice.index()).data() + slice.offset();
  return nullptr;
}

uint8_t *WrittenBytes::beginLaunch(const Buffer &buffer) {
  uint8_t *bytes = at(buffer.slice());
  if (bytes && buffer.access() == executable::Access::Write)
    std::fill_n(bytes, buffer.slice().bytes(), 0);
  return bytes;
}

void WrittenBytes::copy(const BufferSlice &to, const BufferSlice &from) {
  uint8_t *into = at(to);
  if (!into)
    return;
  if (const uint8_t *source = at(from))
    std::memmove(into, source, to.bytes());
  else
    std::memset(into, 1, to.bytes());
}

void WrittenBytes::fill(const BufferSlice &slice) {
  if (uint8_t *bytes = at(slice))
    std::memset(bytes, 1, slice.bytes());
}

// Launches

SIMTLaunches::SIMTLaunches(GridRunner &runner, const VariantT &variant)
    : runner(runner), chip(variant.features.empty() ? "" : variant.features.front()),
      rules(rulesOf(chip, runner.options().arithmetic)), written(variant) {}

Status SIMTLaunches::prepare(const LoadedExecutable &file, const LaunchT &launch) {
  const Chip *known = findChip(chip);
  if (launch.cluster != 1 && known && !known->has(ChipFeature::AsyncBarriers))
    return makeError("clusters of ", launch.cluster, " blocks, which ", chip, " does not have: they need sm_90");
  ErrorOr<void *> kernel = libraries.find(file, launch.blob, launch.symbol);
  if (!kernel)
    return kernel.status();
  ErrorOr<void *> info = libraries.find(file, launch.blob, launch.symbol + kSimulatorInfoSuffix);
  if (!info)
    return info.status();
  const uint32_t word = *static_cast<const uint32_t *>(*info);
  if ((word & ~kSimulatorChecked) != kSimulatorVersion)
    return makeError("simulated code of version ", word & ~kSimulatorChecked, ", this device runs version ",
                     kSimulatorVersion);
  if (runner.options().checksMemory() && !(word & kSimulatorChecked))
    return makeError("was compiled without the reports that memory checks need");
  kernels.push_back(reinterpret_cast<SimulatedKernel>(*kernel));
  return Status::success();
}

void SIMTLaunches::begin() {
  if (runner.options().uninitialized)
    written.clear();
}

void SIMTLaunches::copied(const BufferSlice &to, const BufferSlice &from) {
  if (runner.options().uninitialized)
    written.copy(to, from);
}

void SIMTLaunches::filled(const BufferSlice &slice) {
  if (runner.options().uninitialized)
    written.fill(slice);
}

void SIMTLaunches::describe(const LaunchT &launch, std::span<void *const> pointers) {
  for (size_t index = 0; index < pointers.size(); ++index) {
    const Buffer &buffer = launch.buffers[index];
    buffers.push_back({static_cast<std::byte *>(pointers[index]), buffer.slice().bytes(),
                       buffer.access() != executable::Access::Read,
                       runner.options().uninitialized ? written.beginLaunch(buffer) : nullptr});
  }
}

Status SIMTLaunches::runOn(SimulatedLaunch work, const LaunchT &launch, std::span<void *const> pointers) {
  void *const list = const_cast<void **>(pointers.data());
  work.pointers = launch.buffers_in_memory ? std::span(&list, 1) : pointers;
  std::vector<SimulatedBuffer> described = buffers; // a copy: spaced buffers hold on to these
  if (launch.buffers_in_memory && !described.empty())
    described.push_back({static_cast<std::byte *>(list), pointers.size_bytes(), /*isWritable=*/false, nullptr});
  work.buffers = described;
  return runner.run(work);
}

Status SIMTLaunches::run(size_t index, const LaunchT &launch, std::span<void *const> pointers) {
  const SimulatedLaunch work{kernels[index], {}, {}, rules, launch.grid, launch.threads, launch.shared_bytes,
                             launch.cluster};
  buffers.clear();
  if (runner.options().checksMemory())
    describe(launch, pointers);
  if (!runner.options().bounds)
    return runOn(work, launch, pointers);
  ErrorOr<SpacedBuffers> spaced = SpacedBuffers::make(buffers, pointers);
  if (!spaced)
    return spaced.status().in("copies of its buffers");
  Status ran = runOn(work, launch, spaced->pointers());
  if (ran.ok())
    ran = spaced->checkMargins();
  spaced->copyBack();
  return ran;
}
