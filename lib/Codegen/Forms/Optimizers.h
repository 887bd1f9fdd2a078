// What forms of optimizers share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of operations is that of the ops' descriptions: each is rounded, and none is fused but where they say so.

#ifndef MP_LIB_CODEGEN_FORMS_OPTIMIZERS_H
#define MP_LIB_CODEGEN_FORMS_OPTIMIZERS_H

#include "Codegen/Forms/Forms.h"

#include "mlir/Dialect/Math/IR/Math.h"

namespace mp {

/// Operations of an update, on values of one type.
struct UpdateArithmetic {
  LaneBuilder &b;
  mlir::Type type;

  mlir::Value constant(const llvm::APFloat &value) { return constant(value.convertToDouble()); }
  mlir::Value constant(double value) { return floatConstant(b, type, value); }
  mlir::Value add(mlir::Value x, mlir::Value y) { return mlir::arith::AddFOp::create(b, x, y); }
  mlir::Value sub(mlir::Value x, mlir::Value y) { return mlir::arith::SubFOp::create(b, x, y); }
  mlir::Value mul(mlir::Value x, mlir::Value y) { return mlir::arith::MulFOp::create(b, x, y); }
  mlir::Value div(mlir::Value x, mlir::Value y) { return mlir::arith::DivFOp::create(b, x, y); }
  /// x * y + z, rounded once.
  mlir::Value fma(mlir::Value x, mlir::Value y, mlir::Value z) { return mlir::math::FmaOp::create(b, x, y, z); }
  /// x - y * z, rounded once.
  mlir::Value subProduct(mlir::Value x, mlir::Value y, mlir::Value z) {
    return fma(mlir::arith::NegFOp::create(b, y), z, x);
  }
  mlir::Value root(mlir::Value x) { return mlir::math::SqrtOp::create(b, x); }
  /// beta * old + (1 - beta) * fresh.
  mlir::Value decay(double beta, mlir::Value old, mlir::Value fresh) {
    return add(mul(constant(beta), old), mul(constant(1 - beta), fresh));
  }
  /// beta * old + (1 - beta) * g * g.
  mlir::Value decaySquare(double beta, mlir::Value old, mlir::Value g) {
    return add(mul(constant(beta), old), mul(mul(constant(1 - beta), g), g));
  }
  /// gradient + weight_decay * parameter.
  mlir::Value decayed(mlir::Value gradient, const llvm::APFloat &weightDecay, mlir::Value parameter) {
    return add(gradient, mul(constant(weightDecay), parameter));
  }
};

/// Where the guard is >= 0 each of `old`, else each of `fresh`.
llvm::SmallVector<mlir::Value> guarded(LaneBuilder &b, mlir::Value guard, mlir::ValueRange old, mlir::ValueRange fresh);

/// Forms of Adam and its kin; those of the others are attached with them.
void attachAdamForms(mlir::MLIRContext *context);

} // namespace mp

#endif // MP_LIB_CODEGEN_FORMS_OPTIMIZERS_H
