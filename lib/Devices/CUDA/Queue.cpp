// Runs in order, and uploads beside them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/CUDA/Queue.h"

#include <algorithm>
#include <utility>

using namespace mp;
using namespace mp::cuda;

/// Runs in the queue at once. More would only hold memory: a host that is so far ahead has to wait.
static constexpr size_t kMostRuns = 64;

Status Queue::open() {
  for (StreamHandle *stream : {&workStream, &copyStream})
    if (Status made = driver.call(driver.streamCreate, stream, kStreamNonBlocking); !made.ok())
      return made;
  return driver.call(driver.eventCreate, &copied, kEventDisableTiming);
}

Queue::~Queue() {
  // What a destructor cannot say was said by a wait, or nobody asked.
  (void)drain();
  for (const Run &run : inFlight)
    freeEvents.push_back(run.event);
  if (copied)
    freeEvents.push_back(copied);
  for (EventHandle event : freeEvents)
    (void)driver.call(driver.eventDestroy, event);
  staging.release();
  for (StreamHandle stream : {copyStream, workStream})
    if (stream)
      (void)driver.call(driver.streamDestroy, stream);
}

// Points

ErrorOr<EventHandle> Queue::takeEvent() {
  EventHandle event = nullptr;
  if (!freeEvents.empty()) {
    event = freeEvents.back();
    freeEvents.pop_back();
    return event;
  }
  if (Status made = driver.call(driver.eventCreate, &event, kEventDisableTiming); !made.ok())
    return made;
  return event;
}

void Queue::retire(QueuePoint point) {
  while (!inFlight.empty() && inFlight.front().point <= point) {
    freeEvents.push_back(inFlight.front().event);
    inFlight.pop_front();
  }
}

std::deque<Queue::Run>::const_iterator Queue::findRun(QueuePoint point) const {
  return std::find_if(inFlight.begin(), inFlight.end(), [&](const Run &run) { return run.point == point; });
}

Status Queue::join() {
  busy = true;
  if (!uploading)
    return Status::success();
  if (Status recorded = driver.call(driver.eventRecord, copied, copyStream); !recorded.ok())
    return recorded;
  if (Status joined = driver.call(driver.streamWaitEvent, workStream, copied, 0u); !joined.ok())
    return joined;
  uploading = false;
  return Status::success();
}

ErrorOr<QueuePoint> Queue::endRun() {
  if (inFlight.size() >= kMostRuns)
    if (Status passed = wait(inFlight.front().point); !passed.ok())
      return passed;
  ErrorOr<EventHandle> event = takeEvent();
  if (!event)
    return event.status();
  if (Status recorded = driver.call(driver.eventRecord, *event, workStream); !recorded.ok()) {
    freeEvents.push_back(*event);
    return recorded;
  }
  inFlight.push_back({++last, *event});
  return last;
}

QueuePoint Queue::mark() {
  if (!uploading)
    return last;
  Status joined = join();
  ErrorOr<QueuePoint> point = joined.ok() ? endRun() : ErrorOr<QueuePoint>(joined);
  if (point)
    return *point;
  fail(point.status());
  return last;
}

Status Queue::wait(QueuePoint point) {
  if (!failed.ok())
    return std::exchange(failed, Status::success());
  auto run = findRun(point);
  if (run == inFlight.end())
    return Status::success();
  if (Status passed = driver.call(driver.eventSynchronize, run->event); !passed.ok())
    return passed;
  retire(run->point);
  return Status::success();
}

Status Queue::drain() {
  if (!busy)
    return Status::success();
  for (StreamHandle stream : {copyStream, workStream})
    if (Status passed = driver.call(driver.streamSynchronize, stream); !passed.ok())
      return passed;
  retire(last);
  uploading = busy = false;
  return Status::success();
}

// Copies

Status Queue::upload(DevicePointer destination, std::span<const std::byte> source, QueuePoint lastUse) {
  if (source.empty())
    return Status::success();
  if (auto run = findRun(lastUse); run != inFlight.end())
    if (Status ordered = driver.call(driver.streamWaitEvent, copyStream, run->event, 0u); !ordered.ok())
      return ordered;
  uploading = busy = true;
  return staging.copy(destination, source, copyStream);
}

Status Queue::clear(DevicePointer destination, uint64_t bytes) {
  uploading = busy = true;
  return driver.call(driver.memsetD8Async, destination, static_cast<unsigned char>(0), bytes, copyStream);
}

Status Queue::download(void *destination, DevicePointer source, uint64_t bytes) {
  if (Status joined = join(); !joined.ok())
    return joined;
  if (bytes)
    if (Status copied = driver.call(driver.memcpyDtoHAsync, destination, source, bytes, workStream); !copied.ok())
      return copied;
  if (Status passed = driver.call(driver.streamSynchronize, workStream); !passed.ok()) {
    // The destination is the caller's: nothing may be written there from now on.
    (void)driver.call(driver.streamSynchronize, workStream);
    return passed;
  }
  retire(last);
  return Status::success();
}
