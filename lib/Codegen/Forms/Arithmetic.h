// Float operations of elementary functions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_FORMS_ARITHMETIC_H
#define MP_LIB_CODEGEN_FORMS_ARITHMETIC_H

#include "Codegen/Forms/Lanes.h"

#include "mlir/Dialect/Math/IR/Math.h"

namespace mp {

/// Operations on f32 lanes of one width, or f64 lanes where no bits are touched: each call is one operation and one
/// rounding, and nothing contracts them.
class Arithmetic {
public:
  /// Works on lanes of the type of `like`.
  Arithmetic(LaneBuilder &b, mlir::Value like) : b(b), type(like.getType()) {}

  /// The float nearest to `value`, and the one nearest to what that leaves: together good for 48 bits.
  mlir::Value constant(double value) const { return floatConstant(b, type, value); }
  mlir::Value lowConstant(double value) const { return constant(value - static_cast<float>(value)); }

  mlir::Value add(mlir::Value x, mlir::Value y) const { return mlir::arith::AddFOp::create(b, x, y); }
  mlir::Value sub(mlir::Value x, mlir::Value y) const { return mlir::arith::SubFOp::create(b, x, y); }
  mlir::Value mul(mlir::Value x, mlir::Value y) const { return mlir::arith::MulFOp::create(b, x, y); }
  mlir::Value div(mlir::Value x, mlir::Value y) const { return mlir::arith::DivFOp::create(b, x, y); }
  /// x y + z, rounded once.
  mlir::Value fma(mlir::Value x, mlir::Value y, mlir::Value z) const { return mlir::math::FmaOp::create(b, x, y, z); }
  mlir::Value negate(mlir::Value x) const { return withBits<mlir::arith::XOrIOp>(x, kSignBit); }

  /// The polynomial in `x` with these coefficients, of the highest power first, by Horner's rule.
  mlir::Value polynomial(mlir::Value x, llvm::ArrayRef<double> coefficients) const {
    mlir::Value sum = constant(coefficients.front());
    for (double coefficient : coefficients.drop_front())
      sum = fma(sum, x, constant(coefficient));
    return sum;
  }
  /// The same with each product rounded: of f64, for which not every target has an fma.
  mlir::Value polynomialInSteps(mlir::Value x, llvm::ArrayRef<double> coefficients) const {
    mlir::Value sum = constant(coefficients.front());
    for (double coefficient : coefficients.drop_front())
      sum = add(mul(sum, x), constant(coefficient));
    return sum;
  }

  mlir::Value isLess(mlir::Value x, double bound) const {
    return mlir::arith::CmpFOp::create(b, mlir::arith::CmpFPredicate::OLT, x, constant(bound));
  }
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y) const {
    return mlir::arith::SelectOp::create(b, condition, x, y);
  }
  /// The smaller of `x` and `bound`; NaN stays NaN.
  mlir::Value atMost(mlir::Value x, double bound) const {
    mlir::Value limit = constant(bound);
    mlir::Value isBeyond = mlir::arith::CmpFOp::create(b, mlir::arith::CmpFPredicate::OGT, x, limit);
    return select(isBeyond, limit, x);
  }

  mlir::Value magnitude(mlir::Value x) const { return withBits<mlir::arith::AndIOp>(x, ~kSignBit); }
  /// `magnitude`, which is not negative, with the sign of `x`.
  mlir::Value withSign(mlir::Value magnitude, mlir::Value x) const {
    mlir::Type bits = integerTwin(type);
    mlir::Value sign = mlir::arith::AndIOp::create(b, toBits(x), intConstant(b, bits, kSignBit));
    return mlir::arith::BitcastOp::create(b, type, mlir::arith::OrIOp::create(b, toBits(magnitude), sign));
  }

private:
  static constexpr int64_t kSignBit = 0x80000000;

  mlir::Value toBits(mlir::Value x) const { return mlir::arith::BitcastOp::create(b, integerTwin(type), x); }
  template <typename BitOp> mlir::Value withBits(mlir::Value x, int64_t mask) const {
    mlir::Value changed = BitOp::create(b, toBits(x), intConstant(b, integerTwin(type), mask));
    return mlir::arith::BitcastOp::create(b, type, changed);
  }

  LaneBuilder &b;
  mlir::Type type;
};

/// A value as the sum of two floats, the second at most a few units in the last place of the first.
struct FloatPair {
  mlir::Value high, low;
};

/// x y exactly, where nothing is subnormal.
inline FloatPair exactProduct(const Arithmetic &f, mlir::Value x, mlir::Value y) {
  mlir::Value product = f.mul(x, y);
  return {product, f.fma(x, y, f.negate(product))};
}

} // namespace mp

#endif // MP_LIB_CODEGEN_FORMS_ARITHMETIC_H
