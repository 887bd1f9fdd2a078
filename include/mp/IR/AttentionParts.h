// Attention in ops that it could be written in.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_IR_ATTENTIONPARTS_H
#define MP_IR_ATTENTIONPARTS_H

#include "mp/IR/MP.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mp {

/// What mp.attention and its gradient are made of, with the roundings that their descriptions state. Scores and what is
/// made of them are [B, H, T, S], in the type of sums.
class AttentionParts {
public:
  template <typename Op>
  AttentionParts(mlir::ImplicitLocOpBuilder &b, Op op)
      : b(b), query(op.getQuery()), key(op.getKey()), value(op.getValue()), mask(op.getMask()), rng(op.getRng()),
        isCausal(op.getCausal()), factor(op.getFactor()), rate(op.getRate().convertToDouble()),
        stream(static_cast<int64_t>(op.getStream())), sizes(op.getSizes()), wide(elementOf(op.getLse())) {}

  /// Of the forward operation.
  struct Forward {
    mlir::Value result, lse;
  };
  Forward forward();

  struct Gradients {
    mlir::Value query, key, value;
    /// In scores before they are scaled, each.
    mlir::Value scores;
  };
  Gradients gradients(mlir::Value lse, mlir::Value gradient, mlir::Value delta);

private:
  mlir::Value scalar(double value);
  mlir::Value minusInfinity();
  mlir::Value equals(mlir::Value value, mlir::Value other);
  mlir::Value select(mlir::Value condition, mlir::Value yes, mlir::Value no);
  mlir::Value narrow(mlir::Value value) { return castTo(b, value, elementOf(query)); }
  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<int64_t> shape);
  /// The rows of all heads that share a key as rows of one matrix, and back.
  mlir::Value together(mlir::Value value);
  mlir::Value apart(mlir::Value value);
  /// A product of matrices, of which the left may be read transposed, or the right.
  mlir::Value product(mlir::Value lhs, mlir::Value rhs, bool transposeLhs, bool transposeRhs, mlir::Type element);

  mlir::Value scores();
  /// What dropout leaves of values of scores.
  mlir::Value drop(mlir::Value values);

  mlir::ImplicitLocOpBuilder &b;
  mlir::Value query, key, value, mask, rng;
  bool isCausal;
  double factor, rate;
  int64_t stream;
  AttentionSizes sizes;
  mlir::Type wide; ///< of sums
};

} // namespace mp

#endif // MP_IR_ATTENTIONPARTS_H
