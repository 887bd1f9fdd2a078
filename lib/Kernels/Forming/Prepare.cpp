// Movements where kernels can take them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/Forming/Prepare.h"

#include "mp/IR/MP.h"

using namespace mlir;
using namespace mp;

Value mp::getElementwiseSource(Operation *op) {
  auto kernelOp = dyn_cast<KernelOpInterface>(op);
  if (!kernelOp || kernelOp.getKernelRole() != KernelRole::Map || op->getNumResults() != 1)
    return {};
  Value source;
  for (OpOperand &use : op->getOpOperands()) {
    Value operand = use.get();
    if (typeOf(operand).getRank() == 0)
      continue;
    if (source || readsWhole(use) || typeOf(operand).getShape() != typeOf(op->getResult(0)).getShape())
      return {};
    source = operand;
  }
  return source;
}

Value mp::cloneOn(OpBuilder &b, Operation *op, Value source) {
  Operation *clone = b.clone(*op);
  clone->replaceUsesOfWith(getElementwiseSource(op), source);
  clone->getResult(0).setType(typeOf(op->getResult(0)).clone(typeOf(source).getShape()));
  return clone->getResult(0);
}

namespace {

/// reshape(relu(x)) -> relu(reshape(x))
struct HoistReshape : OpRewritePattern<ReshapeOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(ReshapeOp op, PatternRewriter &rewriter) const override {
    Operation *producer = op.getInput().getDefiningOp();
    Value source = producer && producer->hasOneUse() ? getElementwiseSource(producer) : Value();
    if (!source)
      return rewriter.notifyMatchFailure(op, "follows no elementwise op that serves it alone");
    Type type = op.getType().clone(typeOf(source).getElementType());
    Value view = ReshapeOp::create(rewriter, op.getLoc(), type, source);
    rewriter.replaceOp(op, cloneOn(rewriter, producer, view));
    return success();
  }
};

/// matmul(cast(transpose(x)), y) -> matmul(cast(x), y) transpose_lhs
struct FoldTranspose : OpInterfaceRewritePattern<ContractionOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(ContractionOpInterface op, PatternRewriter &rewriter) const override {
    if (!op.takesTransposes())
      return rewriter.notifyMatchFailure(op, "reads its operands as they are");
    Value lhs = withoutTranspose(rewriter, op->getOperand(0)), rhs = withoutTranspose(rewriter, op->getOperand(1));
    if (!lhs && !rhs)
      return rewriter.notifyMatchFailure(op, "no operand is the transpose of a matrix");
    rewriter.modifyOpInPlace(op, [&] {
      if (lhs)
        op.readTransposed(op->getOpOperand(0), lhs);
      if (rhs)
        op.readTransposed(op->getOpOperand(1), rhs);
    });
    return success();
  }

private:
  static bool swapsMatrix(TransposeOp op) {
    ArrayRef<int64_t> permutation = op.getPermutation();
    int64_t rank = permutation.size();
    for (int64_t i = 0; i + 2 < rank; ++i)
      if (permutation[i] != i)
        return false;
    return rank >= 2 && permutation[rank - 1] == rank - 2;
  }

  /// The value with the last two dimensions as they were before a transpose, or null.
  static Value withoutTranspose(PatternRewriter &rewriter, Value value) {
    static constexpr unsigned kLongestChain = 8;
    SmallVector<Operation *> chain;
    while (true) {
      if (auto transpose = value.getDefiningOp<TransposeOp>()) {
        if (!swapsMatrix(transpose))
          return {};
        value = transpose.getInput();
        break;
      }
      Operation *op = value.getDefiningOp();
      Value source = op && op->hasOneUse() && chain.size() < kLongestChain ? getElementwiseSource(op) : Value();
      if (!source)
        return {};
      chain.push_back(op);
      value = source;
    }
    for (Operation *op : llvm::reverse(chain)) {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPoint(op);
      value = cloneOn(rewriter, op, value);
    }
    return value;
  }
};

} // namespace

void mp::populatePreparePatterns(RewritePatternSet &patterns) {
  patterns.add<HoistReshape, FoldTranspose>(patterns.getContext());
}
