// Blocks of a simulated launch, over threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_DEVICES_SIMT_GRIDRUNNER_H
#define MP_LIB_DEVICES_SIMT_GRIDRUNNER_H

#include "Devices/Host/Workers.h"
#include "Devices/SIMT/Cluster.h"

#include <memory>
#include <vector>

namespace mp {

/// Runs the clusters of one launch after another on the host's threads, each of which has memory and stacks of its own.
class GridRunner {
public:
  /// On so many threads of the host (0: all).
  GridRunner(const SIMTOptions &options, unsigned threads)
      : settings(options), workers(threads), clusters(workers.count()) {}

  unsigned threads() const { return workers.count(); }

  const SIMTOptions &options() const { return settings; }

  /// Runs all clusters, in any order and at once. Of several with faults the error is that of the first, whatever the
  /// number of threads. Where reads of what was not written are looked for, a byte of a writable buffer that has no
  /// value at the end is an error, too.
  Status run(const SimulatedLaunch &launch);

private:
  SIMTOptions settings;
  Workers workers;
  std::vector<std::unique_ptr<SimulatedCluster>> clusters; // by worker
};

} // namespace mp

#endif // MP_LIB_DEVICES_SIMT_GRIDRUNNER_H
