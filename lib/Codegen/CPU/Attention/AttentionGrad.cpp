// The gradient of attention, keys by keys.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block has all heads that share keys and values, so that no other block adds to the gradients of these. For some
// keys at a time it walks the queries of each head, and adds to the gradients of the keys and of the queries; those of
// the queries wait in scratch memory until all keys have added to them, in order.

#include "Codegen/CPU/Attention/AttentionBlocks.h"

#include "Codegen/Forms/Math.h"

#include <limits>

using namespace mlir;
using namespace mp;

namespace {

class Backward {
public:
  Backward(CPUFunction &f, AttentionGradOp op, AttentionScheduleAttr schedule)
      : own(f, op, schedule), f(f), b(f.b), op(op) {}

  FailureOr<int64_t> emit();

private:
  LogicalResult walkQueries(Value group, const Span &keys);
  LogicalResult meet(Value head, Value inGroup, const Span &queries, const Span &keys);
  LogicalResult weigh(Value row, Value number, const AttentionBlocks::Meeting &at);
  ScratchMatrix ofQueriesFrom(Value inGroup, Value query);

  AttentionBlocks own;
  CPUFunction &f;
  LaneBuilder &b;
  AttentionGradOp op;
  ScratchMatrix queries, gradients;                     ///< of the block of queries
  ScratchMatrix keys, keysTransposed, valuesTransposed; ///< of the block of keys
  ScratchMatrix ofScores, ofQueries, ofKeys, ofValues;  ///< gradients; those of queries of all of the block's heads
};

} // namespace

FailureOr<int64_t> Backward::emit() {
  const AttentionSizes &sizes = own.sizes;
  const int64_t allQueries = llvm::alignTo(sizes.queries, own.blockQueries);
  queries = own.matrix(own.blockQueries, sizes.depth);
  gradients = own.matrix(own.blockQueries, sizes.columns);
  keys = own.matrix(own.blockKeys, sizes.depth);
  keysTransposed = own.matrix(sizes.depth, own.blockKeys);
  valuesTransposed = own.matrix(sizes.columns, own.blockKeys);
  ofScores = own.matrix(own.blockQueries, own.blockKeys);
  ofKeys = own.matrix(own.blockKeys, sizes.depth);
  ofValues = own.matrix(own.blockKeys, sizes.columns);
  ofQueries = own.matrix(sizes.shared() * allQueries, sizes.depth);

  Value group = f.block;
  own.fill(ofQueries, sizes.shared() * allQueries, 0);
  if (failed(own.forBlocks(f.i64(0), f.i64(sizes.keys), own.blockKeys,
                           [&](const Span &block) { return walkQueries(group, block); })))
    return failure();
  Value result = own.resultOf(op.getQueryGradient());
  auto write = [&](Value inGroup) {
    Value first = f.mul(f.add(f.mul(group, sizes.shared()), inGroup), sizes.queries);
    return own.writeRows(ofQueriesFrom(inGroup, f.i64(0)), result, {Value(), first, f.i64(sizes.queries), sizes.depth});
  };
  if (failed(f.forEach(f.i64(0), f.i64(sizes.shared()), 1, write)))
    return failure();
  return sizes.batch * sizes.groups;
}

ScratchMatrix Backward::ofQueriesFrom(Value inGroup, Value query) {
  Value row = f.add(f.mul(inGroup, llvm::alignTo(own.sizes.queries, own.blockQueries)), query);
  return {f.offset(ofQueries.pointer, b.getF32Type(), f.mul(row, ofQueries.stride)), ofQueries.stride};
}

