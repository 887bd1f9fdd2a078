// Attention that walks the keys of some queries.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block has some queries of one head. Of each block of keys it makes the scores, the largest so far and the sum of
// the exponentials so far, and adds the values, weighed by them, to what it has, which it scales down where the largest
// rose.

#include "Codegen/CPU/Attention/AttentionBlocks.h"

#include "Codegen/Emit/Reduce.h"
#include "Codegen/Forms/Math.h"

#include <limits>

using namespace mlir;
using namespace mp;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

namespace {

class Forward {
public:
  Forward(CPUFunction &f, AttentionOp op, AttentionScheduleAttr schedule)
      : own(f, op, schedule), f(f), b(f.b), op(op) {}

  FailureOr<int64_t> emit();

private:
  LogicalResult addKeys(Value head, const Span &queries, const Span &keys);
  LogicalResult weigh(Value row, const AttentionBlocks::Meeting &at);
  LogicalResult finish(Value row, Value number);

  static Value largerOf(LaneBuilder &b, Value x, Value y) {
    return arith::SelectOp::create(b, arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, x, y), x, y);
  }

  AttentionBlocks own;
  CPUFunction &f;
  LaneBuilder &b;
  AttentionOp op;
  ScratchMatrix queries, keys, vals, sums; ///< keys transposed
  Value largest, total;                    ///< of each query, so far
};

} // namespace

FailureOr<int64_t> Forward::emit() {
  const AttentionSizes &sizes = own.sizes;
  queries = own.matrix(own.blockQueries, sizes.depth);
  keys = own.matrix(sizes.depth, own.blockKeys);
  vals = own.matrix(own.blockKeys, sizes.columns);
  sums = own.matrix(own.blockQueries, sizes.columns);
  largest = f.allocate(b.getF32Type(), own.whole(own.blockQueries));
  total = f.allocate(b.getF32Type(), own.whole(own.blockQueries));
  const int64_t blocks = llvm::divideCeil(sizes.queries, own.blockQueries);

  Value head = f.div(f.block, blocks), from = f.mul(f.rem(f.block, blocks), own.blockQueries);
  const Span some{from, f.min(f.sub(f.i64(sizes.queries), from), f.i64(own.blockQueries))};
  Value number = f.add(f.mul(head, sizes.queries), from);
  if (failed(own.copy({op.getQuery(), number, some.count, sizes.depth}, queries)))
    return failure();
  own.fill(sums, own.blockQueries, 0);
  own.fill({largest, own.whole(own.blockQueries)}, 1, -kInfinity);
  own.fill({total, own.whole(own.blockQueries)}, 1, 0);
  if (failed(own.forBlocks(f.i64(0), own.endOfKeys(some), own.blockKeys,
                           [&](const Span &block) { return addKeys(head, some, block); })))
    return failure();
  if (failed(f.forEach(f.i64(0), some.count, 1, [&](Value row) { return finish(row, number); })) ||
      failed(own.writeRows(sums, own.resultOf(op.getResult()), {Value(), number, some.count, sizes.columns})))
    return failure();
  return sizes.batch * sizes.heads * blocks;
}

LogicalResult Forward::addKeys(Value head, const Span &some, const Span &block) {
  const AttentionSizes &sizes = own.sizes;
  Value first = f.add(f.mul(f.div(head, sizes.shared()), sizes.keys), block.from);
  if (failed(own.copyTransposed({op.getKey(), first, block.count, sizes.depth}, keys)) ||
      failed(own.copy({op.getValue(), first, block.count, sizes.columns}, vals)) ||
      failed(own.product.emit(ScratchFactor::of(queries), keys, own.scores,
                              {some.count, own.whole(block.count), f.i64(sizes.depth)}, /*adds=*/false)))
    return failure();
  auto weighRow = [&](Value row) { return weigh(row, {head, f.add(some.from, row), block}); };
  if (failed(f.forEach(f.i64(0), some.count, 1, weighRow)))
    return failure();
  return own.product.emit(ScratchFactor::of(own.scores), vals, sums,
                          {some.count, f.i64(own.whole(sizes.columns)), block.count}, /*adds=*/true);
}

