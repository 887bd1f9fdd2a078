// What kernels run on, by name.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_KERNELS_FORMING_MACHINES_H
#define MP_LIB_KERNELS_FORMING_MACHINES_H

#include "mlir/IR/Operation.h"
#include "mp/Hardware/CPULevels.h"
#include "mp/Hardware/ChipTable.h"

namespace mp {

/// A level of CPU features, or a chip; neither where an error at `op` says that nothing is called `name`.
struct Machine {
  Machine(mlir::Operation *op, llvm::StringRef name) : level(findCPULevel(name)), chip(findChip(name)) {
    if (!level && !chip)
      op->emitError("unknown level of CPU features '")
          << name << "'; expected one of " << cpuLevelNames() << "; and " << explainUnknownChip(name);
  }

  /// Elements of one partial result: enough work for a block of a launch, few enough results for one block to read. A
  /// block of a GPU is 256 threads, and what they read of 4096 elements is all under way at once.
  int64_t partialBlock() const { return chip ? 4096 : 32768; }

  const CPULevel *level;
  const Chip *chip;
};

} // namespace mp

#endif // MP_LIB_KERNELS_FORMING_MACHINES_H
