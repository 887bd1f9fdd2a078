// Arithmetic of addresses.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_FORMS_INDICES_H
#define MP_LIB_CODEGEN_FORMS_INDICES_H

#include "Codegen/Forms/Lanes.h"

#include "mlir/IR/Matchers.h"

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
  /// A number and a constant whose sum is `x`: numbers that differ by constants have the same one.
  std::pair<mlir::Value, int64_t> splitConstant(mlir::Value x) const {
    llvm::APInt own;
    if (mlir::matchPattern(x, mlir::m_ConstantInt(&own)))
      return {i64(0), own.getSExtValue()};
    mlir::Operation *op = x.getDefiningOp();
    if (!mlir::isa_and_nonnull<mlir::arith::AddIOp, mlir::arith::SubIOp, mlir::arith::MulIOp>(op) ||
        !mlir::matchPattern(op->getOperand(1), mlir::m_ConstantInt(&own)))
      return {x, 0};
    auto [number, constant] = splitConstant(op->getOperand(0));
    if (mlir::isa<mlir::arith::MulIOp>(op))
      return {constant == 0 ? x : mul(number, own.getSExtValue()), constant * own.getSExtValue()};
    return {number, mlir::isa<mlir::arith::AddIOp>(op) ? constant + own.getSExtValue() : constant - own.getSExtValue()};
  }
  /// Whether 0 <= x < size.
  mlir::Value isBelow(mlir::Value x, int64_t size) const {
    return b.createOrFold<mlir::arith::CmpIOp>(mlir::arith::CmpIPredicate::ult, x, i64(size));
  }
};

} // namespace mp

#endif // MP_LIB_CODEGEN_FORMS_INDICES_H
