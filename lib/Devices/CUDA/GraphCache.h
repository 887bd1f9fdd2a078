// Captured graphs of one plan.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_DEVICES_CUDA_GRAPHCACHE_H
#define MP_LIB_DEVICES_CUDA_GRAPHCACHE_H

#include "Devices/CUDA/Memory.h"

#include <functional>
#include <vector>

namespace mp::cuda {

/// The graphs of a plan, one for each set of addresses that it was run on: captured at the first run,
/// launched from then on. Few sets are expected, and the one not used for longest makes room.
class GraphCache {
public:
  explicit GraphCache(const Driver &driver) : driver(driver) {}

  /// Makes what a graph reads that depends on its addresses alone; null for nothing.
  using Prepare = std::function<ErrorOr<std::unique_ptr<Memory>>()>;
  /// Puts commands into the stream, which read what Prepare made.
  using Issue = std::function<Status(const Memory *own)>;

  /// The graph of these addresses; if there is none, one with what `issue` puts into `stream`. It keeps what `prepare`
  /// made.
  ErrorOr<GraphExecHandle> get(const std::vector<DevicePointer> &addresses, StreamHandle stream, const Prepare &prepare,
                               const Issue &issue);

  /// Destroys all, none of which is running.
  void release();

  /// What the graphs keep.
  uint64_t residentBytes() const;

private:
  struct Entry {
    std::vector<DevicePointer> addresses;
    GraphExecHandle graph;
    uint64_t lastUse;
    std::unique_ptr<Memory> own;
  };

  ErrorOr<GraphExecHandle> capture(StreamHandle stream, const std::function<Status()> &issue) const;

  const Driver &driver;
  std::vector<Entry> entries;
  uint64_t uses = 0;
};

} // namespace mp::cuda

#endif // MP_LIB_DEVICES_CUDA_GRAPHCACHE_H