LogicalResult Backward::walkQueries(Value group, const Span &block) {
  const AttentionSizes &sizes = own.sizes;
  Value first = f.add(f.mul(group, sizes.keys), block.from);
  const AttentionBlocks::Rows ofKey{op.getKey(), first, block.count, sizes.depth},
      ofValue{op.getValue(), first, block.count, sizes.columns};
  if (failed(own.copy(ofKey, keys)) || failed(own.copyTransposed(ofKey, keysTransposed)) ||
      failed(own.copyTransposed(ofValue, valuesTransposed)))
    return failure();
  own.fill(ofKeys, own.blockKeys, 0);
  own.fill(ofValues, own.blockKeys, 0);
  auto walkHead = [&](Value inGroup) {
    Value head = f.add(f.mul(group, sizes.shared()), inGroup);
    return own.forBlocks(own.firstQueryOf(block), f.i64(sizes.queries), own.blockQueries,
                         [&](const Span &some) { return meet(head, inGroup, some, block); });
  };
  if (failed(f.forEach(f.i64(0), f.i64(sizes.shared()), 1, walkHead)))
    return failure();
  return failure(failed(own.writeRows(ofKeys, own.resultOf(op.getKeyGradient()), ofKey)) ||
                 failed(own.writeRows(ofValues, own.resultOf(op.getValueGradient()), ofValue)));
}

LogicalResult Backward::meet(Value head, Value inGroup, const Span &some, const Span &block) {
  const AttentionSizes &sizes = own.sizes;
  Value number = f.add(f.mul(head, sizes.queries), some.from), columns = own.whole(block.count);
  ScratchProduct &product = own.product;
  if (failed(own.copy({op.getQuery(), number, some.count, sizes.depth}, queries)) ||
      failed(own.copy({op.getGradient(), number, some.count, sizes.columns}, gradients)) ||
      failed(product.emit(ScratchFactor::of(queries), keysTransposed, own.scores,
                          {some.count, columns, f.i64(sizes.depth)}, /*adds=*/false)) ||
      failed(product.emit(ScratchFactor::of(gradients), valuesTransposed, ofScores,
                          {some.count, columns, f.i64(sizes.columns)}, /*adds=*/false)))
    return failure();
  auto weighRow = [&](Value row) { return weigh(row, f.add(number, row), {head, f.add(some.from, row), block}); };
  if (failed(f.forEach(f.i64(0), some.count, 1, weighRow)))
    return failure();
  const ScratchMatrix ofSome = ofQueriesFrom(inGroup, some.from);
  Value depth = f.i64(own.whole(sizes.depth)), width = f.i64(own.whole(sizes.columns));
  return failure(failed(product.emit(ScratchFactor::transposeOf(own.scores), gradients, ofValues,
                                     {block.count, width, some.count}, /*adds=*/true)) ||
                 failed(product.emit(ScratchFactor::transposeOf(ofScores), queries, ofKeys,
                                     {block.count, depth, some.count}, /*adds=*/true)) ||
                 failed(product.emit(ScratchFactor::of(ofScores), keys, ofSome, {some.count, depth, block.count},
                                     /*adds=*/true)));
}

/// Makes of the scores of a query what its keys weigh, and of the gradients of these those of the scores.
LogicalResult Backward::weigh(Value row, Value number, const AttentionBlocks::Meeting &at) {
  if (failed(own.readMask(at)))
    return failure();
  const double infinity = std::numeric_limits<double>::infinity();
  Value lse = splat(b, own.replace(own.loadOperand(op.getLse(), number), -infinity, 0), own.vector);
  Value delta = splat(b, own.loadOperand(op.getDelta(), number), own.vector);
  return f.forEach(f.i64(0), own.whole(at.keys.count), own.vector, [&](Value column) {
    auto [scores, isKey] = own.maskedScores(row, column, at);
    Value p = buildExp(b, arith::SubFOp::create(b, scores, lse));
    Value ofP = arith::SubFOp::create(b, own.loadLanes(ofScores, row, column), delta);
    Value gradient = own.scaled(arith::MulFOp::create(b, p, ofP));
    auto store = [&](Value lanes, const ScratchMatrix &to) {
      lanes = arith::SelectOp::create(b, isKey, lanes, own.constant(0));
      own.storeLanes(roundTo(b, lanes, own.element), to, row, column);
    };
    store(p, own.scores);
    store(gradient, ofScores);
    return success();
  });
}

FailureOr<int64_t> mp::emitAttentionGrad(CPUFunction &f, AttentionGradOp op, AttentionScheduleAttr schedule) {
  return Backward(f, op, schedule).emit();
}
