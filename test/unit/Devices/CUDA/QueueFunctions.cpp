// Streams, events and graphs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/CUDA/Functions.h"

using namespace mp::test;

namespace mp::cuda {

Result cuStreamCreate(StreamHandle *stream, unsigned) {
  ENTER();
  engine().streams.insert(*stream = new StreamObject());
  engine().made("stream", *stream);
  return Result::Success;
}

Result cuStreamDestroy_v2(StreamHandle stream) {
  Result result = engine().enter(__func__);
  if (!engine().gone("stream", stream))
    return Result::InvalidValue;
  engine().streams.erase(stream);
  delete stream;
  return result;
}

Result cuStreamSynchronize(StreamHandle stream) {
  ENTER();
  stream->runTo(stream->added);
  return engine().lost;
}

Result cuStreamWaitEvent(StreamHandle stream, EventHandle event, unsigned) {
  ENTER();
  // The event as it is now: a later record is another point.
  stream->add([point = *event] {
    if (engine().streams.contains(point.stream))
      point.wait();
  });
  return Result::Success;
}

Result cuStreamBeginCapture_v2(StreamHandle stream, CaptureMode) {
  ENTER();
  if (stream->capture)
    return Result::InvalidValue;
  stream->capture = std::make_unique<GraphObject>();
  return Result::Success;
}

Result cuStreamEndCapture(StreamHandle stream, GraphHandle *graph) {
  Result result = engine().enter(__func__);
  *graph = result == Result::Success ? stream->capture.release() : nullptr;
  stream->capture.reset();
  if (*graph)
    engine().made("graph", *graph);
  return result;
}

Result cuEventCreate(EventHandle *event, unsigned) {
  ENTER();
  engine().made("event", *event = new EventObject());
  return Result::Success;
}

Result cuEventDestroy_v2(EventHandle event) {
  Result result = engine().enter(__func__);
  if (!engine().gone("event", event))
    return Result::InvalidValue;
  delete event;
  return result;
}

Result cuEventRecord(EventHandle event, StreamHandle stream) {
  ENTER();
  if (stream->capture)
    engine().violate("an event of the queue in a capture");
  *event = {stream, stream->added};
  return Result::Success;
}

Result cuEventSynchronize(EventHandle event) {
  ENTER();
  event->wait();
  return engine().lost;
}

Result cuEventElapsedTime(float *milliseconds, EventHandle start, EventHandle end) {
  ENTER();
  // A millisecond for each operation between them.
  *milliseconds = float(end->position) - float(start->position);
  return Result::Success;
}

Result cuGraphInstantiateWithFlags(GraphExecHandle *exec, GraphHandle graph, unsigned long long) {
  ENTER();
  *exec = new GraphExecObject{std::make_shared<const std::vector<Operation>>(graph->operations)};
  engine().made("executable graph", *exec);
  return Result::Success;
}

Result cuGraphLaunch(GraphExecHandle exec, StreamHandle stream) {
  ENTER();
  if (!engine().has("executable graph", exec))
    return Result::InvalidValue;
  stream->add([operations = exec->operations] {
    for (const Operation &operation : *operations)
      operation();
  });
  return Result::Success;
}

Result cuGraphDestroy(GraphHandle graph) {
  Result result = engine().enter(__func__);
  if (!engine().gone("graph", graph))
    return Result::InvalidValue;
  delete graph;
  return result;
}

Result cuGraphExecDestroy(GraphExecHandle exec) {
  Result result = engine().enter(__func__);
  if (!engine().gone("executable graph", exec))
    return Result::InvalidValue;
  delete exec;
  return result;
}

} // namespace mp::cuda
