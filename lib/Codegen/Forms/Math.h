// Our elementary functions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// exp and log of f32, expanded into fma, integer and select ops: the same bits at every width and on every target, at
// most 2 ulp over all inputs, subnormals kept, special values as C99 Annex F. docs/codegen.md has the measured bounds.

#ifndef MP_LIB_CODEGEN_FORMS_MATH_H
#define MP_LIB_CODEGEN_FORMS_MATH_H

#include "Codegen/Forms/Lanes.h"

namespace mp {

/// e^x for f32 lanes. exp(-inf) = 0, exp(inf) = inf, NaN stays NaN.
mlir::Value buildExp(LaneBuilder &b, mlir::Value x);

/// The natural logarithm for f32 lanes. log(+-0) = -inf, log(inf) = inf, log of a negative number is NaN.
mlir::Value buildLog(LaneBuilder &b, mlir::Value x);

} // namespace mp

#endif // MP_LIB_CODEGEN_FORMS_MATH_H
