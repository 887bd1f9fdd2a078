// Group normalization out of rows, reductions and maps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/Forming/DecomposeGroupNorm.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mp/IR/MP.h"

using namespace mlir;
using namespace mp;

namespace {

/// The ops of one decomposition: on images as [N, places, groups, channels of a group], or on what is normalized
/// together as a row of [N, groups, places * channels of a group].
class GroupBuilder {
public:
  template <typename Op>
  GroupBuilder(PatternRewriter &rewriter, Op op)
      : b(op.getLoc(), rewriter), wide(elementOf(op.getScale())), images(op.getInput().getType()) {
    ArrayRef<int64_t> shape = images.getShape();
    count = shape.front();
    places = ShapedType::getNumElements(shape.drop_front().drop_back());
    groups = static_cast<int64_t>(op.getGroups());
    channels = shape.back() / groups;
    auto of = LayerNormStatisticsOp::create(b, rows(grouped(op.getInput())), op.getEpsilonAttr());
    mean = of.getMean();
    invStdDev = of.getInvStdDev();
    scale = reshape(op.getScale(), {groups, channels});
  }

  Value widen(Value value) { return castTo(b, value, wide); }
  Value narrow(Value value) { return castTo(b, value, images.getElementType()); }
  Value add(Value lhs, Value rhs) { return AddOp::create(b, lhs, rhs); }
  Value sub(Value lhs, Value rhs) { return SubOp::create(b, lhs, rhs); }
  Value mul(Value lhs, Value rhs) { return MulOp::create(b, lhs, rhs); }
  Value reshape(Value value, ArrayRef<int64_t> shape) {
    return shapeOf(value) == shape ? value : ReshapeOp::create(b, typeOf(value).clone(shape), value).getResult();
  }

  Value grouped(Value image) { return reshape(image, {count, places, groups, channels}); }
  Value asImages(Value grouped) { return reshape(grouped, images.getShape()); }
  Value ofChannels(Value value) { return reshape(value, {groups, channels}); }

  Value rows(Value grouped) { return reshape(exchange(grouped), {count, groups, places * channels}); }
  Value fromRows(Value rows) { return exchange(reshape(rows, {count, groups, places, channels})); }

  /// (x - mean) / deviation. Made anew wherever it is asked for, so that each kernel computes it and none stores it.
  Value normalized(Value input) {
    auto ofGroups = [&](Value row) { return reshape(row, {count, 1, groups, 1}); };
    return mul(sub(widen(grouped(input)), ofGroups(mean)), ofGroups(invStdDev));
  }
  /// Over all but the channels.
  Value sum(Value grouped) { return reshape(ReduceSumOp::create(b, grouped, {0, 1}), {groups * channels}); }

  /// What mp.layer_norm_grad says of the rows, whose scale is in `gradient` already.
  Value ofRows(Value input, Value gradient) {
    auto ones = RankedTensorType::get({places * channels}, wide);
    Value unit = ConstantOp::create(b, ones, DenseElementsAttr::get(ones, b.getFloatAttr(wide, 1)));
    return LayerNormGradOp::create(b, rows(widen(grouped(input))), unit, mean, invStdDev, rows(gradient));
  }

  Value scale;

private:
  /// Places and groups in the other's place; where there is one of either, nothing moves.
  Value exchange(Value value) {
    ArrayRef<int64_t> shape = shapeOf(value);
    if (shape[1] == 1 || shape[2] == 1)
      return reshape(value, {shape[0], shape[2], shape[1], shape[3]});
    return TransposeOp::create(b, value, ArrayRef<int64_t>{0, 2, 1, 3});
  }

  ImplicitLocOpBuilder b;
  Type wide;
  RankedTensorType images;
  int64_t count, places, groups, channels;
  Value mean, invStdDev;
};

struct DecomposeGroupNorm : OpRewritePattern<GroupNormOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(GroupNormOp op, PatternRewriter &rewriter) const override {
    GroupBuilder build(rewriter, op);
    Value scaled = build.mul(build.normalized(op.getInput()), build.scale);
    rewriter.replaceOp(op, build.asImages(build.narrow(build.add(scaled, build.ofChannels(op.getOffset())))));
    return success();
  }
};

struct DecomposeGroupNormGrad : OpRewritePattern<GroupNormGradOp> {
  using Base::Base;

  LogicalResult matchAndRewrite(GroupNormGradOp op, PatternRewriter &rewriter) const override {
    GroupBuilder build(rewriter, op);
    Value gradient = build.widen(build.grouped(op.getGradient()));
    Value ofScale = build.sum(build.mul(gradient, build.normalized(op.getInput())));
    Value ofInput = build.fromRows(build.ofRows(op.getInput(), build.mul(gradient, build.scale)));
    rewriter.replaceOp(op, {build.asImages(build.narrow(ofInput)), ofScale, build.sum(gradient)});
    return success();
  }
};

} // namespace

void mp::populateGroupNormPatterns(RewritePatternSet &patterns) {
  patterns.add<DecomposeGroupNorm, DecomposeGroupNormGrad>(patterns.getContext());
}
