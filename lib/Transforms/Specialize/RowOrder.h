// Where the rows of a batch are in open sizes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_TRANSFORMS_SPECIALIZE_ROWORDER_H
#define MP_LIB_TRANSFORMS_SPECIALIZE_ROWORDER_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace mp {

/// An open size is `before` times the batch times `behind`, its index counts them in that order: of [N, 8] as [2N, 4]
/// `behind` is 2, of [3, N] as [3N] `before` is 3. Elements at one index are of one row as long as both are whole
/// numbers.
class RowOrder {
public:
  /// Whether rows meet in what follows from `op`, of which all before it were seen: a reshape puts parts of several
  /// rows at one index, or operands have rows at other places. What an op combines by itself is its own to say.
  bool mixesRows(mlir::Operation *op);
  /// Whether the open size of `value` is the batch itself.
  bool isOfRows(mlir::Value value) const { return orderOf(value) == Order(); }

private:
  struct Order {
    int64_t before = 1, behind = 1;
    bool operator==(const Order &) const = default;
  };
  Order orderOf(mlir::Value value) const { return orders.lookup_or(value, Order()); }
  /// The order of `result` by the elements that are in front of, and of, a row of `operand`; nothing where that splits
  /// rows.
  std::optional<Order> reshaped(mlir::Value operand, mlir::Value result) const;

  llvm::DenseMap<mlir::Value, Order> orders; // of what is not as inputs are
};

/// An op in which rows meet: a row of a result depends on several of the batch, or nobody knows.
struct RowsMeet {
  mlir::Operation *op;
  bool isWeighed; ///< it takes weights for the rows, so that a batch may be filled up
};

/// Those of a function. Where the batch is a number, those that are marked, of which the function itself may be one.
llvm::SmallVector<RowsMeet> opsWhereRowsMeet(mlir::Operation *function);

} // namespace mp

#endif // MP_LIB_TRANSFORMS_SPECIALIZE_ROWORDER_H
