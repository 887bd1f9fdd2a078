// GPU functions for the host.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_LOWER_SIMT_SIMULATE_H
#define MP_LIB_CODEGEN_LOWER_SIMT_SIMULATE_H

#include "mlir/IR/BuiltinOps.h"

namespace mp {

/// What simulated code reports to the device while it runs.
struct SimulatorChecks {
  /// Every load, store and atomic on global and shared memory, so that the device can look for races, uninitialized
  /// reads and accesses out of bounds. Several times slower.
  bool memory = false;
};

/// Emits an error at each op of a lowered GPU module that no kernel may contain: NVVM ops and forms of them that are
/// not in the table (Table.cpp), inline PTX and assembly, LLVM's NVVM intrinsics, calls, atomics on floats, arithmetic
/// in f16 and bf16, ops of other dialects. Both ways out of the module, PTX and simulator, ask this first.
llvm::LogicalResult verifyNVVM(mlir::ModuleOp module);

/// Rewrites a lowered GPU module (functions `llvm.func @symbol(ptr<1>...) attributes {nvvm.kernel}` of llvm and nvvm
/// ops) in place to plain LLVM dialect for the host, with functions as Simulator.h describes them. Verifies first.
llvm::LogicalResult lowerToSimulator(mlir::ModuleOp module, const SimulatorChecks &checks);

} // namespace mp

#endif // MP_LIB_CODEGEN_LOWER_SIMT_SIMULATE_H
