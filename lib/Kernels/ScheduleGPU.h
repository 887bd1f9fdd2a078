//===- ScheduleGPU.h - schedules for GPUs ------------------------------------------------------------*- C++ -*-===//

#ifndef MP_LIB_KERNELS_SCHEDULEGPU_H
#define MP_LIB_KERNELS_SCHEDULEGPU_H

#include "mp/Analysis/ChipTable.h"
#include "mp/IR/MP.h"

namespace mp {

/// The schedule of a kernel on `chip`, from its kind, its shapes and types. Emits an error where it has none.
mlir::FailureOr<mlir::Attribute> scheduleForGPU(KernelOp kernel, const Chip &chip);

} // namespace mp

#endif // MP_LIB_KERNELS_SCHEDULEGPU_H
