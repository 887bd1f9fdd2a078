// Which types and which bias a matrix product takes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_IR_PRODUCTTYPES_H
#define MP_LIB_IR_PRODUCTTYPES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

#include "mp/IR/Faults.h"

#include "IR/Sizes.h"

namespace mp {

/// Operands of one type, an accumulator that serves it, and a result of either: `acc` is f32 for f16, bf16 and f32
/// (f16 for f16, too), f64 for f64: the op's constraint 1, of `acc` the one of that number. `lhs` and `rhs` are what
/// the op calls its first two operands.
inline llvm::LogicalResult verifyProductTypes(mlir::Operation *op, mlir::Type acc, llvm::StringRef lhs = "lhs",
                                              llvm::StringRef rhs = "rhs", unsigned ofAcc = 1) {
  auto elementOf = [](mlir::Value value) { return mlir::cast<mlir::ShapedType>(value.getType()).getElementType(); };
  mlir::Type element = elementOf(op->getOperand(0)), other = elementOf(op->getOperand(1));
  mlir::Type result = elementOf(op->getResult(0));
  if (other != element)
    return about(violates(op, 1) << "operands differ in type: " << lhs << " has " << element << ", " << rhs << " has "
                                 << other,
                 elementTypesDiffer(0, lhs, 1, rhs));
  const bool accFits = element.isF64() ? acc.isF64() : acc.isF32() || (element.isF16() && acc.isF16());
  if (!accFits)
    return violates(op, ofAcc) << "accumulator " << acc << " does not serve " << element << " operands, expected "
                               << (element.isF64() ? "f64" : "f32");
  if (result != element && result != acc)
    return violates(op, 1) << "result has type " << result << ", expected the operands' " << element
                           << " or the accumulator's " << acc;
  return mlir::success();
}

/// `bias`, which may be null, has one element for each column of a product: the op's constraint of that number.
inline llvm::LogicalResult verifyBias(mlir::Operation *op, unsigned constraint, mlir::Value bias, int64_t columns) {
  if (!bias)
    return mlir::success();
  llvm::ArrayRef<int64_t> shape = mlir::cast<mlir::ShapedType>(bias.getType()).getShape();
  if (shape.size() == 1 && agree(shape[0], columns))
    return mlir::success();
  return violates(op, constraint) << "bias has shape " << describe(shape) << ", expected [" << columns << "]";
}

} // namespace mp

#endif // MP_LIB_IR_PRODUCTTYPES_H
