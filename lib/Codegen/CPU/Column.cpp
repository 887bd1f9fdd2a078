// Reductions of columns.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each column is reduced over its rows in order, many columns of one matrix at once.

#include "Codegen/CPU/CPUFunction.h"
#include "Codegen/Emit/Reduce.h"

using namespace mlir;
using namespace mp;

static LogicalResult emitLanes(CPUFunction &f, Elements &values, const ColumnRoot &root, Value matrix, Value column,
                               int64_t width, bool isEven) {
  Elements::Scope scope(values);
  Value input = root.op->getOperand(0);
  ReductionFormInterface op = root.op;
  Value start = splat(f.b, op.buildIdentity(f.b), width);
  Value first = root.matrices == 1 ? values.zero : f.mul(matrix, root.rows);
  auto end = f.forEach(values.zero, f.i64(root.rows), 1, ValueRange{start},
                       [&](Value row, ValueRange soFar) -> FailureOr<SmallVector<Value>> {
                         Elements::Scope scope(values);
                         Value number = root.numberOf(f, values, matrix, first, row);
                         FailureOr<Value> next =
                             values.at(input, values.inRow(number, root.columns, column, width, isEven));
                         if (failed(next))
                           return failure();
                         return SmallVector<Value>{op.combine(f.b, soFar[0], op.buildTerm(f.b, *next))};
                       });
  if (failed(end))
    return failure();
  return finishColumns(f, values, root, end->front(), values.inRow(matrix, root.columns, column, width, isEven));
}

/// The columns from `from` to `to` of one matrix.
static LogicalResult emitColumns(CPUFunction &f, Elements &values, const ColumnRoot &root, Value matrix, Value from,
                                 Value to, int64_t vector, bool isEven) {
  Elements::Scope scope(values);
  auto body = [&](Value column, int64_t width) { return emitLanes(f, values, root, matrix, column, width, isEven); };
  if (!isEven)
    return f.forLanes(from, to, 1, true, body);
  // Four registers at once read whole cache lines of a row; one at a time does what they leave. Short rows fill two.
  const int64_t wide = (root.columns < 4 * vector ? 2 : 4) * vector;
  Value end = f.add(from, f.mul(f.div(f.sub(to, from), wide), wide));
  if (failed(f.forLanes(from, end, wide, false, body)))
    return failure();
  return f.forLanes(end, to, vector, root.columns % vector != 0, body);
}

/// How many whole matrices a block takes; with one it may take some columns of it.
static int64_t matricesOfBlock(const ColumnRoot &root, ColumnScheduleAttr schedule) {
  return std::max<int64_t>(schedule.getColumns() / std::max<int64_t>(root.columns, 1), 1);
}

static LogicalResult emitBlock(CPUFunction &f, ColumnScheduleAttr schedule, const ColumnRoot &root, Value block) {
  Elements values = f.makeElements();
  f.bindInputs(values);
  FailureOr<bool> isEven = prepareColumns(f, values, root);
  if (failed(isEven))
    return failure();
  const int64_t size = schedule.getColumns(), vector = schedule.getVector();
  if (const int64_t count = matricesOfBlock(root, schedule); root.matrices != 1 && count > 1) {
    Value first = f.mul(block, count), last = f.min(f.add(first, f.i64(count)), f.i64(root.matrices));
    return f.forEach(first, last, 1, [&](Value matrix) {
      return emitColumns(f, values, root, matrix, values.zero, f.i64(root.columns), vector, *isEven);
    });
  }
  Value matrix = values.zero;
  if (root.matrices != 1) {
    matrix = f.div(block, root.blocksOfMatrix(size));
    block = f.rem(block, root.blocksOfMatrix(size));
  }
  Value from = f.mul(block, size), to = f.min(f.add(from, f.i64(size)), f.i64(root.columns));
  return emitColumns(f, values, root, matrix, from, to, vector, *isEven);
}

FailureOr<int64_t> mp::emitColumn(CPUFunction &f, ColumnScheduleAttr schedule) {
  auto countBlocks = [&](const ColumnRoot &root) -> int64_t {
    return llvm::divideCeil(root.matrices, matricesOfBlock(root, schedule)) *
           root.blocksOfMatrix(schedule.getColumns());
  };
  return forColumnRoots(f, countBlocks,
                        [&](const ColumnRoot &root, Value block) { return emitBlock(f, schedule, root, block); });
}
