// Resized images by tables.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/Forming/DecomposeResize.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mp/IR/Resampling.h"

using namespace mlir;
using namespace mp;

namespace {

/// A table of one dimension.
Value constantOf(ImplicitLocOpBuilder &b, const std::vector<int32_t> &values) {
  auto type = RankedTensorType::get(static_cast<int64_t>(values.size()), b.getI32Type());
  return ConstantOp::create(b, DenseElementsAttr::get(type, ArrayRef(values)));
}
Value constantOf(ImplicitLocOpBuilder &b, const std::vector<double> &values, Type element) {
  auto type = RankedTensorType::get(static_cast<int64_t>(values.size()), element);
  auto numbers = llvm::map_to_vector(values, [&](double value) -> Attribute { return b.getFloatAttr(element, value); });
  return ConstantOp::create(b, DenseElementsAttr::get(type, numbers));
}

template <typename Op> struct DecomposeResize : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    const SmallVector<Taps, 3> taps = tapsOf(op);
    if (op.getType() == op->getOperand(0).getType() &&
        llvm::all_of(taps, [](const Taps &own) { return own.areOwn(); })) {
      rewriter.replaceOp(op, op->getOperand(0));
      return success();
    }
    const bool areAsMany = llvm::all_of(taps, [](const Taps &own) { return own.areAsMany(); });
    const bool moves = std::is_same_v<Op, ResizeOp> && op.getMode() == ResizeMode::nearest;
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type wide = elementOf(op.getResult()).isF64() ? b.getF64Type() : b.getF32Type();
    SmallVector<Value, 3> starts, indices, weights;
    for (const Taps &own : taps) {
      if (!areAsMany)
        starts.push_back(constantOf(b, own.starts));
      indices.push_back(constantOf(b, own.indices));
      if (!moves)
        weights.push_back(constantOf(b, own.weights, wide));
    }
    rewriter.replaceOpWithNewOp<ResampleOp>(op, op.getType(), op->getOperand(0), starts, indices, weights);
    return success();
  }
};

} // namespace

void mp::populateResizePatterns(RewritePatternSet &patterns) {
  patterns.add<DecomposeResize<ResizeOp>, DecomposeResize<ResizeGradOp>>(patterns.getContext());
}
