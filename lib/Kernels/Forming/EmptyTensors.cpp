// What ops make of no elements.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The types say it all: an op whose results have no elements computes nothing, and one that reduces an operand of no
// elements gives what its reduction begins with, as in NumPy.

#include "Kernels/Forming/EmptyTensors.h"

#include "mp/IR/Views.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <limits>

using namespace mlir;
using namespace mp;

static bool isEmpty(Value value) { return typeOf(value).getNumElements() == 0; }

static Value splat(PatternRewriter &rewriter, Location loc, RankedTensorType type, double value) {
  Type element = type.getElementType();
  Attribute one = isa<FloatType>(element) ? Attribute(rewriter.getFloatAttr(element, value))
                                          : rewriter.getIntegerAttr(element, static_cast<int64_t>(value));
  return ConstantOp::create(rewriter, loc, type, DenseElementsAttr::get(type, one));
}

namespace {

/// Any op that has no elements as its results.
struct EmptyResults : OpInterfaceRewritePattern<KernelOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(KernelOpInterface op, PatternRewriter &rewriter) const override {
    if (isData(op) || op->getNumResults() == 0 || !llvm::all_of(op->getResults(), isEmpty))
      return rewriter.notifyMatchFailure(op, "computes elements");
    rewriter.replaceOp(op, llvm::map_to_vector(op->getResults(), [&](Value result) -> Value {
                         auto nothing = DenseElementsAttr::get(typeOf(result), ArrayRef<Attribute>());
                         return ConstantOp::create(rewriter, op.getLoc(), typeOf(result), nothing);
                       }));
    return success();
  }
};

/// A reduction of no elements to some.
template <typename Op> struct ReducesNothing : OpRewritePattern<Op> {
  ReducesNothing(MLIRContext *context, double identity) : OpRewritePattern<Op>(context), identity(identity) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    if (!isEmpty(op.getInput()) || isEmpty(op.getResult()))
      return rewriter.notifyMatchFailure(op, "reduces elements");
    rewriter.replaceOp(op, splat(rewriter, op.getLoc(), typeOf(op.getResult()), identity));
    return success();
  }

  const double identity;
};

/// A product over no k: its bias, rounded as the op says.
struct MultipliesNothing : OpInterfaceRewritePattern<ContractionOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(ContractionOpInterface op, PatternRewriter &rewriter) const override {
    Value result = op->getResult(0);
    if (op.getContraction().k != 0 || isEmpty(result))
      return rewriter.notifyMatchFailure(op, "sums products");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    RankedTensorType sumType = typeOf(result).clone(op.getAcc());
    Value sum = splat(rewriter, op.getLoc(), sumType, 0);
    if (Value bias = op.getBias())
      sum = AddOp::create(b, sumType, sum, castTo(b, bias, op.getAcc()));
    rewriter.replaceOp(op, castTo(b, sum, elementOf(result)));
    return success();
  }
};

/// No flags say that nothing was bad, as one that is not set does.
struct ReadsNoFlags : OpRewritePattern<FirstBadOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(FirstBadOp op, PatternRewriter &rewriter) const override {
    if (llvm::none_of(op.getFlags(), isEmpty))
      return rewriter.notifyMatchFailure(op, "reads flags");
    SmallVector<Value> flags(op.getFlags());
    for (Value &each : flags)
      if (isEmpty(each))
        each = splat(rewriter, op.getLoc(), typeOf(each).clone(ArrayRef<int64_t>{1}), 0);
    rewriter.modifyOpInPlace(op, [&] { op.getFlagsMutable().assign(flags); });
    return success();
  }
};

} // namespace

void mp::populateEmptyTensorPatterns(RewritePatternSet &patterns) {
  MLIRContext *context = patterns.getContext();
  patterns.add<EmptyResults, MultipliesNothing, ReadsNoFlags>(context);
  patterns.add<ReducesNothing<ReduceSumOp>>(context, 0.0);
  patterns.add<ReducesNothing<ReduceMeanOp>>(context, std::numeric_limits<double>::quiet_NaN());
  patterns.add<ReducesNothing<ReduceMaxOp>>(context, -std::numeric_limits<double>::infinity());
  patterns.add<ReducesNothing<ReduceMinOp>>(context, std::numeric_limits<double>::infinity());
  patterns.add<ReducesNothing<ReduceProdOp>>(context, 1.0);
}
