//===- Reduce.h - ops that look at more than one element ---------------------------*- C++ -*-===//
//
// How one result of a reduction, or one row of a row op, is built from the elements of its operand; the Row, Partial
// and Serial emitters decide where rows and results lie.
//
//===-----------------------------------------------------------------------------------===//

#ifndef MP_CODEGEN_CPU_REDUCE_H
#define MP_CODEGEN_CPU_REDUCE_H

#include "Codegen/CPU/CPUFunction.h"

namespace mp {

/// Sums have this many partial sums whatever the width of registers, so that their bits are the same on every machine.
inline constexpr int64_t kPartialSums = 16;

/// A commutative operation over lanes and the value that changes nothing.
struct Combination {
  mlir::Value identity; ///< one lane
  llvm::function_ref<mlir::Value(mlir::Value, mlir::Value)> combine;
};

/// Combines get(column, width) over columns [from, to): lane l of kPartialSums takes the columns l, l + kPartialSums,
/// ... after `from`; then the lanes' halves are combined until one is left, and the remaining columns are added in
/// order. With `isEven` false all columns are taken in order.
mlir::FailureOr<mlir::Value>
reduceColumns(CPUFunction &f, mlir::Value from, mlir::Value to, bool isEven, Combination combination,
              llvm::function_ref<mlir::FailureOr<mlir::Value>(mlir::Value column, int64_t width)> get);

/// The combination that a reduce_sum, reduce_mean or reduce_max makes of held elements, and what becomes of its result:
/// the division of a mean over `count` elements, and the rounding.
mlir::Value reductionIdentity(LaneBuilder &b, mlir::Operation *op, mlir::Type lanes);
mlir::Value combineReduction(LaneBuilder &b, mlir::Operation *op, mlir::Value x, mlir::Value y);
mlir::Value finishReduction(LaneBuilder &b, mlir::Operation *op, mlir::Value combined, int64_t count);

/// Whether an op reduces by itself or looks at whole rows: what RowOps builds, plus reductions over other dimensions.
bool isReduction(mlir::Operation *op);
/// Whether it gives a row for each row: softmax and the gradients.
bool givesRows(mlir::Operation *op);
/// Whether it is mp.nonfinite_blocks or mp.sum_squares_blocks.
bool isBlocksOp(mlir::Operation *op);

/// Result `index` of a blocks op, held.
mlir::FailureOr<mlir::Value> buildBlockOf(CPUFunction &f, Elements &values, mlir::Operation *op, mlir::Value index);

/// Ops over the last dimension, for one row at a time.
class RowOps {
public:
  RowOps(CPUFunction &f, Elements &values) : f(f), b(f.b), values(values) {}

  /// What the op needs of all rows: the sum of a loss's weights. Before the loop over rows.
  mlir::LogicalResult prepare(mlir::Operation *op);
  /// The one value that reduce_*, argmax or softmax_cross_entropy_rows gives for `row`, held.
  mlir::FailureOr<mlir::Value> buildValue(mlir::Operation *op, mlir::Value row);
  /// Stores the row that softmax or a gradient gives for `row` at `target`.
  mlir::LogicalResult buildRow(mlir::Operation *op, mlir::Value row, mlir::Value target);
  /// The number of the first of `size` elements that is larger than all before it, or NaN.
  mlir::FailureOr<mlir::Value> argmaxOf(ArgmaxOp op, int64_t size,
                                        llvm::function_ref<mlir::FailureOr<mlir::Value>(mlir::Value number)> get);

private:
  using Get = llvm::function_ref<mlir::FailureOr<mlir::Value>(mlir::Value column, int64_t width)>;

  struct Softmax {
    mlir::Value largest, sum, exponentials; ///< the last an address, of lanes in the interior type
  };

  mlir::FailureOr<mlir::Value> at(mlir::Value tensor, mlir::Value row, mlir::Value column, int64_t width);
  mlir::FailureOr<mlir::Value> crossEntropy(SoftmaxCrossEntropyRowsOp op, mlir::Value row);
  mlir::FailureOr<Softmax> softmax(mlir::Operation *op, mlir::Value logits, mlir::Value row);
  mlir::FailureOr<mlir::Value> labelOf(mlir::Value labels, mlir::Value row);
  mlir::FailureOr<mlir::Value> shareOf(SoftmaxCrossEntropyGradOp op, mlir::Value row);
  mlir::FailureOr<mlir::Value> sumOfProducts(mlir::Value x, mlir::Value y, mlir::Value row);
  mlir::LogicalResult storeRow(mlir::Operation *op, mlir::Value row, mlir::Value target, bool isEven, Get get);

  CPUFunction &f;
  LaneBuilder &b;
  Elements &values;
  llvm::DenseMap<mlir::Operation *, mlir::Value> sumsOfWeights, scratch;
};

} // namespace mp

#endif // MP_CODEGEN_CPU_REDUCE_H
