// Runs in order, and uploads beside them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device's one queue is two streams, so that the next batch is uploaded while a step runs:
//
//   work     | run 1 | run 2 |     run 3 | download
//   copies   | upload for 3  ^ waits here until the upload is there
//
// A run waits for all uploads before it, an upload only for the last run that used its destination.
// To the caller everything still happens in the order in which it was put there.

#ifndef MP_LIB_DEVICES_CUDA_QUEUE_H
#define MP_LIB_DEVICES_CUDA_QUEUE_H

#include "Devices/CUDA/Staging.h"
#include "mp/Runtime/Core/Device.h"

#include <deque>

namespace mp::cuda {

/// All functions, constructor and destructor are called with the device's context current.
class Queue {
public:
  explicit Queue(const Driver &driver) : driver(driver), staging(driver) {}
  ~Queue();
  Queue(const Queue &) = delete;
  Queue &operator=(const Queue &) = delete;

  /// Makes the streams; comes first.
  Status open();

  /// The stream of runs.
  StreamHandle work() const { return workStream; }

  /// Comes before a run: what follows in work() sees all uploads so far.
  Status join();

  /// Comes after a run: its point. Waits for an old run where very many are in the queue.
  ErrorOr<QueuePoint> endRun();

  /// The end as it is now. A failure is told by the next wait().
  QueuePoint mark();

  /// What the next wait() tells, of several failures the first.
  void fail(Status status) { failed = failed.ok() ? std::move(status) : failed; }

  Status wait(QueuePoint point);

  /// Waits for all that was put there.
  Status drain();

  /// Puts a copy from the host into the queue, of which the last run that uses `destination` is
  /// `lastUse`; returns when `source` may be reused.
  Status upload(DevicePointer destination, std::span<const std::byte> source, QueuePoint lastUse);

  /// Zeroes new memory.
  Status clear(DevicePointer destination, uint64_t bytes);

  /// Waits for all that was put there, then copies.
  Status download(void *destination, DevicePointer source, uint64_t bytes);

private:
  struct Run {
    QueuePoint point;
    EventHandle event;
  };

  ErrorOr<EventHandle> takeEvent();
  /// The queue has passed all points up to this one.
  void retire(QueuePoint point);
  /// The run of a point; the end if the queue has passed it.
  std::deque<Run>::const_iterator findRun(QueuePoint point) const;

  const Driver &driver;
  Staging staging;
  StreamHandle workStream = nullptr;
  StreamHandle copyStream = nullptr;
  EventHandle copied = nullptr;
  bool uploading = false; // copies that work() has not joined
  bool busy = false;      // anything since the last drain
  QueuePoint last = 0;
  std::deque<Run> inFlight;
  std::vector<EventHandle> freeEvents;
  Status failed; // in mark()
};

} // namespace mp::cuda

#endif // MP_LIB_DEVICES_CUDA_QUEUE_H
