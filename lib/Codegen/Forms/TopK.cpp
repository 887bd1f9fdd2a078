// The largest elements of rows, and their gradients.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Forms/Forms.h"
#include "Codegen/Forms/Indices.h"
#include "Codegen/Forms/Order.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mp;

namespace {

struct TopKForms : ScalarForms {
  Indices index{b};

  // Each element walks along its row alone.
  static int64_t run(TopKOp) { return 1; }
  static int64_t run(TopKGradOp op) { return std::max<int64_t>(shapeOf(op.getResult()).back(), 1); }

  FormResult form(TopKOp op) {
    Type element = elementOf(op.getInput());
    const int64_t size = shapeOf(op.getInput()).back();
    auto [row, place] = in.inRowsOf(static_cast<int64_t>(op.getK()));
    Value first = index.mul(row, size), none = index.i64(-1), zero = index.i64(0), one = index.i64(1);
    auto orElse = [&](Value x, Value y) -> Value { return arith::OrIOp::create(b, x, y); };
    auto isNone = [&](Value at) -> Value { return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, at, zero); };

    // Of what comes behind `last`, the one found before, the first: each walk finds the next element. Builders of
    // bodies are `b`, where it is then.
    auto walk = [&](OpBuilder &, Location, Value, ValueRange last) {
      auto look = [&](OpBuilder &, Location, Value number, ValueRange best) {
        Value value = in.loadOne(0, index.add(first, number));
        Value isSmaller = isLarger(b, element, last[0], value), isBehind = isNotBefore(number, last[1]);
        Value isEqual = arith::AndIOp::create(b, isNot(isLarger(b, element, value, last[0])), isBehind);
        Value isCandidate = orElse(isNone(last[1]), orElse(isSmaller, isEqual));
        Value wins = orElse(isNone(best[1]), isLarger(b, element, value, best[0]));
        Value takes = arith::AndIOp::create(b, isCandidate, wins);
        scf::YieldOp::create(b, ValueRange{arith::SelectOp::create(b, takes, value, best[0]),
                                           arith::SelectOp::create(b, takes, number, best[1])});
      };
      scf::YieldOp::create(
          b, scf::ForOp::create(b, zero, index.i64(size), one, ValueRange{last[0], none}, look).getResults());
    };
    Value start = in.loadOne(0, first);
    auto found = scf::ForOp::create(b, zero, index.add(place, one), one, ValueRange{start, none}, walk);
    Value at = castValue(b, found.getResult(1), b.getI64Type(), b.getI32Type());
    return SmallVector<Value>{found.getResult(0), at};
  }

  FormResult form(TopKGradOp op) {
    const int64_t k = shapeOf(op.getIndices()).back();
    auto [row, column] = in.inRowsOf(run(op));
    Value first = index.mul(row, k);
    Type numbers = withLanes(b.getI64Type(), in.width);
    Value columns = arith::AddIOp::create(b, splat(b, column, in.width), laneNumbers(b, numbers));
    auto addOwn = [&](OpBuilder &, Location, Value number, ValueRange soFar) {
      Value from = index.add(first, number);
      Value at = castValue(b, in.loadOne(0, from), b.getI32Type(), b.getI64Type());
      Value isOwn = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, columns, splat(b, at, in.width));
      Value sum = arith::AddFOp::create(b, soFar[0], splat(b, in.loadOne(1, from), in.width));
      scf::YieldOp::create(b, ValueRange{arith::SelectOp::create(b, isOwn, sum, soFar[0])});
    };
    Value zero = floatConstant(b, withLanes(registerType(resultElement(op)), in.width), 0);
    return rounded(
        op, scf::ForOp::create(b, index.i64(0), index.i64(k), index.i64(1), ValueRange{zero}, addOwn).getResult(0));
  }

private:
  Value isNot(Value condition) { return arith::XOrIOp::create(b, condition, intConstant(b, b.getI1Type(), 1)); }
  Value isNotBefore(Value number, Value last) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, number, last);
  }
};

} // namespace

void mp::attachTopKForms(MLIRContext *context) { attachForms<TopKForms>(context); }
