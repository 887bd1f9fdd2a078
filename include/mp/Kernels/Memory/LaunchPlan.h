// A planned program as a list of commands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_KERNELS_MEMORY_LAUNCHPLAN_H
#define MP_KERNELS_MEMORY_LAUNCHPLAN_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mp/IR/MP.h"

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

namespace mp {

/// Where bytes of a program lie, as the executable's schema says it.
struct PlannedSlice {
  enum class Space { Arena, State, Argument, Result, Constant };

  Space space = Space::Arena;
  /// Argument, Result: the number of the function's argument or result.
  unsigned index = 0;
  /// State: its name.
  std::string state;
  /// Arena, Constant: a multiple of 64.
  int64_t offset = 0;
  int64_t bytes = 0;

  bool operator==(const PlannedSlice &) const = default;
};

enum class BufferAccess { Read, Write, ReadWrite };

/// One buffer of a launch. What is updated in place stands there twice, as input and as result, both ReadWrite; results
/// of a kernel with a guard are ReadWrite, too, since a skipped step keeps what lies there.
struct LaunchBuffer {
  PlannedSlice slice;
  BufferAccess access = BufferAccess::Read;
};

/// Run a kernel: its inputs in order, then its results.
struct LaunchCommand {
  KernelOp kernel;
  std::vector<LaunchBuffer> buffers;
  /// Arithmetic operations, and bytes of all buffers, for reports.
  int64_t operations = 0, bytes = 0;
};

struct CopyCommand {
  PlannedSlice source, destination;
};

/// Write `pattern`, `patternBytes` (1, 2, 4 or 8) of it, over the destination.
struct FillCommand {
  PlannedSlice destination;
  uint64_t pattern = 0;
  unsigned patternBytes = 1;
};

using PlanCommand = std::variant<LaunchCommand, CopyCommand, FillCommand>;

/// A planned program. Commands run in order.
struct LaunchPlan {
  std::vector<PlanCommand> commands;
  int64_t arenaBytes = 0;
  /// Data of constants that are no splat inside a kernel, each at a multiple of 64.
  std::vector<std::byte> constants;
  /// Arena and state of the program.
  int64_t peakBytes = 0;
  unsigned kernels = 0;
};

/// The commands of a function that mp-plan-buffers went over. Emits an error and fails where an op has no buffer or no
/// command, and where a constant's data cannot be read.
mlir::FailureOr<LaunchPlan> buildLaunchPlan(mlir::func::FuncOp func);

/// What a program computes in which types. Taken before kernels are formed, it counts each op once; after that, an op
/// that several kernels repeat counts in each.
struct OpStatistics {
  /// Element type and number of ops that compute in it, sorted by name. Constants, casts and data movement count in
  /// none.
  std::vector<std::pair<std::string, unsigned>> opsByType;
  unsigned casts = 0;
};

OpStatistics countOps(mlir::func::FuncOp func);

} // namespace mp

#endif // MP_KERNELS_MEMORY_LAUNCHPLAN_H
