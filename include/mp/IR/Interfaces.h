// The questions asked of every op.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_IR_INTERFACES_H
#define MP_IR_INTERFACES_H

#include "mp/IR/Contraction.h"
#include "mp/IR/Convolution.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/TypeRange.h"

#include "mp/IR/MPEnums.h.inc"

#include "mp/IR/Definition.h" // of the enumerations above

#include <array>

namespace mp {
class ElementLossOpInterface;
} // namespace mp

namespace mp {
/// The order in which dimensions of each operand and result of an op come, as the permutation of a `mp.transpose` of
/// it, or empty where it stays as it is. One of more dimensions than an operand has is that of the operand with sizes
/// of 1 in front.
struct DimensionOrders {
  llvm::SmallVector<llvm::SmallVector<int64_t>> operands, results;

  /// Those of an op of which none is known.
  explicit DimensionOrders(mlir::Operation *op) : operands(op->getNumOperands()), results(op->getNumResults()) {}
};
} // namespace mp

namespace mp::detail {
/// Fills in `orders` by what `OrderOpInterface` says of most ops.
bool inferOrders(mlir::Operation *op, DimensionOrders &orders);

/// Whether `type` is a ranked tensor of f16, bf16 or f32: the types among which autocast chooses.
bool isAutocastTensor(mlir::Type type);

/// Whether an operand or result of `op` that has `type` takes the precision decided for it, unless the op says
/// otherwise: where autocast chooses among such types, and `op` is no contraction that states its types.
bool followsByDefault(mlir::Operation *op, mlir::Type type);

/// The shape of the first operand.
llvm::LogicalResult inferShapeOfFirstOperand(mlir::Operation *op, llvm::SmallVector<int64_t> &shape);

/// Compares the inferred shape with that of the result; emits an error where they contradict.
llvm::LogicalResult verifyShape(mlir::Operation *op);

/// Whether types can be the same: equal, but for sizes that one of the two leaves open.
bool areCompatible(mlir::TypeRange inferred, mlir::TypeRange stated);

/// Whether an operand has an open size: while the batch is open, whether the op sees rows of it.
bool takesOpenSize(mlir::Operation *op);

/// Whether one of these dimensions of the first operand is open.
bool isOpenAlong(mlir::Operation *op, llvm::ArrayRef<int64_t> dimensions);

/// Whether a result has more than one open size, so that rows meet rows: [?x4] x [4x?] -> [?x?].
bool hasSeveralOpenSizes(mlir::Operation *op);

/// Whether a result is open along `dimension`: what counts places there is another in another batch.
bool resultIsOpenAlong(mlir::Operation *op, int64_t dimension);

/// What the definition of `op` says of an operand, all those of a variadic one together.
template <typename Op> Scaling getScalingOf(Op op, unsigned operand) {
  unsigned index = 0;
  for (Scaling scaling : Op::getScalings()) {
    auto [first, count] = op.getODSOperandIndexAndLength(index++);
    if (operand < first + count)
      return scaling;
  }
  llvm_unreachable("the definition has an entry for every operand");
}

/// The type of a loss of such predictions: one f32, or f64.
mlir::RankedTensorType getLossType(mlir::Value prediction);

/// What losses that are a mean of terms have in common: constraints, weights of rows, what follows their precision.
llvm::LogicalResult verifyElementLoss(ElementLossOpInterface op);
mlir::RankedTensorType getRowWeightsTypeOfLoss(ElementLossOpInterface op);
bool followsInLoss(mlir::OpOperand &operand);

/// The mean as ops that are there, and the gradients of its operands.
mlir::Value buildElementLoss(mlir::ImplicitLocOpBuilder &b, ElementLossOpInterface op);
llvm::LogicalResult differentiateElementLoss(ElementLossOpInterface op, mlir::OpBuilder &builder,
                                             llvm::ArrayRef<mlir::Value> results,
                                             llvm::SmallVectorImpl<mlir::Value> &operands);

/// One weight for each row of classes: the first operand's shape without its last dimension, in the loss's element.
mlir::RankedTensorType getWeightsTypeOfClasses(mlir::Operation *op);

/// The last dimension of the first operand; none where that has rank 0.
llvm::SmallVector<int64_t> lastDimension(mlir::Operation *op);

mlir::Type getI32Type(mlir::MLIRContext *context);
mlir::Type getI64Type(mlir::MLIRContext *context);
/// tensor<2xi64>: (seed, step).
mlir::RankedTensorType getRngType(mlir::MLIRContext *context);
} // namespace mp::detail

namespace mp::OpTrait {
/// Refuses discardable attributes without a dialect prefix.
llvm::LogicalResult verifyNoStrayAttributes(mlir::Operation *op);

template <typename ConcreteOp>
class NoStrayAttributes : public mlir::OpTrait::TraitBase<ConcreteOp, NoStrayAttributes> {
public:
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) { return verifyNoStrayAttributes(op); }
};

/// The only result is the first operand.
template <typename ConcreteOp>
class GivesFirstOperand : public mlir::OpTrait::TraitBase<ConcreteOp, GivesFirstOperand> {};

/// Refuses operands and results of more elements than are supported, 2^48.
llvm::LogicalResult verifyCountableValues(mlir::Operation *op);

template <typename ConcreteOp> class CountableValues : public mlir::OpTrait::TraitBase<ConcreteOp, CountableValues> {
public:
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) { return verifyCountableValues(op); }
};

/// Compares the types of results with those that follow from operands and attributes.
llvm::LogicalResult verifyResultTypesFollow(mlir::Operation *op);

template <typename ConcreteOp>
class ResultTypesFollow : public mlir::OpTrait::TraitBase<ConcreteOp, ResultTypesFollow> {
public:
  static llvm::LogicalResult verifyTrait(mlir::Operation *op) { return verifyResultTypesFollow(op); }
};
} // namespace mp::OpTrait

#include "mp/IR/MPAttrInterfaces.h.inc"
#include "mp/IR/MPInterfaces.h.inc"

#endif // MP_IR_INTERFACES_H
