//===- Block.h - one block of simulated threads ----------------------------===//
//
// Part of Halfstep, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Threads are fibers on one thread of the host. A thread runs until it waits: at a barrier, or for other lanes of its
// warp. Then the next ready one goes on, in order of waking or as a seed says. So threads of a block never run at once,
// and which interleavings a kernel meets depends on the seed alone.
//
//===----------------------------------------------------------------------===//

#ifndef MP_LIB_RUNTIME_SIMT_BLOCK_H
#define MP_LIB_RUNTIME_SIMT_BLOCK_H

#include "SIMT/Barriers.h"
#include "SIMT/Checks.h"
#include "SIMT/MatrixArithmetic.h"
#include "SIMT/Memory.h"
#include "SIMT/Thread.h"
#include "SIMT/Warp.h"
#include "mp/Runtime/SIMT/SIMTOptions.h"

#include <memory>
#include <span>
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
};

/// Runs one block after another on the thread that calls it.
class SimulatedBlock {
public:
  static ErrorOr<std::unique_ptr<SimulatedBlock>> create(const SIMTOptions &options);

  /// Runs block `number`; the error names the thread and the op, or all threads that wait for ever.
  Status run(const SimulatedLaunch &launch, uint64_t number);

  //===--------------------------------------------------------------------===//
  // For the functions of the device, called on a thread's stack.
  //===--------------------------------------------------------------------===//

  /// Gives up the host's thread until `wake` was called for `thread`.
  void wait(SimulatedThread &thread);
  void wake(SimulatedThread &thread);

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
  Barriers barriers;
  std::vector<Warp> warps;
  Checks checks;

private:
  SimulatedBlock(const SIMTOptions &options, Mapping shared)
      : options(options), checks(options), shared(std::move(shared)) {}

  Status prepare(const SimulatedLaunch &launch, uint64_t number);
  void check(const SimulatedThread &thread, const SimulatorSite *site, const Access &access);
  [[noreturn]] void stop(const SimulatedThread &thread, const SimulatorSite *site, const Status &why);
  static void enter(boost::context::detail::transfer_t transfer);
  void end(SimulatedThread &thread);
  uint32_t takeReady();
  Status describeDeadlock() const;

  Mapping shared;
  Stacks stacks;
  std::vector<SimulatedThread> threads;
  std::vector<uint32_t> ready; // from `firstReady` on
  size_t firstReady = 0;
  uint64_t random = 0; // 0: no shuffling
  boost::context::detail::fcontext_t scheduler = nullptr;
  Status failure;
  const SimulatedLaunch *launch = nullptr;
};

} // namespace mp

#endif // MP_LIB_RUNTIME_SIMT_BLOCK_H