/// Makes exponentials of the scores of a query, and scales down what it has by how much the largest rose.
LogicalResult Forward::weigh(Value row, const AttentionBlocks::Meeting &at) {
  if (failed(own.readMask(at)))
    return failure();
  Value end = own.whole(at.keys.count), before = own.loadOne(largest, row);
  auto masked = f.forEach(f.i64(0), end, own.vector, splat(b, before, own.vector),
                          [&](Value column, ValueRange soFar) -> FailureOr<SmallVector<Value>> {
                            auto [scores, isKey] = own.maskedScores(row, column, at);
                            scores = arith::SelectOp::create(b, isKey, scores, own.constant(-kInfinity));
                            own.storeLanes(scores, own.scores, row, column);
                            return SmallVector<Value>{largerOf(b, scores, soFar[0])};
                          });
  if (failed(masked))
    return failure();
  Value now = combineLanes(b, masked->front(), [&](Value x, Value y) { return largerOf(b, x, y); });
  // -inf less -inf would be NaN.
  Value shift = own.replace(now, -kInfinity, 0);
  auto weighed = f.forEach(f.i64(0), end, own.vector, own.constant(0),
                           [&](Value column, ValueRange soFar) -> FailureOr<SmallVector<Value>> {
                             Value scores = own.loadLanes(own.scores, row, column);
                             Value p = buildExp(b, arith::SubFOp::create(b, scores, splat(b, shift, own.vector)));
                             own.storeLanes(roundTo(b, p, own.element), own.scores, row, column);
                             return SmallVector<Value>{arith::AddFOp::create(b, soFar[0], p)};
                           });
  if (failed(weighed))
    return failure();
  Value added =
      combineLanes(b, weighed->front(), [&](Value x, Value y) -> Value { return arith::AddFOp::create(b, x, y); });
  Value decay = buildExp(b, arith::SubFOp::create(b, before, shift));
  own.storeOne(arith::AddFOp::create(b, arith::MulFOp::create(b, own.loadOne(total, row), decay), added), total, row);
  own.storeOne(now, largest, row);
  return f.forEach(f.i64(0), f.i64(sums.stride), own.vector, [&](Value column) {
    Value lanes = own.loadLanes(sums, row, column);
    own.storeLanes(arith::MulFOp::create(b, lanes, splat(b, decay, own.vector)), sums, row, column);
    return success();
  });
}

/// Divides by the sum of the exponentials, which is 0 of a query without keys.
LogicalResult Forward::finish(Value row, Value number) {
  Value sum = own.loadOne(total, row), divisor = splat(b, own.replace(sum, 0, 1), own.vector);
  if (Value lse = own.resultOf(op.getLse())) {
    Value shift = own.replace(own.loadOne(largest, row), -kInfinity, 0);
    own.storeOne(arith::AddFOp::create(b, buildLog(b, sum), shift), lse, f.add(number, row));
  }
  return f.forEach(f.i64(0), f.i64(sums.stride), own.vector, [&](Value column) {
    own.storeLanes(arith::DivFOp::create(b, own.loadLanes(sums, row, column), divisor), sums, row, column);
    return success();
  });
}

FailureOr<int64_t> mp::emitAttentionForward(CPUFunction &f, AttentionOp op, AttentionScheduleAttr schedule) {
  return Forward(f, op, schedule).emit();
}

FailureOr<int64_t> mp::emitAttention(CPUFunction &f, AttentionScheduleAttr schedule) {
  Operation *root = &f.body().front();
  if (auto op = dyn_cast<AttentionOp>(root))
    return emitAttentionForward(f, op, schedule);
  if (auto op = dyn_cast<AttentionGradOp>(root))
    return emitAttentionGrad(f, op, schedule);
  return f.kernel.emitOpError("is scheduled as attention and holds something else");
}
