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

/// The ops of a function in which rows meet: a row of a result depends on several of the batch, or nobody knows. Where
/// the batch is a number, those that are marked.
llvm::SmallVector<mlir::Operation *> opsWhereRowsMeet(mlir::Region &body);

/// Whether such an op takes weights for the rows, so that a batch may be filled up.
bool weighsRows(mlir::Operation *op);

} // namespace mp

#endif // MP_LIB_TRANSFORMS_SPECIALIZE_ROWORDER_H
