// Which simulated thread goes on.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/SIMT/Scheduler.h"

#include <utility>

using namespace mp;
using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

/// With no thread that ends in between. More than it takes to wait for anybody, and less than a second.
static constexpr uint64_t kMostSleeps = uint64_t(1) << 22;

void Scheduler::restart(uint64_t seed) {
  ready.clear();
  firstReady = 0;
  random = seed;
  sleeps = 0;
  failure = Status::success();
}

void Scheduler::add(SimulatedThread &thread, void *top, size_t bytes, void (*body)(SimulatedThread &thread)) {
  thread.scheduler = this;
  thread.body = body;
  thread.state = SimulatedThread::State::Ready;
  thread.fiber = make_fcontext(top, bytes, &Scheduler::enter);
  ready.push_back(&thread);
}

SimulatedThread &Scheduler::takeReady() {
  if (random) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17; // xorshift64
    std::swap(ready[firstReady], ready[firstReady + random % (ready.size() - firstReady)]);
  }
  SimulatedThread &thread = *ready[firstReady++];
  if (firstReady == ready.size()) {
    ready.clear();
    firstReady = 0;
  }
  return thread;
}

Status Scheduler::run() {
  while (!ready.empty()) {
    SimulatedThread &thread = takeReady();
    thread.fiber = jump_fcontext(thread.fiber, &thread).fctx;
    if (!failure.ok())
      return failure;
  }
  return Status::success();
}

/// The first function on a thread's stack.
void Scheduler::enter(transfer_t transfer) {
  auto &thread = *static_cast<SimulatedThread *>(transfer.data);
  Scheduler &scheduler = *thread.scheduler;
  scheduler.home = transfer.fctx;
  thread.body(thread);
  thread.state = SimulatedThread::State::Ended;
  scheduler.sleeps = 0;
  scheduler.leave(); // for good
}

void Scheduler::leave() { home = jump_fcontext(home, nullptr).fctx; }

void Scheduler::wait(SimulatedThread &thread) {
  thread.state = SimulatedThread::State::Waiting;
  leave();
}

void Scheduler::wake(SimulatedThread &thread) {
  thread.state = SimulatedThread::State::Ready;
  ready.push_back(&thread);
}

bool Scheduler::sleep(SimulatedThread &thread) {
  if (++sleeps > kMostSleeps)
    return false;
  // Where some always sleep, the queue is never empty.
  if (firstReady > ready.size() / 2) {
    ready.erase(ready.begin(), ready.begin() + static_cast<ptrdiff_t>(firstReady));
    firstReady = 0;
  }
  ready.push_back(&thread);
  leave();
  return true;
}

void Scheduler::stop(Status why) {
  failure = std::move(why);
  // Nothing on the threads' stacks has a destructor that matters: they are left as they are.
  jump_fcontext(home, nullptr);
  __builtin_unreachable();
}
