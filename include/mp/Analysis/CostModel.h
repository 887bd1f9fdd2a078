// The seconds that a kernel takes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_ANALYSIS_COSTMODEL_H
#define MP_ANALYSIS_COSTMODEL_H

#include "mp/Hardware/CPULevels.h"
#include "mp/IR/MP.h"

namespace mp {

/// What a kernel does, in plain values.
struct Work {
  /// Operations by ArithmeticType, of contractions and of everything else.
  std::array<double, 4> contractionOperations = {}, mapOperations = {};
  /// Bytes read from and written to memory.
  double bytes = 0;

  Work &operator+=(const Work &other);
};

/// Seconds on one core: the larger of arithmetic and memory traffic, and the launch. Roofline of Williams et al. 2009.
double estimateSeconds(const Work &work, const CPULevel &level);

/// The arithmetic of one op, without traffic: as it is computed where its kernel is scheduled. Nothing for views and
/// data movement.
Work countArithmetic(mlir::Operation *op);

/// The work of `op` as a kernel of its own: it reads its operands and writes its results.
Work countWork(mlir::Operation *op);

/// The work of a kernel: the arithmetic of its body, and the traffic of its inputs and results, each once.
Work countWork(KernelOp kernel);

/// Bytes of a value in memory; an i1 takes one.
int64_t countBytes(mlir::Type type);

} // namespace mp

#endif // MP_ANALYSIS_COSTMODEL_H
