// One block of simulated threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_DEVICES_SIMT_BLOCK_H
#define MP_LIB_DEVICES_SIMT_BLOCK_H

#include "Devices/SIMT/Barriers.h"
#include "Devices/SIMT/Checks.h"
#include "Devices/SIMT/ClusterBarrier.h"
#include "Devices/SIMT/MatrixArithmetic.h"
#include "Devices/SIMT/Memory.h"
#include "Devices/SIMT/Scheduler.h"
#include "Devices/SIMT/Thread.h"
#include "Devices/SIMT/Warp.h"
#include "mp/Runtime/Core/SIMTOptions.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace mp {

/// One launch, the same for all of its blocks.
struct SimulatedLaunch {
  SimulatedKernel kernel;
  std::span<void *const> pointers;          ///< what the kernel gets
  std::span<const SimulatedBuffer> buffers; ///< the memory behind them; only for checks
  MatrixRules rules;
  uint64_t grid;
  uint32_t threads;
  uint32_t sharedBytes;
  uint32_t cluster = 1; ///< so many neighbouring blocks run together and may wait for one another
};

/// The threads of one block after another, their shared memory and where they meet.
class SimulatedBlock {
public:
  /// A block of the cluster that has `clusterBarrier`, which outlives it.
  static ErrorOr<std::unique_ptr<SimulatedBlock>> create(const SIMTOptions &options, ClusterBarrier &clusterBarrier);

  /// Puts the threads of block `number` into `scheduler`.
  Status start(const SimulatedLaunch &launch, uint64_t number, Scheduler &scheduler);

  bool hasEnded() const;

  /// Who waits where: "threads 0-31 wait at nvvm.barrier #2 at m.mlir:3:4 (barrier 1, 32 of 64 threads there)".
  std::string describeThreads() const;

  // Called on a thread's stack.

  /// Ends the block with an error at `site` of `thread`.
  template <typename... Parts>
  [[noreturn]] void fail(const SimulatedThread &thread, const SimulatorSite *site, const Parts &...parts) {
    stop(thread, site, makeError(parts...));
  }

  /// Says that an op of `thread` touches memory; fails if a check finds fault with it.
  void touch(const SimulatedThread &thread, const SimulatorSite *site, AccessKind kind, const void *address,
             uint64_t bytes, AddressSpace space = AddressSpace::Generic) {
    if (options.checksMemory())
      check(thread, site, {kind, space, reinterpret_cast<uintptr_t>(address), bytes});
  }

  /// The same for an address of shared memory, which is always looked at to be one.
  void touchShared(const SimulatedThread &thread, const SimulatorSite *site, AccessKind kind, const void *address,
                   uint64_t bytes) {
    expectShared(thread, site, address, bytes);
    touch(thread, site, kind, address, bytes, AddressSpace::Shared);
  }

  /// Fails if the bytes are not in the window of shared memory.
  void expectShared(const SimulatedThread &thread, const SimulatorSite *site, const void *address, uint64_t bytes);

  std::span<SimulatedThread> threadsOf(uint32_t warp) { return {threads.data() + warp * 32, 32}; }

  std::span<SimulatedThread> all() { return threads; }

  const MatrixRules &rules() const { return launch->rules; }

  const SIMTOptions &options;
  ClusterBarrier &clusterBarrier;
  Barriers barriers;
  std::vector<Warp> warps;
  Checks checks;

private:
  SimulatedBlock(const SIMTOptions &options, ClusterBarrier &clusterBarrier, Mapping shared)
      : options(options), clusterBarrier(clusterBarrier), checks(options), shared(std::move(shared)) {}

  void execute(SimulatedThread &thread);
  void check(const SimulatedThread &thread, const SimulatorSite *site, const Access &access);
  [[noreturn]] void stop(const SimulatedThread &thread, const SimulatorSite *site, const Status &why);

  Mapping shared;
  Stacks stacks;
  std::vector<SimulatedThread> threads;
  const SimulatedLaunch *launch = nullptr;
};

} // namespace mp

#endif // MP_LIB_DEVICES_SIMT_BLOCK_H
