// Reductions over leading dimensions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each column is reduced over its rows in order, many columns at once.

#include "Codegen/CPU/CPUFunction.h"
#include "Codegen/Emit/Reduce.h"

using namespace mlir;
using namespace mp;

static LogicalResult emitLanes(CPUFunction &f, Elements &values, const ColumnRoot &root, Value column, int64_t width,
                               bool isEven) {
  Elements::Scope scope(values);
  Value input = root.op->getOperand(0);
  ReductionFormInterface op = root.op;
  Value start = splat(f.b, op.buildIdentity(f.b), width);
  auto end = f.forEach(values.zero, f.i64(root.rows), 1, ValueRange{start},
                       [&](Value row, ValueRange soFar) -> FailureOr<SmallVector<Value>> {
                         Elements::Scope scope(values);
                         FailureOr<Value> next =
                             values.at(input, values.inRow(row, root.columns, column, width, isEven));
                         if (failed(next))
                           return failure();
                         return SmallVector<Value>{op.combine(f.b, soFar[0], op.buildTerm(f.b, *next))};
                       });
  if (failed(end))
    return failure();
  return finishColumns(f, values, root, end->front(), values.inRow(values.zero, root.columns, column, width, isEven));
}

static LogicalResult emitBlock(CPUFunction &f, ColumnScheduleAttr schedule, const ColumnRoot &root, Value block) {
  Elements values = f.makeElements();
  f.bindInputs(values);
  FailureOr<bool> isEven = prepareColumns(f, values, root);
  if (failed(isEven))
    return failure();
  Value from = f.mul(block, schedule.getColumns());
  Value to = f.min(f.add(from, f.i64(schedule.getColumns())), f.i64(root.columns));
  auto body = [&](Value column, int64_t width) { return emitLanes(f, values, root, column, width, *isEven); };
  if (!*isEven)
    return f.forLanes(from, to, 1, true, body);
  // Four registers at once read whole cache lines of a row; one at a time does what they leave.
  const int64_t vector = schedule.getVector(), wide = 4 * vector;
  Value end = f.add(from, f.mul(f.div(f.sub(to, from), wide), wide));
  if (failed(f.forLanes(from, end, wide, false, body)))
    return failure();
  return f.forLanes(end, to, vector, root.columns % vector != 0, body);
}

FailureOr<int64_t> mp::emitColumn(CPUFunction &f, ColumnScheduleAttr schedule) {
  return forColumnRoots(f, schedule.getColumns(),
                        [&](const ColumnRoot &root, Value block) { return emitBlock(f, schedule, root, block); });
}
