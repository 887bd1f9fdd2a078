// A reading of a GPU's clock.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/CUDA/CUDAStamp.h"

using namespace mp;
using namespace mp::cuda;

namespace {

class CUDAStamp final : public TimeStamp {
public:
  explicit CUDAStamp(std::shared_ptr<Context> context) : context(std::move(context)) {}
  ~CUDAStamp() override;

  Status record();
  ErrorOr<double> secondsSince(const TimeStamp &earlier) const override;

private:
  std::shared_ptr<Context> context;
  EventHandle event = nullptr;
};

} // namespace

CUDAStamp::~CUDAStamp() {
  Current current(*context);
  if (event)
    (void)context->driver.call(context->driver.eventDestroy, event);
}

Status CUDAStamp::record() {
  const Driver &driver = context->driver;
  Current current(*context);
  if (!current.status().ok())
    return current.status();
  if (Status joined = context->queue().join(); !joined.ok())
    return joined;
  if (Status made = driver.call(driver.eventCreate, &event, kEventDefault); !made.ok()) {
    event = nullptr;
    return made;
  }
  return driver.call(driver.eventRecord, event, context->queue().work());
}

ErrorOr<double> CUDAStamp::secondsSince(const TimeStamp &earlier) const {
  const Driver &driver = context->driver;
  EventHandle start = static_cast<const CUDAStamp &>(earlier).event;
  Current current(*context);
  if (!current.status().ok())
    return current.status();
  for (EventHandle each : {start, event})
    if (Status passed = driver.call(driver.eventSynchronize, each); !passed.ok())
      return passed;
  float milliseconds = 0;
  if (Status read = driver.call(driver.eventElapsedTime, &milliseconds, start, event); !read.ok())
    return read;
  return double(milliseconds) / 1e3;
}

ErrorOr<std::unique_ptr<TimeStamp>> cuda::recordStamp(std::shared_ptr<Context> context) {
  auto stamp = std::make_unique<CUDAStamp>(std::move(context));
  if (Status recorded = stamp->record(); !recorded.ok())
    return recorded;
  return std::unique_ptr<TimeStamp>(std::move(stamp));
}
