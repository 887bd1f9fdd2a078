// Reductions of columns.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each column is reduced over its rows in order, many columns of one matrix at once.

#include "Codegen/CPU/CPUFunction.h"
#include "Codegen/Emit/Reduce.h"

using namespace mlir;
using namespace mp;

/// Vectors of f32 sums that registers hold beside what they are made of.
static int64_t countSums(CPUFunction &f) { return f.target.vectorRegisters * 3 / 4; }

/// How many matrices are reduced at once: as many as what makes them builds together.
static int64_t countJoined(CPUFunction &f, const ColumnRoot &root) {
  Value input = root.op->getOperand(0);
  auto windows = input.getDefiningOp<WindowFormInterface>();
  const ArrayRef<int64_t> shape = shapeOf(input);
  if (!windows || root.columns != shape.back() || root.rows != shape[shape.size() - 2])
    return 1;
  return windows.countJoined(countSums(f) * 32 / elementOf(input).getIntOrFloatBitWidth());
}

/// Columns from `column` on of `count` matrices, the first of which is `matrix`.
static LogicalResult emitLanes(CPUFunction &f, Elements &values, const ColumnRoot &root, Value matrix, int64_t count,
                               Value column, int64_t width, bool isEven) {
  Elements::Scope scope(values);
  Value input = root.op->getOperand(0);
  ReductionFormInterface op = root.op;
  const SmallVector<Value> start(count, splat(f.b, op.buildIdentity(f.b), width));
  auto own = [&](int64_t i) { return i == 0 ? matrix : f.add(matrix, f.i64(i)); };
  const SmallVector<Value> matrices = llvm::map_to_vector(llvm::seq<int64_t>(0, count), own);
  const SmallVector<Value> firsts = llvm::map_to_vector(
      matrices, [&](Value matrix) { return root.matrices == 1 ? values.zero : f.mul(matrix, root.rows); });
  auto end = f.forEach(
      values.zero, f.i64(root.rows), 1, start, [&](Value row, ValueRange soFar) -> FailureOr<SmallVector<Value>> {
        Elements::Scope scope(values);
        SmallVector<Value> numbers, next;
        for (auto [matrix, first] : llvm::zip_equal(matrices, firsts))
          numbers.push_back(root.numberOf(f, values, matrix, first, row));
        values.joinRows(numbers);
        for (auto [number, before] : llvm::zip_equal(numbers, soFar)) {
          FailureOr<Value> value = values.at(input, values.inRow(number, root.columns, column, width, isEven));
          if (failed(value))
            return failure();
          next.push_back(op.combine(f.b, before, op.buildTerm(f.b, *value)));
        }
        return next;
      });
  if (failed(end))
    return failure();
  for (auto [matrix, sum] : llvm::zip_equal(matrices, *end))
    if (failed(finishColumns(f, values, root, sum, values.inRow(matrix, root.columns, column, width, isEven))))
      return failure();
  return success();
}

/// The columns from `from` to `to` of `count` matrices.
static LogicalResult emitColumns(CPUFunction &f, Elements &values, const ColumnRoot &root, Value matrix, int64_t count,
                                 Value from, Value to, int64_t vector, bool isEven) {
  Elements::Scope scope(values);
  auto body = [&](Value column, int64_t width) {
    return emitLanes(f, values, root, matrix, count, column, width, isEven);
  };
  if (!isEven)
    return f.forLanes(from, to, 1, true, body);
  // Four registers at once read whole cache lines of a row; one at a time does what they leave. Short rows fill two.
  const auto most = static_cast<int64_t>(llvm::bit_floor<uint64_t>(std::max<int64_t>(countSums(f) / count, 1)));
  const int64_t wide = std::min<int64_t>(root.columns < 4 * vector ? 2 : 4, most) * vector;
  Value end = f.add(from, f.mul(f.div(f.sub(to, from), wide), wide));
  if (failed(f.forLanes(from, end, wide, false, body)))
    return failure();
  return f.forLanes(end, to, vector, root.columns % vector != 0, body);
}

/// What a block takes: whole groups of matrices, or some columns of one.
struct ColumnBlocks {
  ColumnBlocks(CPUFunction &f, const ColumnRoot &root, ColumnScheduleAttr schedule) : joined(countJoined(f, root)) {
    const int64_t elements = std::max<int64_t>(root.columns, 1) * joined;
    groups = std::max<int64_t>(schedule.getColumns() / elements, 1);
    if (joined != 1)
      columns = static_cast<int64_t>(llvm::alignTo(llvm::divideCeil(schedule.getColumns(), joined), kLine));
    else
      columns = schedule.getColumns();
  }

  int64_t joined; ///< matrices of a group
  int64_t groups; ///< with one, a block may have a part of it
  int64_t columns;

private:
  static constexpr int64_t kLine = 64; ///< columns of which no two blocks share a line
};

static LogicalResult emitBlock(CPUFunction &f, ColumnScheduleAttr schedule, const ColumnRoot &root, Value block) {
  Elements values = f.makeElements();
  f.bindInputs(values);
  FailureOr<bool> isEven = prepareColumns(f, values, root);
  if (failed(isEven))
    return failure();
  const int64_t vector = schedule.getVector();
  const auto [joined, groups, size] = ColumnBlocks(f, root, schedule);
  if (root.matrices != joined && groups > 1) {
    Value first = f.mul(block, groups), last = f.min(f.add(first, f.i64(groups)), f.i64(root.matrices / joined));
    return f.forEach(first, last, 1, [&](Value group) {
      return emitColumns(f, values, root, f.mul(group, joined), joined, values.zero, f.i64(root.columns), vector,
                         *isEven);
    });
  }
  Value matrix = values.zero;
  if (root.matrices != joined) {
    matrix = f.mul(f.div(block, root.blocksOfMatrix(size)), joined);
    block = f.rem(block, root.blocksOfMatrix(size));
  }
  Value from = f.mul(block, size), to = f.min(f.add(from, f.i64(size)), f.i64(root.columns));
  return emitColumns(f, values, root, matrix, joined, from, to, vector, *isEven);
}

FailureOr<int64_t> mp::emitColumn(CPUFunction &f, ColumnScheduleAttr schedule) {
  auto countBlocks = [&](const ColumnRoot &root) -> int64_t {
    const auto [joined, groups, size] = ColumnBlocks(f, root, schedule);
    return llvm::divideCeil(root.matrices / joined, groups) * root.blocksOfMatrix(size);
  };
  return forColumnRoots(f, countBlocks,
                        [&](const ColumnRoot &root, Value block) { return emitBlock(f, schedule, root, block); });
}
