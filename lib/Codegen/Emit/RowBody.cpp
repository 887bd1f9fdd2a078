// A row kernel, for one row.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Emit/RowBody.h"

#include "Codegen/Emit/Argmax.h"

#include <map>

using namespace mlir;
using namespace mp;

static int64_t columnsOf(Value tensor) { return typeOf(tensor).getShape().back(); }

/// The rows of a tensor whose last dimension is that of the row.
static int64_t leadingSize(Value tensor) { return ShapedType::getNumElements(typeOf(tensor).getShape().drop_back(1)); }

/// Fails with an error unless the op looks at the last dimension and at nothing else.
static LogicalResult checkLastDimension(Operation *op) {
  const int64_t last = typeOf(op->getOperand(0)).getRank() - 1;
  const bool isLast = last >= 0 && cast<KernelOpInterface>(op).getReducedDimensions() == SmallVector<int64_t>{last};
  return isLast ? success() : op->emitOpError("does not reduce the last dimension alone, as a row kernel does");
}

LogicalResult RowBody::findRows() {
  for (Operation &op : f.body()) {
    if (!isRowOp(&op))
      continue;
    if (failed(checkLastDimension(&op)))
      return failure();
    const int64_t own = leadingSize(op.getOperand(0));
    if (rows != -1 && own != rows)
      return op.emitOpError("has ") << own << " rows in a kernel of " << rows << " rows";
    rows = own;
  }
  return rows != -1 ? success() : f.kernel.emitOpError("is scheduled by rows and has no op over rows");
}

LogicalResult RowBody::prepare() {
  f.bindInputs(values);
  if (failed(findRows()) || failed(values.prepare(f.yields())))
    return failure();
  for (Operation &op : f.body())
    if (isRowOp(&op) && failed(values.prepare(op.getOperands())))
      return failure();
  plan.emplace(f.body(), rows);
  planStorage();
  return success();
}

/// Rows are kept by lanes, so all that reads them has to walk along the row.
void RowBody::planStorage() {
  auto isEven = [&](Value value) {
    const bool isWide = typeOf(value).getRank() > 0 && leadingSize(value) == rows && !plan->isOfRow(value);
    return !isWide || values.isEvenAlong(value, columnsOf(value));
  };
  for (const RowPlan::Kept &kept : plan->findKept(memory.limit, isEven)) {
    const int64_t columns = columnsOf(kept.value);
    if (Value pointer = memory.allocate(typeOf(kept.value).getElementType(), columns))
      storage.push_back({kept, pointer});
  }
}

LogicalResult RowBody::emit(Value row, Value isValid) {
  Elements::Scope scope(values);
  for (unsigned walk = 0; walk <= plan->walks; ++walk)
    if ((walk > 0 && failed(emitWalk(walk, row))) || failed(emitOfRow(walk, row)))
      return failure();
  if (!isValid)
    return emitYields(row);
  return f.when(isValid, [&] {
    Elements::Scope scope(values);
    return emitYields(row);
  });
}

/// Maps of what the row has one of are computed once for it.
LogicalResult RowBody::emitOfRow(unsigned walk, Value row) {
  for (Operation &op : f.body().without_terminator()) {
    if (isRowOp(&op) || plan->walkOf(&op) != walk || !plan->isOfRow(op.getResult(0)))
      continue;
    for (Value result : op.getResults()) {
      FailureOr<Value> value = values.at(result, {row, 1, values.zero, 0, 1});
      if (failed(value))
        return failure();
      bindOfRow(result, *value, row);
    }
  }
  return success();
}

/// Reductions at once: each takes a register for its result.
static constexpr size_t kMostAtOnce = 4;

namespace {
/// Reductions that walk a row together, each in the order that it would have alone.
struct Together {
  int64_t columns;
  bool isEven;
  llvm::SetVector<Value> rows;
  SmallVector<Operation *> ops;
};
} // namespace

LogicalResult RowBody::emitWalk(unsigned walk, Value row) {
  SmallVector<Together> walkers;
  for (Operation &op : f.body().without_terminator()) {
    if (!isRowOp(&op) || plan->walkOf(&op) != walk)
      continue;
    if (auto argmax = dyn_cast<ArgmaxOp>(op)) {
      if (failed(emitArgmax(argmax, row)))
        return failure();
      continue;
    }
    if (!isa<ReductionFormInterface>(op))
      return op.emitOpError("has no native code as an op over rows");
    Value input = op.getOperand(0);
    Together own{columnsOf(input), values.isEvenAlong(input, columnsOf(input)), plan->rowsIn(input), {&op}};
    auto *host = llvm::find_if(walkers, [&](const Together &other) {
      return other.columns == own.columns && other.isEven == own.isEven && other.ops.size() < kMostAtOnce &&
             llvm::any_of(own.rows, [&](Value read) { return other.rows.contains(read); });
    });
    if (host == walkers.end()) {
      walkers.push_back(std::move(own));
      continue;
    }
    host->ops.push_back(&op);
    host->rows.insert_range(own.rows);
  }
  for (const Together &walker : walkers)
    if (failed(emitReductions(walker.ops, row, walker.isEven)))
      return failure();
  return success();
}

