// Builds what composite ops are made of.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_KERNELS_FORMING_PRIMITIVEBUILDER_H
#define MP_LIB_KERNELS_FORMING_PRIMITIVEBUILDER_H

#include "mlir/IR/PatternMatch.h"
#include "mp/IR/MP.h"

namespace mp {

/// The ops of one decomposition, all at one location.
class PrimitiveBuilder {
public:
  /// Partial results are of `partialBlock` elements each.
  PrimitiveBuilder(mlir::PatternRewriter &rewriter, mlir::Location loc, int64_t partialBlock = 0)
      : rewriter(rewriter), loc(loc), partialBlock(partialBlock) {}

  mlir::Value scalar(double value, mlir::Type element) {
    auto type = mlir::RankedTensorType::get({}, element);
    auto attribute = mlir::DenseElementsAttr::get(type, rewriter.getFloatAttr(element, value));
    return ConstantOp::create(rewriter, loc, type, attribute);
  }
  template <typename Op> mlir::Value binary(mlir::Value lhs, mlir::Value rhs) {
    return Op::create(rewriter, loc, lhs, rhs);
  }
  mlir::Value isGreater(mlir::Value lhs, mlir::Value rhs) {
    return CompareOp::create(rewriter, loc, ComparePredicate::gt, lhs, rhs);
  }
  mlir::Value select(mlir::Value condition, mlir::Value yes, mlir::Value no) {
    return SelectOp::create(rewriter, loc, condition, yes, no);
  }
  /// `rows` where a row's label is not the one that a loss ignores, else 0.
  template <typename LossOp> mlir::Value whereCounted(LossOp op, mlir::Value rows) {
    auto type = mlir::RankedTensorType::get({}, elementOf(op.getLabels()));
    const auto ignored = static_cast<int64_t>(*op.getIgnoreLabel());
    mlir::Value label =
        ConstantOp::create(rewriter, loc, type,
                           mlir::DenseElementsAttr::get(type, rewriter.getIntegerAttr(type.getElementType(), ignored)));
    mlir::Value counts = CompareOp::create(rewriter, loc, ComparePredicate::ne, op.getLabels(), label);
    return SelectOp::create(rewriter, loc, counts, rows, scalar(0, elementOf(rows)));
  }
  /// The weights of a loss, or ones, without the rows that it ignores.
  template <typename LossOp> mlir::Value weightsOfCounted(LossOp op) {
    if (mlir::Value weights = op.getWeights())
      return whereCounted(op, weights);
    mlir::Type wide = elementOf(op.getLogits()).isF64() ? elementOf(op.getLogits()) : rewriter.getF32Type();
    auto type = mlir::RankedTensorType::get(shapeOf(op.getLabels()), wide);
    return whereCounted(op, ConstantOp::create(rewriter, loc, type,
                                               mlir::DenseElementsAttr::get(type, rewriter.getFloatAttr(wide, 1))));
  }
  /// Over all dimensions, to rank 0.
  template <typename ReduceOp> mlir::Value reduce(mlir::Value input) {
    llvm::SmallVector<int64_t> all = llvm::to_vector(llvm::seq<int64_t>(0, typeOf(input).getRank()));
    return all.empty() ? input : mlir::Value(ReduceOp::create(rewriter, loc, input, all));
  }
  mlir::Value nonfiniteBlocks(mlir::Value input) {
    return NonfiniteBlocksOp::create(rewriter, loc, input, partialBlock);
  }
  /// sqrt of the sum of all squares, the partial sums in index order.
  mlir::Value globalNorm(mlir::ValueRange gradients) {
    mlir::Value sum;
    for (mlir::Value gradient : gradients) {
      mlir::Value own = reduce<ReduceSumOp>(SumSquaresBlocksOp::create(rewriter, loc, gradient, partialBlock));
      sum = sum ? binary<AddOp>(sum, own) : own;
    }
    if (!sum)
      return scalar(0, rewriter.getF32Type());
    return SqrtOp::create(rewriter, loc, sum);
  }
  /// The number of the first value that holds an element which is not finite, or -1.
  mlir::Value firstBad(mlir::ValueRange values) {
    auto type = mlir::RankedTensorType::get({}, rewriter.getI32Type());
    if (values.empty())
      return ConstantOp::create(rewriter, loc, type,
                                mlir::DenseElementsAttr::get(type, rewriter.getI32IntegerAttr(-1)));
    llvm::SmallVector<mlir::Value> flags =
        llvm::map_to_vector(values, [&](mlir::Value value) { return nonfiniteBlocks(value); });
    return FirstBadOp::create(rewriter, loc, flags);
  }

private:
  mlir::PatternRewriter &rewriter;
  mlir::Location loc;
  int64_t partialBlock;
};

} // namespace mp

#endif // MP_LIB_KERNELS_FORMING_PRIMITIVEBUILDER_H
