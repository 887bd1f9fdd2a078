// Schedules of matrix products on GPUs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_KERNELS_SCHEDULE_MATRIXSCHEDULES_H
#define MP_LIB_KERNELS_SCHEDULE_MATRIXSCHEDULES_H

#include "mp/Analysis/MatrixTiles.h"

namespace mp {

/// What products may do that changes their results; by the names of the options, allow-tf32 and so on.
struct ProductOptions {
  bool tf32 = false;                                   ///< operands of f32 in tf32
  bool fp16ReducedPrecisionReduction = false;          ///< sums of parts of k in f16, of f16
  bool bf16ReducedPrecisionReduction = false;          ///< the same of bf16
  bool bf16x3 = false, bf16x6 = false, bf16x9 = false; ///< f32 by so many products of bf16 parts, on CPUs

  /// The products of bf16 parts that a product of f32 may be; 1 for none.
  int64_t productsOfF32() const { return bf16x9 ? 9 : bf16x6 ? 6 : bf16x3 ? 3 : 1; }

  /// The type in which sums of parts of k are stored.
  mlir::Type typeOfParts(mlir::Type element, mlir::Type acc) const {
    return (element.isF16() && fp16ReducedPrecisionReduction) || (element.isBF16() && bf16ReducedPrecisionReduction)
               ? element
               : acc;
  }
};

/// A schedule and the seconds that the cost model gives it.
struct MatrixChoice {
  MmaScheduleAttr schedule;
  double seconds = 0;
};

/// The fastest legal schedule of a product on `chip` by the cost model. A product of one part may be given several
/// (`split_k` of the schedule), if it is worth the sums and the second kernel that they need; one of several keeps
/// them. [4096 x 4096 x 4096], f16 on sm_80 -> 128 x 256; [128 x 512 x 2304] on sm_90 -> several parts.
MatrixChoice chooseMatrixSchedule(const Contraction &product, const Chip &chip, const ProductOptions &options = {});

} // namespace mp

#endif // MP_LIB_KERNELS_SCHEDULE_MATRIXSCHEDULES_H
