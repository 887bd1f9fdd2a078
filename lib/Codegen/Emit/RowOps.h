// Ops over the last dimension, for one row.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_EMIT_ROWOPS_H
#define MP_LIB_CODEGEN_EMIT_ROWOPS_H

#include "Codegen/Emit/Reduce.h"

#include <functional>

namespace mp {

/// Memory for `elements` values of an element type.
using Allocate = std::function<mlir::Value(mlir::Type element, int64_t elements)>;

class RowOps {
public:
  /// Exponentials of a softmax are kept in memory from `allocate` between their sum and their use; without, they are
  /// computed again.
  RowOps(KernelFunction &f, Elements &values, ThreadGroup &group, Allocate allocate)
      : f(f), b(f.b), values(values), group(group), allocate(std::move(allocate)) {}

  /// What the op needs of all rows: the sum of a loss's weights. Before the loop over rows.
  mlir::LogicalResult prepare(mlir::Operation *op);
  /// The one value that reduce_*, argmax or softmax_cross_entropy_rows gives for `row`, in registers.
  mlir::FailureOr<mlir::Value> buildValue(mlir::Operation *op, mlir::Value row);

  /// A row that is computed where it is read.
  struct Row {
    std::function<mlir::FailureOr<mlir::Value>(mlir::Value column, int64_t width)> at; ///< in registers
    bool isEven; ///< whether asking for several lanes is more than asking for each
  };
  /// The row that softmax or a gradient gives for `row`.
  mlir::FailureOr<Row> buildRow(mlir::Operation *op, mlir::Value row);

  /// The number of the first of `size` elements that is larger than all before it, or NaN.
  mlir::FailureOr<mlir::Value> argmaxOf(ArgmaxOp op, int64_t size,
                                        llvm::function_ref<mlir::FailureOr<mlir::Value>(mlir::Value number)> get);

private:
  struct Softmax {
    mlir::Value largest, sum;
    std::function<mlir::FailureOr<mlir::Value>(mlir::Value column, int64_t width)> exponential;
  };

  mlir::FailureOr<mlir::Value> at(mlir::Value tensor, mlir::Value row, mlir::Value column, int64_t width);
  mlir::FailureOr<mlir::Value> crossEntropy(SoftmaxCrossEntropyRowsOp op, mlir::Value row);
  mlir::FailureOr<Softmax> softmax(mlir::Operation *op, mlir::Value logits, mlir::Value row);
  mlir::FailureOr<Row> softmaxGradient(SoftmaxGradOp op, mlir::Value row);
  mlir::FailureOr<mlir::Value> labelOf(mlir::Value labels, mlir::Value row);
  mlir::FailureOr<mlir::Value> shareOf(SoftmaxCrossEntropyGradOp op, mlir::Value row);
  mlir::FailureOr<mlir::Value> sumOfProducts(mlir::Value x, mlir::Value y, mlir::Value row);
  Row rounded(mlir::Operation *op, bool isEven,
              std::function<mlir::FailureOr<mlir::Value>(mlir::Value column, int64_t width)> get);

  KernelFunction &f;
  LaneBuilder &b;
  Elements &values;
  ThreadGroup &group;
  Allocate allocate;
  llvm::DenseMap<mlir::Operation *, mlir::Value> sumsOfWeights, scratch;
};

} // namespace mp

#endif // MP_LIB_CODEGEN_EMIT_ROWOPS_H
