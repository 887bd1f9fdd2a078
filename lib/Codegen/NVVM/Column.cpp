// Reductions of columns, on a GPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads of a block are a rectangle: neighbours take neighbouring vectors of one row, each line of them its own
// rows. The lines are combined pairwise through shared memory, in an order that the schedule fixes.

#include "Codegen/Emit/Reduce.h"
#include "Codegen/NVVM/GPUThreadGroup.h"
#include "Codegen/NVVM/Roots.h"

#include <numeric>

using namespace mlir;
using namespace mp;

namespace {

/// One root in one block; `sized`, unless it is null, has the columns of its one matrix, which must walk evenly.
struct Columns {
  GPUFunction &f;
  const ColumnRoot &root;
  Value sized;
  Elements values;
  int64_t width = 1, perLine = 1, lines = 1;
  bool isEven = false;
  Value line, position, matrix, firstRow;

  Columns(GPUFunction &f, const ColumnRoot &root, Value sized)
      : f(f), root(root), sized(sized), values(f.makeElements()) {}

  LogicalResult emit(ColumnScheduleAttr schedule, Value block) {
    f.bindInputs(values);
    FailureOr<bool> even = prepareColumns(f, values, root);
    if (failed(even))
      return failure();
    isEven = *even;
    width = isEven ? std::gcd(root.columns, schedule.getVector()) : 1;
    perLine = schedule.getColumns() / width;
    if (perLine > f.threads || f.threads % perLine != 0)
      return f.kernel.emitOpError("takes ")
             << perLine << " threads for a line of columns, which do not divide the " << f.threads << " of its block";
    lines = f.threads / perLine;
    matrix = firstRow = values.zero;
    if (root.matrices != 1) {
      const int64_t blocks = root.blocksOfMatrix(schedule.getColumns());
      matrix = f.div(block, blocks);
      block = f.rem(block, blocks);
      firstRow = f.mul(matrix, root.rows);
    }
    position = f.rem(f.thread, perLine);
    line = f.div(f.thread, perLine);

    // Columns beyond the last are those of the last thread again, and nobody stores them.
    const bool isFull = !sized && root.columns % schedule.getColumns() == 0;
    Value columns = sized ? sized : f.i64(root.columns);
    Value own = f.add(f.mul(block, schedule.getColumns()), f.mul(position, width));
    Value column = isFull ? own : f.min(own, f.sub(columns, f.i64(width)));
    FailureOr<Value> sum = sumOfLine(column);
    if (failed(sum))
      return failure();
    Value combined = combineLines(*sum);
    Value stores = arith::CmpIOp::create(f.b, arith::CmpIPredicate::eq, line, f.i64(0));
    if (!isFull)
      stores = arith::AndIOp::create(f.b, stores, f.isBelow(own, columns));
    return f.when(stores, [&] {
      Elements::Scope scope(values);
      return finishColumns(f, values, root, combined, values.inRow(matrix, root.columns, column, width, isEven));
    });
  }

private:
  Lanes lanesOf(Value row, Value column) {
    if (!sized)
      return values.inRow(root.numberOf(f, values, matrix, firstRow, row), root.columns, column, width, isEven);
    // Rows are multiples of the width apart.
    return {values.zero, 1, f.add(f.b.createOrFold<arith::MulIOp>(row, sized), column), 1, width};
  }

  /// What this thread's line makes of rows line, line + lines, ...
  FailureOr<Value> sumOfLine(Value column) {
    Value input = root.op->getOperand(0);
    ReductionFormInterface op = root.op;
    Value start = splat(f.b, op.buildIdentity(f.b), width);
    auto next = [&](Value row, ValueRange soFar) -> FailureOr<SmallVector<Value>> {
      Elements::Scope scope(values);
      FailureOr<Value> value = values.at(input, lanesOf(row, column));
      if (failed(value))
        return failure();
      return SmallVector<Value>{op.combine(f.b, soFar[0], op.buildTerm(f.b, *value))};
    };
    auto end = root.rows % lines == 0
                   ? f.forEach(values.zero, f.i64(root.rows), lines, ValueRange{start},
                               [&](Value row, ValueRange soFar) { return next(f.add(line, row), soFar); })
                   : f.forEach(line, f.i64(root.rows), lines, ValueRange{start}, next);
    if (failed(end))
      return failure();
    return end->front();
  }

  /// What all lines make, in the threads of line 0.
  Value combineLines(Value own) {
    if (lines == 1)
      return own;
    Type type = laneType(own.getType());
    const unsigned alignment = type.getIntOrFloatBitWidth() / 8 * static_cast<unsigned>(width & -width);
    Value memory = f.allocateShared(type, f.threads * width);
    auto addressOf = [&](Value thread) { return f.offset(memory, type, f.mul(thread, width)); };
    Value at = addressOf(f.thread);
    // A number of lines that is no power of two leaves one over now and then.
    for (int64_t left = lines; left > 1; left = (left + 1) / 2) {
      const int64_t half = (left + 1) / 2;
      LLVM::StoreOp::create(f.b, own, at, alignment);
      f.barrier();
      Value hasOther = f.isBelow(f.add(line, f.i64(half)), f.i64(left));
      Value other = f.offset(at, type, arith::SelectOp::create(f.b, hasOther, f.i64(half * perLine * width), f.i64(0)));
      Value theirs = LLVM::LoadOp::create(f.b, own.getType(), other, alignment);
      own = arith::SelectOp::create(f.b, hasOther, ReductionFormInterface(root.op).combine(f.b, own, theirs), own);
      f.barrier();
    }
    return own;
  }
};

} // namespace

FailureOr<int64_t> mp::emitGPUColumn(GPUFunction &f, ColumnScheduleAttr schedule) {
  FailureOr<SmallVector<ColumnRoot>> columns = findColumnRoots(f);
  if (failed(columns))
    return failure();
  SmallVector<Root> roots = llvm::map_to_vector(*columns, [&](const ColumnRoot &root) {
    std::string kind = std::to_string(root.rows) + " rows, accesses of " +
                       std::to_string(std::gcd(root.columns, schedule.getVector()));
    if (root.matrices != 1)
      kind += ", " + std::to_string(root.matrices) + " matrices of " + std::to_string(root.columns) + " columns";
    return Root{root.results, root.columns, root.matrices * root.blocksOfMatrix(schedule.getColumns()), kind};
  });
  return forRoots(f, roots, [&](unsigned root, Value size, Value block) {
    // Those of several matrices that are alike have columns alike, too.
    const ColumnRoot &own = (*columns)[root];
    return Columns(f, own, own.matrices == 1 ? size : Value()).emit(schedule, block);
  });
}
