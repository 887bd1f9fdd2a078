//===- Block.cpp - one block of simulated threads --------------------------===//
//
// Part of Halfstep, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SIMT/Block.h"
#include "SIMT/Functions.h"

#include <algorithm>
#include <cstring>
#include <sstream>

using namespace mp;
using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

ErrorOr<std::unique_ptr<SimulatedBlock>> SimulatedBlock::create(const SIMTOptions &options) {
  ErrorOr<Mapping> shared = mapSharedMemory();
  if (!shared)
    return shared.status();
  return std::unique_ptr<SimulatedBlock>(new SimulatedBlock(options, std::move(*shared)));
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

static void setRegisters(SimulatedThread &thread, uint32_t number, const SimulatedLaunch &launch, uint64_t block) {
  thread.thread = number;
  thread.threads = launch.threads;
  thread.block = static_cast<uint32_t>(block);
  thread.blocks = static_cast<uint32_t>(launch.grid);
  thread.lane = number % 32;
  thread.warp = number / 32;
  thread.warps = launch.threads / 32;
  thread.sharedBytes = launch.sharedBytes;
  thread.laneMaskEq = 1u << thread.lane;
  thread.laneMaskLt = thread.laneMaskEq - 1;
  thread.laneMaskLe = thread.laneMaskLt | thread.laneMaskEq;
  thread.laneMaskGe = ~thread.laneMaskLt;
  thread.laneMaskGt = ~thread.laneMaskLe;
  thread.zero = 0;
  thread.one = 1;
  thread.warpSize = 32;
}

Status SimulatedBlock::prepare(const SimulatedLaunch &newLaunch, uint64_t number) {
  launch = &newLaunch;
  if (launch->threads == 0 || launch->threads % 32 != 0 || launch->threads > 1024)
    return makeError("a block of ", launch->threads, " threads, expected 32 to 1024 in whole warps");
  if (launch->sharedBytes > kSharedWindow)
    return makeError("a block with ", launch->sharedBytes, " bytes of shared memory, at most ", kSharedWindow);
  if (launch->grid > uint64_t(1) << 31)
    return makeError("a grid of ", launch->grid, " blocks, at most 2^31");
  if (Status reserved = stacks.reserve(launch->threads); !reserved.ok())
    return reserved;
  // Not a number in any float type, and no index: what was never written shows in results even without checks.
  std::memset(shared.data(), 0xff, launch->sharedBytes);
  threads.resize(launch->threads);
  ready.clear();
  firstReady = 0;
  for (uint32_t index = 0; index < launch->threads; ++index) {
    SimulatedThread &thread = threads[index];
    setRegisters(thread, index, *launch, number);
    thread.functions = simulatorFunctions();
    thread.shared = shared.data();
    thread.home = this;
    thread.state = SimulatedThread::State::Ready;
    thread.copies.clear();
    thread.groups.clear();
    thread.uncommitted = 0;
    thread.fiber = make_fcontext(stacks.top(index), Stacks::kBytes, &SimulatedBlock::enter);
    ready.push_back(index);
  }
  warps.resize(launch->threads / 32);
  for (Warp &warp : warps)
    warp.reset();
  barriers.reset(*this);
  if (options.checksMemory())
    checks.start(launch->buffers, shared.data(), launch->sharedBytes);
  // A block's order is its own, whichever thread of the host runs it.
  random = options.seed ? (options.seed ^ (number + 1) * 0x9E3779B97F4A7C15) | 1 : 0;
  failure = Status::success();
  return Status::success();
}

uint32_t SimulatedBlock::takeReady() {
  if (random) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17; // xorshift64
    std::swap(ready[firstReady], ready[firstReady + random % (ready.size() - firstReady)]);
  }
  const uint32_t index = ready[firstReady++];
  if (firstReady == ready.size()) {
    ready.clear();
    firstReady = 0;
  }
  return index;
}

Status SimulatedBlock::run(const SimulatedLaunch &newLaunch, uint64_t number) {
  if (Status prepared = prepare(newLaunch, number); !prepared.ok())
    return prepared;
  while (!ready.empty()) {
    SimulatedThread &thread = threads[takeReady()];
    thread.fiber = jump_fcontext(thread.fiber, &thread).fctx;
    if (!failure.ok())
      return failure;
  }
  const bool allEnded = std::all_of(threads.begin(), threads.end(), [](const SimulatedThread &thread) {
    return thread.state == SimulatedThread::State::Ended;
  });
  return allEnded ? Status::success() : describeDeadlock();
}

/// The first function on a thread's stack.
void SimulatedBlock::enter(transfer_t transfer) {
  auto &thread = *static_cast<SimulatedThread *>(transfer.data);
  SimulatedBlock &block = *thread.home;
  block.scheduler = transfer.fctx;
  // A kernel takes void ** but changes nothing there.
  block.launch->kernel(const_cast<void **>(block.launch->pointers.data()), thread.block, &thread);
  block.end(thread);
}

void SimulatedBlock::end(SimulatedThread &thread) {
  landCopies(thread, 0);
  thread.state = SimulatedThread::State::Ended;
  warps[thread.warp].end(thread);
  barriers.end();
  jump_fcontext(scheduler, nullptr); // for good
}

void SimulatedBlock::wait(SimulatedThread &thread) {
  thread.state = SimulatedThread::State::Waiting;
  scheduler = jump_fcontext(scheduler, nullptr).fctx;
}

void SimulatedBlock::wake(SimulatedThread &thread) {
  thread.state = SimulatedThread::State::Ready;
  ready.push_back(thread.thread);
}

//===----------------------------------------------------------------------===//
// Faults
//===----------------------------------------------------------------------===//

void SimulatedBlock::stop(const SimulatedThread &thread, const SimulatorSite *site, const Status &why) {
  failure =
      why.in("block " + std::to_string(thread.block) + ", thread " + std::to_string(thread.thread) + ", " + site->text);
  // Nothing on the threads' stacks has a destructor that matters: they are left as they are.
  jump_fcontext(scheduler, nullptr);
  __builtin_unreachable();
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

/// Who waits where: "threads 0-31 wait at nvvm.barrier #2 at m.mlir:3:4 (barrier 1, 32 of 64 threads there)".
Status SimulatedBlock::describeDeadlock() const {
  const auto describe = [&](const SimulatedThread &thread) -> std::string {
    if (thread.state == SimulatedThread::State::Ended)
      return "ended";
    const std::string barrier = barriers.describe(thread);
    return std::string("wait at ") + thread.site->text + (barrier.empty() ? "" : " (" + barrier + ")");
  };
  std::ostringstream text;
  text << "deadlock in block " << threads.front().block;
  for (size_t first = 0; first < threads.size();) {
    const std::string what = describe(threads[first]);
    size_t end = first + 1;
    while (end < threads.size() && describe(threads[end]) == what)
      ++end;
    text << (first ? "; " : ": ") << (end - first > 1 ? "threads " : "thread ") << first;
    if (end - first > 1)
      text << "-" << end - 1;
    text << " " << what;
    first = end;
  }
  return Status::error(text.str());
}
