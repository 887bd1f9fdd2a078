// What an op over rows takes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_IR_ROWTYPES_H
#define MP_LIB_IR_ROWTYPES_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace mp {

/// An operand with one value for each row, which may be null, what errors call it, and the constraint that says so.
struct RowOperand {
  mlir::Value value;
  llvm::StringRef name;
  unsigned constraint = 1;
};

/// The type in which elements of these rows are summed: f64 for f64, else f32.
mlir::Type getWideElement(mlir::Value rows);

/// `rows`, which errors call `name`, have a last dimension of classes, and each operand has their shape without it.
llvm::LogicalResult verifyRows(mlir::Operation *op, mlir::Value rows, llvm::StringRef name,
                               llvm::ArrayRef<RowOperand> operands);

/// `value`, which may be null, has the type in which losses of `rows` are summed.
llvm::LogicalResult verifyLossType(mlir::Operation *op, mlir::Value rows, mlir::Value value, llvm::StringRef name);

/// `epsilon`, the least length of a row, is finite and greater than 0 in the type in which rows are summed.
llvm::LogicalResult verifyLeastLength(mlir::Operation *op, mlir::Value rows, const llvm::APFloat &epsilon);

/// How far from 0 and 1 losses keep probabilities, as Keras does.
inline constexpr double kLeastProbability = 1e-7;

} // namespace mp

#endif // MP_LIB_IR_ROWTYPES_H
