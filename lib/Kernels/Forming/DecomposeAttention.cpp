// Attention out of products, rows and maps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/Forming/DecomposeAttention.h"

#include "mlir/IR/Remarks.h"
#include "mp/IR/AttentionParts.h"

using namespace mlir;
using namespace mp;

static int64_t countScores(const AttentionSizes &sizes) {
  return sizes.batch * sizes.heads * sizes.queries * sizes.keys;
}

/// Why no kernel walks the keys of `op`; empty where one does.
template <typename Op> static StringRef findObstacle(Op op, bool onCPU) {
  if (!onCPU)
    return "no kernel on a GPU walks the keys";
  if (op.getRng())
    return "no kernel that walks the keys drops any";
  if (countScores(op.getSizes()) == 0)
    return "there are none";
  return elementOf(op.getQuery()).isF64() ? "no kernel has exponentials of f64" : "";
}

/// Says how much memory the scores take that a kernel of its own would not have.
template <typename Op> static void remarkScores(Op op, StringRef why) {
  const int64_t scores = countScores(op.getSizes());
  if (scores == 0)
    return;
  const int64_t bytes = scores * elementOf(op.getLse()).getIntOrFloatBitWidth() / 8;
  remark::missed(op.getLoc(), remark::RemarkOpts::name("Attention").category("mp-decompose"))
      << "scores lie in memory, " + std::to_string(bytes) + " bytes: " + why.str();
}

namespace {

template <typename Op> struct AttentionPattern : OpRewritePattern<Op> {
  AttentionPattern(MLIRContext *context, bool onCPU) : OpRewritePattern<Op>(context), onCPU(onCPU) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const override {
    const StringRef why = findObstacle(op, onCPU);
    if (why.empty())
      return rewriter.notifyMatchFailure(op, "has a kernel of its own");
    remarkScores(op, why);
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    rewriter.replaceOp(op, build(b, op));
    return success();
  }

private:
  static SmallVector<Value> build(ImplicitLocOpBuilder &b, AttentionOp op) {
    auto [result, lse] = AttentionParts(b, op).forward();
    return {result, lse};
  }
  static SmallVector<Value> build(ImplicitLocOpBuilder &b, AttentionGradOp op) {
    auto made = AttentionParts(b, op).gradients(op.getLse(), op.getGradient(), op.getDelta());
    return {made.query, made.key, made.value};
  }

  const bool onCPU;
};

} // namespace

void mp::populateAttentionPatterns(RewritePatternSet &patterns, bool onCPU) {
  patterns.add<AttentionPattern<AttentionOp>, AttentionPattern<AttentionGradOp>>(patterns.getContext(), onCPU);
}
