// What rules of derivatives are made of.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_IR_DERIVATIVEPARTS_H
#define MP_LIB_IR_DERIVATIVEPARTS_H

#include "mp/IR/MP.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mp::derivatives {

using LocBuilder = mlir::ImplicitLocOpBuilder;
using Gradients = llvm::SmallVectorImpl<mlir::Value>;

inline bool isFloat(mlir::Value value) { return llvm::isa<mlir::FloatType>(typeOf(value).getElementType()); }

/// A constant without dimensions, which broadcasts, of the element type of `like`.
mlir::Value scalar(LocBuilder &b, mlir::Value like, double value);

inline mlir::Value add(LocBuilder &b, mlir::Value lhs, mlir::Value rhs) { return AddOp::create(b, lhs, rhs); }
inline mlir::Value sub(LocBuilder &b, mlir::Value lhs, mlir::Value rhs) { return SubOp::create(b, lhs, rhs); }
inline mlir::Value mul(LocBuilder &b, mlir::Value lhs, mlir::Value rhs) { return MulOp::create(b, lhs, rhs); }
inline mlir::Value div(LocBuilder &b, mlir::Value lhs, mlir::Value rhs) { return DivOp::create(b, lhs, rhs); }

/// A product with -1: a difference from 0 would make +0 of +0.
mlir::Value negate(LocBuilder &b, mlir::Value value);

inline mlir::Value compare(LocBuilder &b, ComparePredicate predicate, mlir::Value lhs, mlir::Value rhs) {
  return CompareOp::create(b, predicate, lhs, rhs);
}
inline mlir::Value select(LocBuilder &b, mlir::Value condition, mlir::Value ifTrue, mlir::Value ifFalse) {
  return SelectOp::create(b, condition, ifTrue, ifFalse);
}

mlir::Value reshapeTo(LocBuilder &b, mlir::Value value, llvm::ArrayRef<int64_t> shape);

/// Sums `gradient` over the dimensions along which a value of type `target` was repeated, in f32 with one rounding.
// tensor<4x8xf16> to tensor<1x8xf16>: reduce_sum over [0], then reshape.
mlir::Value sumTo(LocBuilder &b, mlir::Value gradient, mlir::RankedTensorType target);

/// The shape of `type` with size 1 in `dimensions`.
llvm::SmallVector<int64_t> keptShape(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> dimensions);

/// Repeats `value`, a reduction of `input` over `dimensions`, along them.
mlir::Value spread(LocBuilder &b, mlir::Value value, mlir::RankedTensorType input, llvm::ArrayRef<int64_t> dimensions);

} // namespace mp::derivatives

#endif // MP_LIB_IR_DERIVATIVEPARTS_H
