// Running sums out of shifts and additions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/Forming/DecomposeScan.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mp/IR/MP.h"

using namespace mlir;
using namespace mp;

namespace {

/// After the doubling to stretches of 2^n each element is the sum of the 2^n that end with it: as many additions as the
/// logarithm of the size, in an order that no target changes.
struct DecomposeCumsum : OpRewritePattern<CumsumOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(CumsumOp op, PatternRewriter &rewriter) const override {
    const int64_t size = shapeOf(op.getInput())[op.getDimension()];
    if (size == 0)
      return rewriter.notifyMatchFailure(op, "has no elements");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type element = elementOf(op.getInput());
    Value sums = castTo(b, op.getInput(), element.isF64() ? element : b.getF32Type());
    if (op.getExclusive())
      sums = size == 1 ? zerosLike(b, sums) : shift(b, op, sums, 1);
    for (int64_t distance = 1; distance < size; distance *= 2)
      sums = AddOp::create(b, sums, shift(b, op, sums, distance));
    rewriter.replaceOp(op, castTo(b, sums, element));
    return success();
  }

private:
  /// What stands before the one element that there is.
  static Value zerosLike(ImplicitLocOpBuilder &b, Value values) {
    auto type = RankedTensorType::get({}, elementOf(values));
    Value zero = ConstantOp::create(b, type, DenseElementsAttr::get(type, b.getFloatAttr(type.getElementType(), 0)));
    return BroadcastOp::create(b, typeOf(values), zero, Value());
  }

  /// Each element `distance` further along the dimension, or back with `reverse`, behind zeros.
  static Value shift(ImplicitLocOpBuilder &b, CumsumOp op, Value values, int64_t distance) {
    const auto dimension = static_cast<size_t>(op.getDimension());
    const size_t rank = shapeOf(values).size();
    SmallVector<int64_t> starts(rank, 0), limits(rank, SliceOp::kEnd), low(rank, 0), high(rank, 0);
    const SmallVector<int64_t> strides(rank, 1);
    if (op.getReverse())
      starts[dimension] = high[dimension] = distance;
    else
      limits[dimension] = shapeOf(values)[dimension] - (low[dimension] = distance);
    Value kept = SliceOp::create(b, values, starts, limits, strides);
    return PadOp::create(b, kept, low, high, ArrayRef<int64_t>(), APFloat(0.0));
  }
};

} // namespace

void mp::populateScanPatterns(RewritePatternSet &patterns) { patterns.add<DecomposeCumsum>(patterns.getContext()); }
