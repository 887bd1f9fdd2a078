// Schedules for GPUs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_KERNELS_SCHEDULE_SCHEDULEGPU_H
#define MP_LIB_KERNELS_SCHEDULE_SCHEDULEGPU_H

#include "mp/Hardware/ChipTable.h"
#include "mp/IR/MP.h"
#include "mp/Kernels/Schedule/MatrixSchedules.h"

namespace mp {

/// A chip, and what kernels on it may do that changes results.
struct GPUTarget {
  const Chip &chip;
  ProductOptions products = {};
};

/// The schedule of a kernel, from its kind, its shapes and types. Emits an error where it has none.
mlir::FailureOr<mlir::Attribute> scheduleForGPU(KernelOp kernel, const GPUTarget &target);

/// The kernels that the chip is to run for one: itself, or two where k of a product is cut into parts. The others are
/// replaced. Emits an error where a product has no schedule.
mlir::FailureOr<llvm::SmallVector<KernelOp, 2>> splitForGPU(KernelOp kernel, const GPUTarget &target);

} // namespace mp

#endif // MP_LIB_KERNELS_SCHEDULE_SCHEDULEGPU_H
