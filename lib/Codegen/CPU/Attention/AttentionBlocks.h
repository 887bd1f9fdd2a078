// Blocks of queries and keys: what attention and its gradient share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_CPU_ATTENTION_ATTENTIONBLOCKS_H
#define MP_LIB_CODEGEN_CPU_ATTENTION_ATTENTIONBLOCKS_H

#include "Codegen/CPU/Attention/ScratchProduct.h"

namespace mp {

/// Some neighbours of one dimension, in a loop over blocks of them.
struct Span {
  mlir::Value from, count;
};

/// What emitters of attention do with blocks of one head. All numbers in scratch memory are f32, whatever operands are.
class AttentionBlocks {
public:
  template <typename Op>
  AttentionBlocks(CPUFunction &f, Op op, AttentionScheduleAttr schedule)
      : f(f), b(f.b), values(f.makeElements()), sizes(op.getSizes()), element(elementOf(op.getQuery())),
        blockQueries(schedule.getQueries()), blockKeys(schedule.getKeys()), vector(schedule.getVector()),
        product(f, schedule), mask(op.getMask()), factor(op.getFactor()), isCausal(op.getCausal()) {
    scores = matrix(blockQueries, blockKeys);
    if (mask)
      maskRow = f.allocate(b.getF32Type(), blockKeys);
  }

  CPUFunction &f;
  LaneBuilder &b;
  Elements values;
  const AttentionSizes sizes;
  const mlir::Type element; ///< of queries, keys and values
  const int64_t blockQueries, blockKeys, vector;
  ScratchProduct product;
  ScratchMatrix scores; ///< of a block of queries and one of keys

  /// Scratch memory of `rows` rows of `columns`, in whole vectors.
  ScratchMatrix matrix(int64_t rows, int64_t columns);
  mlir::Value whole(mlir::Value columns) { return f.mul(f.div(f.add(columns, f.i64(vector - 1)), vector), vector); }
  int64_t whole(int64_t columns) const { return llvm::alignTo(columns, vector); }

  /// The memory of an operand, from `index` on.
  mlir::Value operandAt(mlir::Value operand, mlir::Value index);
  mlir::Value loadOperand(mlir::Value operand, mlir::Value index);
  /// `width` neighbours in memory, from `index` on, in registers, and back.
  mlir::Value load(mlir::Type type, mlir::Value pointer, mlir::Value index, int64_t width);
  void store(mlir::Value lanes, mlir::Type type, mlir::Value pointer, mlir::Value index, int64_t width);
  mlir::Value loadOne(mlir::Value pointer, mlir::Value index);
  void storeOne(mlir::Value value, mlir::Value pointer, mlir::Value index);
  mlir::Value loadLanes(const ScratchMatrix &from, mlir::Value row, mlir::Value column);
  void storeLanes(mlir::Value lanes, const ScratchMatrix &to, mlir::Value row, mlir::Value column);
  void fill(const ScratchMatrix &of, int64_t rows, double with);

  /// `rows` rows of `columns` of an operand, the first of which is number `first`.
  struct Rows {
    mlir::Value operand, first, count;
    int64_t columns;
  };
  /// Copies them, and copies their transpose.
  mlir::LogicalResult copy(const Rows &rows, const ScratchMatrix &to);
  mlir::LogicalResult copyTransposed(const Rows &rows, const ScratchMatrix &to);
  /// Rounds rows to a result of the kernel, null where it is not one.
  mlir::LogicalResult writeRows(const ScratchMatrix &from, mlir::Value result, const Rows &like);
  /// The memory of what the kernel yields as `value`; null where it yields no such.
  mlir::Value resultOf(mlir::Value value);

  /// Where a query meets the keys of a block.
  struct Meeting {
    mlir::Value head;  ///< of all batches
    mlir::Value query; ///< in the sequence
    Span keys;
  };
  /// Puts what the mask has for these keys at hand.
  mlir::LogicalResult readMask(const Meeting &at);
  /// Scores, scaled and masked, at `column` of a row of products, and which of these lanes are keys that the query has.
  struct MaskedScores {
    mlir::Value scores, isKey;
  };
  MaskedScores maskedScores(mlir::Value row, mlir::Value column, const Meeting &at);
  mlir::Value scaled(mlir::Value lanes);

  mlir::Value constant(double value) { return floatConstant(b, withLanes(b.getF32Type(), vector), value); }
  mlir::Value scalar(double value) { return floatConstant(b, b.getF32Type(), value); }
  /// `value`, or `instead` where it is `of`.
  mlir::Value replace(mlir::Value value, double of, double instead);

  /// How far the keys go that queries of a block have at all, and which block of queries is the first to have a key.
  mlir::Value endOfKeys(const Span &queries);
  mlir::Value firstQueryOf(const Span &keys);

  /// body(block) over `size` at a time of [from, to).
  mlir::LogicalResult forBlocks(mlir::Value from, mlir::Value to, int64_t size,
                                llvm::function_ref<mlir::LogicalResult(const Span &)> body);

private:
  mlir::Value mask, maskRow;
  const double factor;
  const bool isCausal;
};

/// The emitters of both ops; each gives the number of blocks.
mlir::FailureOr<int64_t> emitAttentionForward(CPUFunction &f, AttentionOp op, AttentionScheduleAttr schedule);
mlir::FailureOr<int64_t> emitAttentionGrad(CPUFunction &f, AttentionGradOp op, AttentionScheduleAttr schedule);

} // namespace mp

#endif // MP_LIB_CODEGEN_CPU_ATTENTION_ATTENTIONBLOCKS_H
