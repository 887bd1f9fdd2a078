// Barriers, votes and reductions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/SIMT/Functions.h"

#include <algorithm>

using namespace mp;

// PTX ISA 9.7.13, "bar, barrier": sync, red, arrive

void mp::barrier(const Call &call) {
  struct Operands {
    uint32_t id, threads, predicate;
  };
  enum { Count, And, Or }; // NVVM's BarrierReduction
  const auto operands = call.as<Operands>();
  const Barriers::Votes votes =
      call.block().barriers.wait(call.thread, call.site, operands.id, operands.threads, operands.predicate != 0);
  switch (call.immediate(0)) {
  case Count:
    call.result<uint32_t>() = votes.yes;
    break;
  case And:
    call.result<uint32_t>() = votes.yes == votes.all;
    break;
  case Or:
    call.result<uint32_t>() = votes.yes != 0;
    break;
  }
}

namespace {
struct ArriveOperands {
  uint32_t id, threads;
};
} // namespace

static void arriveTogether(const Gathering &warp) {
  const auto operands = warp.operands<ArriveOperands>(0);
  warp.forEachLane([&](unsigned lane) {
    if (warp.operands<ArriveOperands>(lane).id != operands.id ||
        warp.operands<ArriveOperands>(lane).threads != operands.threads)
      warp.block.fail(warp.lanes[lane], warp.site, "lanes of one warp arrive at different barriers");
  });
  warp.block.barriers.arrive(warp, operands.id, operands.threads);
}

void mp::barrierArrive(const Call &call) {
  if (call.as<ArriveOperands>().threads == 0)
    call.block().fail(call.thread, call.site, "arrives at a barrier of 0 threads");
  call.meet(~0u, arriveTogether, Convergence::Aligned);
}

// PTX ISA 9.7.13, "barrier.cluster", and 9.7.19, "nanosleep"

void mp::clusterArrive(const Call &call) {
  call.meet(~0u, [](const Gathering &warp) { warp.block.clusterBarrier.arrive(warp); }, Convergence::Aligned);
}

void mp::clusterWait(const Call &call) {
  call.meet(~0u, [](const Gathering &warp) { warp.block.clusterBarrier.beginWait(warp); }, Convergence::Aligned);
  call.block().clusterBarrier.endWait(call.thread);
}

void mp::sleep(const Call &call) {
  if (!call.thread.scheduler->sleep(call.thread))
    call.block().fail(call.thread, call.site, "sleeps again and again, and no thread ends: it waits for ever");
}

// PTX ISA 9.7.13, "bar.warp.sync", "vote.sync", "elect.sync", "redux.sync"

/// Memory is ordered among the lanes; where only some of a warp meet, the race check does not learn of it.
static void syncTogether(const Gathering &warp) {
  const uint32_t number = warp.lanes[0].warp;
  if ((warp.mask | warp.block.warps[number].endedLanes()) == ~0u)
    warp.block.checks.clocks.step(number);
}

void mp::syncWarp(const Call &call) { call.meet(call.as<uint32_t>(), syncTogether, Convergence::Qualifiers); }

namespace {
struct VoteOperands {
  uint32_t mask;
  uint8_t predicate;
};
} // namespace

static void voteTogether(const Gathering &warp) {
  enum { Any, All, Ballot, Uniform }; // NVVM's VoteSyncKind
  uint32_t yes = 0;
  warp.forEachLane([&](unsigned lane) { yes |= uint32_t(warp.operands<VoteOperands>(lane).predicate != 0) << lane; });
  const bool answers[] = {yes != 0, yes == warp.mask, false, yes == 0 || yes == warp.mask};
  const uint32_t kind = warp.site->immediates[0];
  warp.forEachLane([&](unsigned lane) {
    if (kind == Ballot)
      warp.results<uint32_t>(lane) = yes;
    else
      warp.results<uint8_t>(lane) = answers[kind];
  });
}

void mp::vote(const Call &call) { call.meet(call.as<VoteOperands>().mask, voteTogether, Convergence::Qualifiers); }

/// Any lane may be elected, the same one for the same mask.
static void electTogether(const Gathering &warp) {
  const auto leader = static_cast<unsigned>(std::countr_zero(warp.mask));
  warp.forEachLane([&](unsigned lane) { warp.results<uint8_t>(lane) = lane == leader; });
}

void mp::elect(const Call &call) { call.meet(call.as<uint32_t>(), electTogether, Convergence::Qualifiers); }

namespace {
struct ReduceOperands {
  uint32_t value, mask;
};
} // namespace

static void reduceTogether(const Gathering &warp) {
  using Combine = uint32_t (*)(uint32_t, uint32_t);
  // By NVVM's ReduxKind.
  static constexpr Combine kCombine[] = {
      nullptr,
      [](uint32_t a, uint32_t b) { return a + b; },
      [](uint32_t a, uint32_t b) { return a & b; },
      [](uint32_t a, uint32_t b) { return uint32_t(std::max(int32_t(a), int32_t(b))); },
      [](uint32_t a, uint32_t b) { return uint32_t(std::min(int32_t(a), int32_t(b))); },
      [](uint32_t a, uint32_t b) { return a | b; },
      [](uint32_t a, uint32_t b) { return std::max(a, b); },
      [](uint32_t a, uint32_t b) { return std::min(a, b); },
      [](uint32_t a, uint32_t b) { return a ^ b; },
  };
  const auto first = static_cast<unsigned>(std::countr_zero(warp.mask));
  uint32_t result = warp.operands<ReduceOperands>(first).value;
  warp.forEachLane([&](unsigned lane) {
    if (lane != first)
      result = kCombine[warp.site->immediates[0]](result, warp.operands<ReduceOperands>(lane).value);
  });
  warp.forEachLane([&](unsigned lane) { warp.results<uint32_t>(lane) = result; });
}

void mp::reduce(const Call &call) {
  call.meet(call.as<ReduceOperands>().mask, reduceTogether, Convergence::Qualifiers);
}
