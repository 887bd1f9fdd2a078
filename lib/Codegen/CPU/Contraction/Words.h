// The words that operands of a product are packed in.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_CPU_CONTRACTION_WORDS_H
#define MP_LIB_CODEGEN_CPU_CONTRACTION_WORDS_H

#include "Codegen/Forms/Lanes.h"

namespace mp {

/// The same lanes of words, one value for each part of the elements in them.
using Words = llvm::SmallVector<mlir::Value, 3>;

/// The neighbours of `element` in one word: one where that is a number, as fma multiplies it.
int64_t elementsOfWord(mlir::Type word, mlir::Type element);

/// Splits f32 lanes, which hold values of `element`, into `parts` bf16, in f32 lanes, the largest first: each is the
/// bf16 nearest to what those before leave, and none of a finite value is infinite. Two of f16 and three of f32 add up
/// to it exactly, but for what is below the least bf16; two of f32 to within 2^-17 of it. Of infinities and NaN the
/// others are 0.
Words splitIntoParts(LaneBuilder &b, mlir::Value lanes, mlir::Type element, int64_t parts);

/// Words of two bf16 or f16 each, `element` or parts of it, from the f32 lanes that hold the lower and the upper
/// halves.
Words joinPairs(LaneBuilder &b, mlir::Type element, int64_t parts, mlir::Value low, mlir::Value high);

/// The bits of elements of 16 bits, one value for each part, from the f32 lanes that hold them.
Words halvesOf(LaneBuilder &b, mlir::Type element, int64_t parts, mlir::Value lanes);

} // namespace mp

#endif // MP_LIB_CODEGEN_CPU_CONTRACTION_WORDS_H
