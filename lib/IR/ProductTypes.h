// Which types a matrix product takes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_IR_PRODUCTTYPES_H
#define MP_LIB_IR_PRODUCTTYPES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

#include "mp/IR/Faults.h"

namespace mp {

/// Operands of one type, an accumulator that serves it, and a result of either: `acc` is f32 for f16, bf16 and f32
/// (f16 for f16, too), f64 for f64. `lhs` and `rhs` are what the op calls its first two operands.
inline llvm::LogicalResult verifyProductTypes(mlir::Operation *op, mlir::Type acc, llvm::StringRef lhs = "lhs",
                                              llvm::StringRef rhs = "rhs") {
  auto elementOf = [](mlir::Value value) { return mlir::cast<mlir::ShapedType>(value.getType()).getElementType(); };
  mlir::Type element = elementOf(op->getOperand(0)), other = elementOf(op->getOperand(1));
  mlir::Type result = elementOf(op->getResult(0));
  if (other != element) // matmul (C1), matmul_parts (C1), conv (C1)
    return about(op->emitOpError("operands differ in type: ")
                     << lhs << " has " << element << ", " << rhs << " has " << other,
                 elementTypesDiffer(0, lhs, 1, rhs));
  const bool accFits = element.isF64() ? acc.isF64() : acc.isF32() || (element.isF16() && acc.isF16());
  if (!accFits) // matmul (C5), matmul_parts (C1), conv (C1)
    return op->emitOpError("accumulator ")
           << acc << " does not serve " << element << " operands, expected " << (element.isF64() ? "f64" : "f32");
  if (result != element && result != acc) // matmul (C1), matmul_parts (C1), conv (C1)
    return op->emitOpError("result has type ")
           << result << ", expected the operands' " << element << " or the accumulator's " << acc;
  return mlir::success();
}

} // namespace mp

#endif // MP_LIB_IR_PRODUCTTYPES_H
