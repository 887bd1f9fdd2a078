// A planned program as a list of commands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_KERNELS_MEMORY_LAUNCHPLAN_H
#define MP_KERNELS_MEMORY_LAUNCHPLAN_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mp/Executable/Executable.h"
#include "mp/IR/MP.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace mp {

/// A planned program, in the executable's own terms. What is updated in place is two buffers of its launch, as input
/// and as result, both ReadWrite; results of a kernel with a guard are ReadWrite, too, since a skipped step keeps what
/// lies there.
struct LaunchPlan {
  /// In order. A launch names its kernel, with the buffers of its inputs, then of its results, and has no code yet.
  std::vector<std::unique_ptr<executable::CommandT>> commands;
  /// The kernels of the launches, in order.
  std::vector<KernelOp> kernels;
  uint64_t arenaBytes = 0;
  /// Data of constants that are no splat inside a kernel, each at a multiple of 64.
  std::vector<std::byte> constants;
  /// Arena and state of the program.
  uint64_t peakBytes = 0;
};

/// The commands of a function that mp-plan-buffers went over; `stateIndex` gives the row of the state table for a name.
/// Emits an error and fails where an op has no buffer or no command, and where a constant's data cannot be read.
mlir::FailureOr<LaunchPlan> buildLaunchPlan(mlir::func::FuncOp func,
                                            llvm::function_ref<uint32_t(llvm::StringRef state)> stateIndex);

} // namespace mp

#endif // MP_KERNELS_MEMORY_LAUNCHPLAN_H
