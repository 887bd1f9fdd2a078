// What generated code calls.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Each function has the signature of SimulatorFunction and is described at its entry in mp/Executable/Simulator.h.
// Those that a whole warp executes are gathered first (Warp.h) and computed once for all lanes.

#ifndef MP_LIB_DEVICES_SIMT_FUNCTIONS_H
#define MP_LIB_DEVICES_SIMT_FUNCTIONS_H

#include "Devices/SIMT/Block.h"

namespace mp {

/// All functions, by SimulatorEntry.
const SimulatorFunction *simulatorFunctions();

/// What a function is called with, the context as what it is.
struct Call {
  SimulatedThread &thread;
  const SimulatorSite *site;
  const void *operands;
  void *results;

  SimulatedBlock &block() const { return *thread.home; }
  uint32_t immediate(unsigned index) const { return site->immediates[index]; }
  template <typename T> const T &as() const { return *static_cast<const T *>(operands); }
  template <typename T> T &result() const { return *static_cast<T *>(results); }

  /// Comes together with the other lanes of `mask`.
  void meet(uint32_t mask, Collective compute, Convergence convergence) const {
    block().warps[thread.warp].meet(thread, site, operands, results, mask, compute, convergence);
  }
};

// Synchronization.cpp
void barrier(const Call &call);
void barrierArrive(const Call &call);
void syncWarp(const Call &call);
void clusterArrive(const Call &call);
void clusterWait(const Call &call);
void sleep(const Call &call);
void vote(const Call &call);
void elect(const Call &call);
void reduce(const Call &call);

// Movement.cpp
void shuffle(const Call &call);
void asyncCopy(const Call &call);
void asyncCommit(const Call &call);
void asyncWait(const Call &call);
void convertTF32(const Call &call);
void narrow(const Call &call);
void load(const Call &call);
void store(const Call &call);
void atomic(const Call &call);

/// Lets copies of `thread` land, oldest first, until `groups` committed groups are left.
void landCopies(SimulatedThread &thread, uint32_t groups);

// Matrix.cpp
void loadMatrix(const Call &call);
void storeMatrix(const Call &call);
void multiply(const Call &call);

// Fragments.cpp
void fragmentLoad(const Call &call);
void fragmentStore(const Call &call);
void fragmentMultiply(const Call &call);

} // namespace mp

#endif // MP_LIB_DEVICES_SIMT_FUNCTIONS_H
