// The sixteen barriers of a block.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/SIMT/Block.h"

#include <algorithm>

using namespace mp;

void Barriers::reset(SimulatedBlock &home) {
  block = &home;
  ended = 0;
  barriers.fill({});
}

/// Notes that `thread` has come. An aligned barrier counts warps: all lanes of one come to the same op.
Barriers::Barrier &Barriers::join(SimulatedThread &thread, const SimulatorSite *site, uint32_t id, uint32_t count) {
  if (id >= barriers.size())
    block->fail(thread, site, "barrier ", id, ", there are barriers 0 to 15");
  if (count % 32 != 0 || count > thread.threads)
    block->fail(thread, site, "barrier of ", count, " threads, expected whole warps of a block of ", thread.threads);
  Barrier &barrier = barriers[id];
  if (barrier.arrived == 0)
    barrier.count = count;
  else if (barrier.count != count)
    block->fail(thread, site, "barrier ", id, " for ", count, " threads, others wait there for ", barrier.count);
  const SimulatorSite *&warpSite = barrier.sites[thread.warp];
  if (warpSite && warpSite != site)
    block->fail(thread, site, "lanes of one warp are at different barriers, another is at ", warpSite->text);
  if (barrier.lanes[thread.warp] & thread.laneMaskEq)
    block->fail(thread, site, "comes to barrier ", id, " again before it completes");
  warpSite = site;
  barrier.lanes[thread.warp] |= thread.laneMaskEq;
  ++barrier.arrived;
  return barrier;
}

bool Barriers::isComplete(const Barrier &barrier) const {
  if (barrier.arrived == 0)
    return false;
  const auto threads = static_cast<uint32_t>(block->all().size());
  return barrier.count ? barrier.arrived == barrier.count : barrier.arrived + ended == threads;
}

void Barriers::complete(Barrier &barrier, SimulatedThread *last) {
  // With a stated number of threads it may be reached by parts of warps, which no hardware counts so.
  for (uint32_t warp = 0; warp < block->warps.size(); ++warp) {
    const uint32_t lanes = barrier.lanes[warp];
    if (lanes && (lanes | block->warps[warp].endedLanes()) != ~0u)
      block->fail(block->threadsOf(warp)[std::countr_zero(lanes)], barrier.sites[warp],
                  "a barrier completes with a part of a warp");
  }
  std::vector<SimulatedThread *> waiting = std::move(barrier.waiting);
  uint32_t warps = 0;
  for (SimulatedThread *thread : waiting) {
    warps |= 1u << thread->warp;
    *static_cast<Votes *>(thread->results) = barrier.votes;
  }
  block->checks.clocks.synchronize(warps, barrier.released);
  barrier = {};
  for (SimulatedThread *thread : waiting)
    if (thread != last)
      thread->scheduler->wake(*thread);
}

Barriers::Votes Barriers::wait(SimulatedThread &thread, const SimulatorSite *site, uint32_t id, uint32_t count,
                               bool vote) {
  Barrier &barrier = join(thread, site, id, count);
  barrier.votes.yes += vote;
  barrier.votes.all += 1;
  barrier.waiting.push_back(&thread);
  Votes result;
  thread.waitAt(site, nullptr, &result);
  if (isComplete(barrier))
    complete(barrier, &thread);
  else
    thread.scheduler->wait(thread);
  return result;
}

void Barriers::arrive(const Gathering &warp, uint32_t id, uint32_t count) {
  Barrier *barrier = nullptr;
  uint32_t number = 0;
  warp.forEachLane([&](unsigned lane) {
    barrier = &join(warp.lanes[lane], warp.site, id, count);
    number = warp.lanes[lane].warp;
  });
  block->checks.clocks.release(number, barrier->released);
  if (isComplete(*barrier))
    complete(*barrier, nullptr);
}

void Barriers::end() {
  ++ended;
  for (Barrier &barrier : barriers)
    if (isComplete(barrier))
      complete(barrier, nullptr);
}

std::string Barriers::describe(const SimulatedThread &thread) const {
  for (size_t id = 0; id < barriers.size(); ++id) {
    const Barrier &barrier = barriers[id];
    if (std::find(barrier.waiting.begin(), barrier.waiting.end(), &thread) == barrier.waiting.end())
      continue;
    const size_t expected = barrier.count ? barrier.count : block->all().size() - ended;
    return "barrier " + std::to_string(id) + ", " + std::to_string(barrier.arrived) + " of " +
           std::to_string(expected) + " threads there";
  }
  return "";
}
