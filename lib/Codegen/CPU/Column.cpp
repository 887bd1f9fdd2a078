//===- Column.cpp - reductions over leading dimensions -----------------------------------------------------------===//
//
// Each column is reduced over its rows in order, many columns at once. The results of a root's map epilogue are those
// yields that depend on it.
//
//===--------------------------------------------------------------------------------------------------------------===//

#include "Codegen/CPU/Reduce.h"

#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mp;

static RankedTensorType typeOf(Value tensor) { return cast<RankedTensorType>(tensor.getType()); }

/// The reduction that `value` depends on, or null.
static Operation *findRoot(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || isReduction(op))
    return op;
  for (Value operand : op->getOperands())
    if (Operation *root = findRoot(operand))
      return root;
  return nullptr;
}

namespace {

/// A reduction of [rows, columns] to [columns] with what is yielded of it.
struct Root {
  CPUFunction &f;
  ColumnScheduleAttr schedule;
  Operation *op;
  SmallVector<unsigned> results;
  int64_t rows = 1, columns = 1;

  LogicalResult analyze() {
    if (!isa<ReduceSumOp, ReduceMeanOp, ReduceMaxOp>(op))
      return op->emitOpError("is no reduction that a column kernel makes");
    ArrayRef<int64_t> dimensions = op->getAttrOfType<DenseI64ArrayAttr>("dimensions").asArrayRef();
    if (!llvm::equal(dimensions, llvm::seq<int64_t>(0, dimensions.size())))
      return op->emitOpError("does not reduce leading dimensions, as a column kernel does");
    rows = ShapedType::getNumElements(typeOf(op->getOperand(0)).getShape().take_front(dimensions.size()));
    columns = typeOf(op->getResult(0)).getNumElements();
    for (unsigned index : results)
      if (typeOf(f.yields()[index]).getNumElements() != columns)
        return op->emitOpError("shares a kernel with a result that has other columns");
    return success();
  }

  LogicalResult emit(Value block) {
    Elements values(f.b);
    f.bindInputs(values);
    SmallVector<Value> yields = llvm::map_to_vector(results, [&](unsigned index) { return f.yields()[index]; });
    if (failed(values.prepare(op->getOperands())) || failed(values.prepare(yields)))
      return failure();
    const bool isEven = values.isEvenAlong(op->getOperand(0), columns) &&
                        llvm::all_of(yields, [&](Value yield) { return values.evenRun(yield, 1) % columns == 0; });
    Value from = f.mul(block, schedule.getColumns());
    Value to = f.min(f.add(from, f.i64(schedule.getColumns())), f.i64(columns));
    auto body = [&](Value column, int64_t width) { return emitColumns(values, yields, column, width, isEven); };
    if (!isEven)
      return f.forLanes(from, to, 1, true, body);
    // Four registers at once read whole cache lines of a row; one at a time does what they leave.
    const int64_t vector = schedule.getVector(), wide = 4 * vector;
    Value end = f.add(from, f.mul(f.div(f.sub(to, from), wide), wide));
    if (failed(f.forLanes(from, end, wide, false, body)))
      return failure();
    return f.forLanes(end, to, vector, columns % vector != 0, body);
  }

  LogicalResult emitColumns(Elements &values, ValueRange yields, Value column, int64_t width, bool isEven) {
    Elements::Scope scope(values);
    Value input = op->getOperand(0);
    Value start = reductionIdentity(f.b, op, withLanes(heldType(typeOf(input).getElementType()), width));
    auto end = f.forEach(values.zero, f.i64(rows), 1, ValueRange{start},
                         [&](Value row, ValueRange soFar) -> FailureOr<SmallVector<Value>> {
                           Elements::Scope scope(values);
                           FailureOr<Value> next = values.at(input, values.inRow(row, columns, column, width, isEven));
                           if (failed(next))
                             return failure();
                           return SmallVector<Value>{combineReduction(f.b, op, soFar[0], *next)};
                         });
    if (failed(end))
      return failure();
    const Lanes here{values.zero, columns, column, 1, width};
    values.bindLanes(op->getResult(0), finishReduction(f.b, op, end->front(), rows), here);
    SmallVector<Value> held;
    for (Value yield : yields) {
      FailureOr<Value> value = values.at(yield, here);
      if (failed(value))
        return failure();
      held.push_back(*value);
    }
    for (auto [index, yield, value] : llvm::zip_equal(results, yields, held))
      values.store(value, typeOf(yield).getElementType(), f.result(index), here);
    return success();
  }
};

} // namespace

FailureOr<int64_t> mp::emitColumn(CPUFunction &f, ColumnScheduleAttr schedule) {
  llvm::MapVector<Operation *, SmallVector<unsigned>> results;
  for (auto [index, yield] : llvm::enumerate(f.yields())) {
    Operation *root = findRoot(yield);
    if (!root)
      return emitError(yield.getLoc(), "is yielded by a column kernel and depends on no reduction");
    results[root].push_back(index);
  }
  int64_t grid = 0;
  for (auto &[op, indices] : results) {
    Root root{f, schedule, op, indices};
    if (failed(root.analyze()))
      return failure();
    const int64_t blocks = llvm::divideCeil(root.columns, schedule.getColumns());
    if (blocks != 0 &&
        failed(f.forBlocks(grid, blocks, results.size() == 1, [&](Value block) { return root.emit(block); })))
      return failure();
    grid += blocks;
  }
  return grid;
}
