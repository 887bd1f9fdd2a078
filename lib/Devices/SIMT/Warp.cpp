// Lanes that come together.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/SIMT/Block.h"

#include <cstring>

using namespace mp;

bool Warp::belongs(const Meeting &meeting, const SimulatorSite *site, uint32_t mask, Collective compute,
                   Convergence convergence) const {
  if (meeting.compute != compute || meeting.mask != mask || meeting.arrived == mask)
    return false;
  if (convergence == Convergence::Aligned)
    return meeting.site == site;
  return std::memcmp(meeting.site->immediates, site->immediates, sizeof(site->immediates)) == 0;
}

/// Lanes that have ended are not waited for, but an aligned op is for whole warps.
bool Warp::isComplete(const Meeting &meeting) const {
  const uint32_t present = meeting.convergence == Convergence::Aligned ? meeting.arrived : meeting.arrived | ended;
  return (present & meeting.mask) == meeting.mask;
}

void Warp::meet(SimulatedThread &thread, const SimulatorSite *site, const void *operands, void *results, uint32_t mask,
                Collective compute, Convergence convergence) {
  SimulatedBlock &block = *thread.home;
  if (!(mask & thread.laneMaskEq))
    block.fail(thread, site, "lane ", thread.lane, " is not in the mask that it passed");
  thread.waitAt(site, operands, results);
  size_t index = 0;
  while (index < meetings.size() && !belongs(meetings[index], site, mask, compute, convergence))
    ++index;
  if (index == meetings.size())
    meetings.push_back({compute, site, mask, 0, convergence});
  meetings[index].arrived |= thread.laneMaskEq;
  if (isComplete(meetings[index]))
    return finish(thread, index);
  thread.scheduler->wait(thread);
}

/// Computes for all, on the stack of `thread`, and wakes the others.
void Warp::finish(SimulatedThread &thread, size_t index) {
  const Meeting meeting = meetings[index];
  meetings.erase(meetings.begin() + static_cast<ptrdiff_t>(index));
  SimulatedBlock &block = *thread.home;
  const Gathering gathering{block, block.threadsOf(thread.warp).data(), meeting.arrived, meeting.site};
  meeting.compute(gathering);
  gathering.forEachLane([&](unsigned lane) {
    if (&gathering.lanes[lane] != &thread)
      thread.scheduler->wake(gathering.lanes[lane]);
  });
}

void Warp::end(SimulatedThread &thread) {
  ended |= thread.laneMaskEq;
  for (size_t index = 0; index < meetings.size();)
    if (isComplete(meetings[index])) {
      finish(thread, index);
      index = 0;
    } else {
      ++index;
    }
}
