// The place of the largest element.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Emit/Argmax.h"

#include "Codegen/Forms/Order.h"

using namespace mlir;
using namespace mp;

FailureOr<Value> mp::buildArgmax(KernelFunction &f, Elements &values, ThreadGroup &group, ArgmaxOp op, int64_t size,
                                 function_ref<FailureOr<Value>(Value)> get) {
  LaneBuilder &b = f.b;
  Type element = op.getInput().getType().getElementType();
  auto isBetter = [&](Value value, Value best) { return isLarger(b, element, value, best); };
  // A thread without numbers of its own looks at the last one, which changes nothing.
  Value start = group.members == 1 ? values.zero : f.min(group.member, f.i64(size - 1));
  FailureOr<Value> first = get(start);
  if (failed(first))
    return failure();
  auto end = f.forEach(f.add(start, f.i64(group.members)), f.i64(size), group.members, {*first, start},
                       [&](Value number, ValueRange best) -> FailureOr<SmallVector<Value>> {
                         Elements::Scope scope(values);
                         FailureOr<Value> value = get(number);
                         if (failed(value))
                           return failure();
                         Value better = isBetter(*value, best[0]);
                         return SmallVector<Value>{arith::SelectOp::create(b, better, *value, best[0]),
                                                   arith::SelectOp::create(b, better, number, best[1])};
                       });
  if (failed(end))
    return failure();
  auto merge = [&](ArrayRef<Value> x, ArrayRef<Value> y) -> SmallVector<Value> {
    Value isSame = arith::XOrIOp::create(b, isBetter(x[0], y[0]), intConstant(b, b.getI1Type(), 1));
    Value isFirst = arith::AndIOp::create(b, isSame, f.isBelow(y[1], x[1]));
    Value second = arith::OrIOp::create(b, isBetter(y[0], x[0]), isFirst);
    return {arith::SelectOp::create(b, second, y[0], x[0]), arith::SelectOp::create(b, second, y[1], x[1])};
  };
  return castValue(b, group.combine(*end, merge)[1], b.getI64Type(), op.getType().getElementType());
}