LogicalResult RowBody::emitReductions(ArrayRef<Operation *> ops, Value row, bool isEven) {
  LaneBuilder &b = f.b;
  const int64_t columns = columnsOf(ops.front()->getOperand(0));
  SmallVector<Combination> combinations;
  for (Operation *op : ops)
    combinations.push_back(combinationOf(b, cast<ReductionFormInterface>(op)));
  auto isWritten = [&](const Storage &own) {
    return llvm::any_of(own.row.writers, [&](Operation *writer) { return llvm::is_contained(ops, writer); });
  };
  SmallVector<Storage> kept = llvm::to_vector(llvm::make_filter_range(storage, isWritten));
  llvm::erase_if(storage, isWritten);

  auto get = [&](Value column, int64_t width) -> FailureOr<SmallVector<Value>> {
    Elements::Scope scope(values);
    const Lanes here = values.inRow(row, columns, column, width, isEven);
    for (const Storage &own : kept) {
      FailureOr<Value> value = values.at(own.row.value, here);
      if (failed(value))
        return failure();
      values.store(*value, typeOf(own.row.value).getElementType(), own.pointer, {values.zero, 1, column, 1, width});
    }
    SmallVector<Value> terms;
    for (Operation *op : ops) {
      FailureOr<Value> value = values.at(op->getOperand(0), here);
      if (failed(value))
        return failure();
      terms.push_back(cast<ReductionFormInterface>(op).buildTerm(b, *value));
    }
    return terms;
  };
  auto combined = group.reduce(values.zero, f.i64(columns), columns, isEven, combinations, get);
  if (failed(combined))
    return failure();
  for (auto [op, value] : llvm::zip_equal(ops, *combined))
    bindOfRow(op->getResult(0), cast<ReductionFormInterface>(op).finish(b, value, columns), row);
  for (const Storage &own : kept)
    values.bindRow(own.row.value, own.pointer, {row, columns, values.zero, 1, 1});
  return success();
}

LogicalResult RowBody::emitArgmax(ArgmaxOp op, Value row) {
  Value input = op.getInput();
  const int64_t columns = columnsOf(input);
  const bool isEven = values.isEvenAlong(input, columns);
  FailureOr<Value> value = buildArgmax(f, values, group, op, columns, [&](Value column) {
    return values.at(input, values.inRow(row, columns, column, 1, isEven));
  });
  if (succeeded(value))
    bindOfRow(op.getResult(), *value, row);
  return value;
}

LogicalResult RowBody::emitYields(Value row) {
  const Lanes here{row, 1, values.zero, 0, 1};
  SmallVector<std::pair<unsigned, Value>> ofThisRow;
  std::map<int64_t, SmallVector<unsigned>> byColumns;
  for (auto [index, yield] : llvm::enumerate(f.yields())) {
    RankedTensorType type = typeOf(yield);
    if (type.getNumElements() == rows) {
      FailureOr<Value> value = values.at(yield, here);
      if (failed(value))
        return failure();
      ofThisRow.emplace_back(index, *value);
    } else if (type.getRank() > 0 && leadingSize(yield) == rows) {
      byColumns[type.getShape().back()].push_back(index);
    } else {
      return emitError(yield.getLoc(), "is yielded by a kernel of ") << rows << " rows and is not by rows";
    }
  }
  for (auto &[columns, results] : byColumns)
    if (failed(storeColumns(results, columns, row)))
      return failure();
  return group.once([&] {
    for (auto [index, value] : ofThisRow)
      values.store(value, typeOf(f.yields()[index]).getElementType(), f.result(index), here);
    return success();
  });
}

LogicalResult RowBody::storeColumns(ArrayRef<unsigned> results, int64_t columns, Value row) {
  const bool isEven =
      llvm::all_of(results, [&](unsigned index) { return values.isEvenAlong(f.yields()[index], columns); });
  return group.forColumns(columns, isEven, [&](Value column, int64_t lanes) {
    Elements::Scope scope(values);
    return f.storeResults(values, results, values.inRow(row, columns, column, lanes, isEven));
  });
}
