// What elementary functions of f32 have in common that they compute in f64.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Their errors are less than 2^-10 of a unit in the last place of f32, so that the rounding to it is nearly the only
// one.

#ifndef MP_LIB_CODEGEN_FORMS_WIDEMATH_H
#define MP_LIB_CODEGEN_FORMS_WIDEMATH_H

#include "Codegen/Forms/Lanes.h"

namespace mp {

/// f64 lanes with the values of `x`, and f32 lanes nearest to those of `x`.
mlir::Value widen(LaneBuilder &b, mlir::Value x);
mlir::Value narrow(LaneBuilder &b, mlir::Value x);

/// log2 of f64 lanes that are no negative numbers, off by at most 2^-44 of it. -inf of 0.
mlir::Value buildWideLog2(LaneBuilder &b, mlir::Value x);

/// 2^x as (1 + fraction) * power, |fraction| < 1/2: off by at most 2^-42 of it, and so is the fraction.
struct WidePower {
  mlir::Value fraction, power;
};

/// The factors of 2^x of f64 lanes, in the range of f32 and beyond it.
WidePower buildWideExp2(LaneBuilder &b, mlir::Value x);

/// The angle, from 0 to pi, of the point with these coordinates: of f64 lanes with the values of f32, that are not
/// negative; `isLeft` where the abscissa has the other sign.
mlir::Value buildWideAngle(LaneBuilder &b, mlir::Value ordinate, mlir::Value abscissa, mlir::Value isLeft = {});

} // namespace mp

#endif // MP_LIB_CODEGEN_FORMS_WIDEMATH_H
