// Squares on their way to a sum.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_TRANSFORMS_AUTOCAST_SUMMEDSQUARES_H
#define MP_LIB_TRANSFORMS_AUTOCAST_SUMMEDSQUARES_H

#include "Transforms/Autocast/ProgramGraph.h"

namespace mp {

/// Makes products of a value with itself f32 whose result reaches a sum or a mean through ops of infer and clear alone,
/// unless a list speaks of them: the sum is f32, but a square is infinite in f16 from 256 on, and a norm written by
/// hand is then 0 without a word.
void widenSummedSquares(ProgramGraph &program);

} // namespace mp

#endif // MP_LIB_TRANSFORMS_AUTOCAST_SUMMEDSQUARES_H
