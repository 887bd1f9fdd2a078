// The error function beside its decay.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_FORMS_ERF_H
#define MP_LIB_CODEGEN_FORMS_ERF_H

#include "Codegen/Forms/Arithmetic.h"
#include "Codegen/Forms/Math.h"

namespace mp {

/// erfcx z = e^(z^2) erfc z for z in [0, 10.3], where it falls from 1 to 0.054: what is left of erfc without its decay.
FloatPair buildErfcx(const Arithmetic &f, FloatPair z);

/// x times the factor 1 + fraction, without its power of two.
mlir::Value timesFraction(const Arithmetic &f, FloatPair x, mlir::Value fraction);

} // namespace mp

#endif // MP_LIB_CODEGEN_FORMS_ERF_H
