// The mp dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_IR_MP_H
#define MP_IR_MP_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "mp/IR/Attention.h"
#include "mp/IR/Convolution.h"
#include "mp/IR/Interfaces.h"
#include "mp/IR/Panels.h"

#include "mp/IR/MPDialect.h.inc"

#define GET_ATTRDEF_CLASSES
#include "mp/IR/MPAttributes.h.inc"

#define GET_OP_CLASSES
#include "mp/IR/MPOps.h.inc"

namespace mp {
/// The type of a tensor, as every value of a program is one; its element type and shape.
inline mlir::RankedTensorType typeOf(mlir::Value tensor) {
  return llvm::cast<mlir::RankedTensorType>(tensor.getType());
}
inline mlir::Type elementOf(mlir::Value tensor) { return typeOf(tensor).getElementType(); }
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value tensor) { return typeOf(tensor).getShape(); }
inline bool isScalar(mlir::Value tensor) { return typeOf(tensor).getRank() == 0; }

/// `value` as elements of type `element`: itself where they are.
inline mlir::Value castTo(mlir::ImplicitLocOpBuilder &b, mlir::Value value, mlir::Type element) {
  return elementOf(value) == element ? value : CastOp::create(b, typeOf(value).clone(element), value).getResult();
}

/// The role of an op in a kernel, as every op of the dialect has one.
inline KernelRole roleOf(mlir::Operation *op) { return llvm::cast<KernelOpInterface>(op).getKernelRole(); }

/// Whether each element of a result may read any element of this operand, which then lies in memory.
inline bool readsWhole(mlir::OpOperand &operand) {
  auto kernelOp = llvm::dyn_cast<KernelOpInterface>(operand.getOwner());
  return kernelOp && kernelOp.readsWhole(operand);
}

/// Whether `type` is a tensor of floats of any width: what may have a gradient.
inline bool isFloatTensor(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return tensor && llvm::isa<mlir::FloatType>(tensor.getElementType());
}
} // namespace mp

#endif // MP_IR_MP_H
