// Which values ops read through transposes, and in which orders of dimensions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_TRANSFORMS_CANCELTRANSPOSES_ORDERGRAPH_H
#define MP_LIB_TRANSFORMS_CANCELTRANSPOSES_ORDERGRAPH_H

#include "mp/IR/Orders.h"

#include "llvm/ADT/MapVector.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace mp {

using Order = llvm::SmallVector<int64_t>;
/// An order without the sizes of 1, which a reshape moves for nothing: where two orders have one layout, the bytes are
/// the same.
using Layout = llvm::SmallVector<int64_t>;
using OpOrders = llvm::MapVector<mlir::Operation *, DimensionOrders>;

/// An operand that is a tensor or the transpose of one.
struct TensorRead {
  mlir::OpOperand *use; ///< null for regions inside, which read the value as it is
  mlir::Value value;
  Order permutation; ///< dimension i of `value` is dimension permutation[i] of the tensor
  Order order;       ///< in which the tensor is read
  Layout layout;     ///< that of `order`
  /// Another that the op reads as well: a product those of a matrix and of its transpose.
  std::optional<Layout> alternative;
};

/// A value that is no transpose, or that another block makes, and who reads it.
struct GraphTensor {
  mlir::Value value;
  mlir::Block *block; ///< of the readers
  Order order;        ///< in which it is made
  Layout layout;      ///< that of `order`
  double elements;    ///< an open size counts as 1
  bool isConstant;    ///< known in any order
  llvm::SmallVector<TensorRead, 2> reads;
  /// Of the tensor, which the reads go through, each with its permutation of the tensor's dimensions.
  llvm::SmallVector<std::pair<TransposeOp, Order>, 1> transposes;

  bool isMadeHere() const { return mlir::Value(value).getParentBlock() == block; }
  Layout layoutOf(llvm::ArrayRef<int64_t> order) const;
};

/// How many transposes tensors need.
struct TransposeCost {
  size_t transposes = 0; ///< that move elements
  double elements = 0;   ///< that they move
  size_t all = 0;        ///< with those that products read without moving anything

  void operator+=(const TransposeCost &other);
  /// Whether this is better: fewer transposes, or as many of fewer elements, and no more in the text.
  bool isBelow(const TransposeCost &other) const;
};

/// The transposes of a function as facts: no transpose is among its ops, and each op computes in an order that can be
/// another than the one it is written in. A transpose with attributes of its own is an op as others are, and so is the
/// border of a region, since autocast is told on both what to round.
class OrderGraph {
public:
  explicit OrderGraph(mlir::func::FuncOp func);

  llvm::ArrayRef<GraphTensor> getTensors() const { return tensors; }
  /// The tensor that an operand reads, or null where it is none.
  const GraphTensor *findRead(mlir::OpOperand &use) const;
  size_t indexOf(const GraphTensor &tensor) const { return &tensor - tensors.data(); }
  /// The tensor that a result is, or null where it is a transpose of one.
  const GraphTensor *findMade(mlir::Value value) const;
  const TensorRead &getRead(mlir::OpOperand &use) const;

  /// The order of the tensor that an operand has in an order of the operand, of which an empty one is its own.
  static Order orderOf(const TensorRead &read, llvm::ArrayRef<int64_t> order);
  /// The layout in which an operand is read if its op computes in these orders.
  Layout layoutIn(mlir::OpOperand &use, const DimensionOrders &orders) const;
  /// The order in which a result is made if its op computes in these orders.
  static Order orderIn(mlir::OpResult result, const DimensionOrders &orders);

  /// What a tensor costs if ops compute in `others`, and in their orders if they are not among those.
  TransposeCost costOf(const GraphTensor &tensor, const OpOrders &others) const;
  /// Has ops compute in these orders.
  void assign(const OpOrders &others);
  /// The ops that do not compute as they are written, and how they do.
  const OpOrders &getOrders() const { return orders; }
  /// How many operands and results ops have.
  size_t countValues() const { return reads.size() + tensors.size(); }

private:
  size_t addTensor(mlir::Value value, mlir::Block *block);
  size_t findOrAddTensor(mlir::Value value, mlir::Block *block, Order &permutation);
  void addRead(mlir::OpOperand &use);

  std::vector<GraphTensor> tensors;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Block *>, size_t> tensorOf;
  llvm::DenseMap<mlir::OpOperand *, std::pair<size_t, size_t>> reads;
  OpOrders orders;
};

/// Whether a transpose may be made another: it has no attributes but its own.
bool isMovable(TransposeOp op);

/// The value of a constant that is known in any order, or null: the same everywhere, or small.
mlir::DenseElementsAttr findMovableConstant(mlir::Value value);

} // namespace mp

#endif // MP_LIB_TRANSFORMS_CANCELTRANSPOSES_ORDERGRAPH_H
