// One block of simulated threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/SIMT/Block.h"
#include "Devices/SIMT/Functions.h"

#include <algorithm>
#include <cstring>
#include <sstream>

using namespace mp;

ErrorOr<std::unique_ptr<SimulatedBlock>> SimulatedBlock::create(const SIMTOptions &options,
                                                                ClusterBarrier &clusterBarrier) {
  ErrorOr<Mapping> shared = mapSharedMemory();
  if (!shared)
    return shared.status();
  return std::unique_ptr<SimulatedBlock>(new SimulatedBlock(options, clusterBarrier, std::move(*shared)));
}

// Running

static void setRegisters(SimulatedThread &thread, uint32_t number, const SimulatedLaunch &launch, uint64_t block) {
  thread.thread = number;
  thread.threads = launch.threads;
  thread.block = static_cast<uint32_t>(block);
  thread.blocks = static_cast<uint32_t>(launch.grid);
  thread.lane = number % 32;
  thread.warp = number / 32;
  thread.warps = launch.threads / 32;
  thread.sharedBytes = launch.sharedBytes;
  thread.clusterBlock = static_cast<uint32_t>(block % launch.cluster);
  thread.clusterBlocks = launch.cluster;
  thread.cluster = static_cast<uint32_t>(block / launch.cluster);
  thread.clusters = static_cast<uint32_t>(launch.grid / launch.cluster);
  thread.laneMaskEq = 1u << thread.lane;
  thread.laneMaskLt = thread.laneMaskEq - 1;
  thread.laneMaskLe = thread.laneMaskLt | thread.laneMaskEq;
  thread.laneMaskGe = ~thread.laneMaskLt;
  thread.laneMaskGt = ~thread.laneMaskLe;
  thread.zero = 0;
  thread.one = 1;
  thread.warpSize = 32;
}

Status SimulatedBlock::start(const SimulatedLaunch &newLaunch, uint64_t number, Scheduler &scheduler) {
  launch = &newLaunch;
  if (launch->threads == 0 || launch->threads % 32 != 0 || launch->threads > 1024)
    return makeError("a block of ", launch->threads, " threads, expected 32 to 1024 in whole warps");
  if (launch->sharedBytes > kSharedWindow)
    return makeError("a block with ", launch->sharedBytes, " bytes of shared memory, expected at most ", kSharedWindow);
  if (launch->grid > uint64_t(1) << 31)
    return makeError("a grid of ", launch->grid, " blocks, expected at most 2^31");
  if (Status reserved = stacks.reserve(launch->threads); !reserved.ok())
    return reserved;
  // Not a number in any float type, and no index: what was never written shows in results even without checks.
  std::memset(shared.data(), 0xff, launch->sharedBytes);
  threads.resize(launch->threads);
  for (uint32_t index = 0; index < launch->threads; ++index) {
    SimulatedThread &thread = threads[index];
    setRegisters(thread, index, *launch, number);
    thread.functions = simulatorFunctions();
    thread.shared = shared.data();
    thread.home = this;
    thread.copies.clear();
    thread.groups.clear();
    thread.uncommitted = 0;
    thread.clusterArrivals = thread.clusterWaits = 0;
    scheduler.add(thread, stacks.top(index), Stacks::kBytes, [](SimulatedThread &each) { each.home->execute(each); });
  }
  warps.resize(launch->threads / 32);
  for (Warp &warp : warps)
    warp.reset();
  barriers.reset(*this);
  if (options.checksMemory())
    checks.start(launch->buffers, shared.data(), launch->sharedBytes);
  return Status::success();
}

bool SimulatedBlock::hasEnded() const {
  return std::all_of(threads.begin(), threads.end(),
                     [](const SimulatedThread &thread) { return thread.state == SimulatedThread::State::Ended; });
}

void SimulatedBlock::execute(SimulatedThread &thread) {
  // A kernel takes void ** but changes nothing there.
  launch->kernel(const_cast<void **>(launch->pointers.data()), thread.block, &thread);
  landCopies(thread, 0);
  warps[thread.warp].end(thread);
  barriers.end();
  clusterBarrier.end(thread);
}

// Faults

void SimulatedBlock::stop(const SimulatedThread &thread, const SimulatorSite *site, const Status &why) {
  thread.scheduler->stop(why.in("block " + std::to_string(thread.block) + ", thread " + std::to_string(thread.thread) +
                                ", " + site->text));
}

void SimulatedBlock::check(const SimulatedThread &thread, const SimulatorSite *site, const Access &access) {
  if (std::string fault = checks.check(thread, site, access); !fault.empty())
    fail(thread, site, fault);
}

void SimulatedBlock::expectShared(const SimulatedThread &thread, const SimulatorSite *site, const void *address,
                                  uint64_t bytes) {
  const auto offset = static_cast<uint64_t>(static_cast<const std::byte *>(address) - shared.data());
  if (offset > kSharedWindow || bytes > kSharedWindow - offset)
    fail(thread, site, "address ", address, " is not in shared memory");
}

std::string SimulatedBlock::describeThreads() const {
  const auto describe = [&](const SimulatedThread &thread) -> std::string {
    if (thread.state == SimulatedThread::State::Ended)
      return "ended";
    std::string barrier = barriers.describe(thread);
    if (barrier.empty())
      barrier = clusterBarrier.describe(thread);
    return std::string("wait at ") + thread.site->text + (barrier.empty() ? "" : " (" + barrier + ")");
  };
  std::ostringstream text;
  for (size_t first = 0; first < threads.size();) {
    const std::string what = describe(threads[first]);
    size_t end = first + 1;
    while (end < threads.size() && describe(threads[end]) == what)
      ++end;
    text << (first ? "; " : "") << (end - first > 1 ? "threads " : "thread ") << first;
    if (end - first > 1)
      text << "-" << end - 1;
    text << " " << what;
    first = end;
  }
  return text.str();
}
