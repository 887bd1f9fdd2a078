// Arithmetic of addresses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_FORMS_INDICES_H
#define MP_LIB_CODEGEN_FORMS_INDICES_H

#include "Codegen/Forms/Lanes.h"

namespace mp {

/// Integers of addresses, in one lane.
struct Indices {
  LaneBuilder &b;

  mlir::Value i64(int64_t value) const { return intConstant(b, b.getI64Type(), value); }
  mlir::Value add(mlir::Value x, mlir::Value y) const { return b.createOrFold<mlir::arith::AddIOp>(x, y); }
  mlir::Value sub(mlir::Value x, mlir::Value y) const { return b.createOrFold<mlir::arith::SubIOp>(x, y); }
  mlir::Value mul(mlir::Value x, int64_t y) const { return b.createOrFold<mlir::arith::MulIOp>(x, i64(y)); }
  mlir::Value div(mlir::Value x, int64_t y) const {
    return y == 1 ? x : b.createOrFold<mlir::arith::DivUIOp>(x, i64(y));
  }
  mlir::Value rem(mlir::Value x, int64_t y) const {
    return y == 1 ? i64(0) : b.createOrFold<mlir::arith::RemUIOp>(x, i64(y));
  }
  mlir::Value clamp(mlir::Value x, int64_t size) const {
    mlir::Value atLeast = b.createOrFold<mlir::arith::MaxSIOp>(x, i64(0));
    return b.createOrFold<mlir::arith::MinSIOp>(atLeast, i64(size - 1));
  }
  /// Whether 0 <= x < size.
  mlir::Value isBelow(mlir::Value x, int64_t size) const {
    return b.createOrFold<mlir::arith::CmpIOp>(mlir::arith::CmpIPredicate::ult, x, i64(size));
  }
};

} // namespace mp

#endif // MP_LIB_CODEGEN_FORMS_INDICES_H
