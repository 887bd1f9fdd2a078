// Captured graphs of one plan.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/CUDA/GraphCache.h"

#include <algorithm>

using namespace mp;
using namespace mp::cuda;

/// Three steps in flight, of up to 16 micro-batches each.
static constexpr size_t kMostGraphs = 48;

ErrorOr<GraphExecHandle> GraphCache::get(const std::vector<DevicePointer> &addresses, StreamHandle stream,
                                         const Prepare &prepare, const Issue &issue) {
  ++uses;
  for (Entry &entry : entries)
    if (entry.addresses == addresses) {
      entry.lastUse = uses;
      return entry.graph;
    }
  ErrorOr<std::unique_ptr<Memory>> own = prepare();
  if (!own)
    return own.status();
  ErrorOr<GraphExecHandle> graph = capture(stream, [&] { return issue(own->get()); });
  if (!graph)
    return graph;
  if (entries.size() < kMostGraphs) {
    entries.push_back({addresses, *graph, uses, std::move(*own)});
    return graph;
  }
  auto oldest = std::min_element(entries.begin(), entries.end(),
                                 [](const Entry &a, const Entry &b) { return a.lastUse < b.lastUse; });
  // The driver keeps a graph that still runs until it is done, and memory waits for the queue before it goes.
  Status destroyed = driver.call(driver.graphExecDestroy, oldest->graph);
  *oldest = {addresses, *graph, uses, std::move(*own)};
  if (!destroyed.ok())
    return destroyed;
  return graph;
}

ErrorOr<GraphExecHandle> GraphCache::capture(StreamHandle stream, const std::function<Status()> &issue) const {
  if (Status begun = driver.call(driver.streamBeginCapture, stream, CaptureMode::ThreadLocal); !begun.ok())
    return begun;
  Status issued = issue();
  // Ends the capture whatever happened, or the stream could not be used again.
  GraphHandle graph = nullptr;
  Status ended = driver.call(driver.streamEndCapture, stream, &graph);
  GraphExecHandle exec = nullptr;
  Status made = !issued.ok() ? issued : !ended.ok() ? ended : driver.call(driver.graphInstantiate, &exec, graph, 0ull);
  Status destroyed = graph ? driver.call(driver.graphDestroy, graph) : Status::success();
  if (!made.ok())
    return made;
  if (!destroyed.ok()) {
    (void)driver.call(driver.graphExecDestroy, exec);
    return destroyed;
  }
  return exec;
}

uint64_t GraphCache::residentBytes() const {
  uint64_t bytes = 0;
  for (const Entry &entry : entries)
    bytes += entry.own ? entry.own->size() : 0;
  return bytes;
}

void GraphCache::release() {
  for (const Entry &entry : entries)
    (void)driver.call(driver.graphExecDestroy, entry.graph);
  entries.clear();
}
