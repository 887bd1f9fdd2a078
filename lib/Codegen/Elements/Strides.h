// Walking a tensor with other strides.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plain numbers, no IR: walking a tensor's elements in row-major order while reading an operand whose dimensions have
// other strides (a broadcast has 0, a transpose a permutation).
//
//   result [4, 8], operand [8] broadcast: strides {0, 1}.  Walking by 1: operand walks by 1, in runs of 8.
//   result [4, 8], operand [4, 1]:        strides {1, 0}.  Walking by 1: operand stays, in runs of 8.
//   result [4, 8], operand [8, 4]^T:      strides {1, 4}.  Walking by 1: operand walks by 4, in runs of 8.

#ifndef MP_LIB_CODEGEN_ELEMENTS_STRIDES_H
#define MP_LIB_CODEGEN_ELEMENTS_STRIDES_H

#include "mp/IR/Strides.h"

#include "llvm/ADT/STLExtras.h"

namespace mp {

/// A walk in a tensor: in steps of `stride` elements, evenly in runs of `run` steps that start at multiples of
/// `run * stride`; 0 is a run without end.
struct Walk {
  int64_t stride;
  int64_t run;
};

/// The walk in an operand while the result, of `shape`, is walked by `stride`; a run of 1 where it is not even.
Walk follow(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> operandStrides, int64_t stride);

/// Dimensions of a result that walk an operand as one: `size` of them, each `outer` elements of the result apart.
struct DimensionGroup {
  int64_t size, outer, operandStride;
};

/// The fewest groups for an operand, outermost first, without those that do not move it.
llvm::SmallVector<DimensionGroup, 4> groupDimensions(llvm::ArrayRef<int64_t> shape,
                                                     llvm::ArrayRef<int64_t> operandStrides);

} // namespace mp

#endif // MP_LIB_CODEGEN_ELEMENTS_STRIDES_H
