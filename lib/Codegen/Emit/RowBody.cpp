// A row kernel, for one row.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Emit/RowBody.h"

#include <map>

using namespace mlir;
using namespace mp;

static RankedTensorType typeOf(Value tensor) { return cast<RankedTensorType>(tensor.getType()); }

/// The rows of a tensor whose last dimension is that of the row.
static int64_t leadingSize(Value tensor) { return ShapedType::getNumElements(typeOf(tensor).getShape().drop_back(1)); }

/// Fails with an error unless the op looks at the last dimension and at nothing else.
static LogicalResult checkLastDimension(Operation *op) {
  const int64_t last = typeOf(op->getOperand(0)).getRank() - 1;
  bool isLast = true;
  if (auto argmax = dyn_cast<ArgmaxOp>(op))
    isLast = static_cast<int64_t>(argmax.getDimension()) == last;
  else if (!givesRows(op) && !isa<SoftmaxCrossEntropyRowsOp>(op))
    isLast = op->getAttrOfType<DenseI64ArrayAttr>("dimensions").asArrayRef() == ArrayRef<int64_t>(last);
  return isLast ? success() : op->emitOpError("does not reduce the last dimension alone, as a row kernel does");
}

LogicalResult RowBody::prepare() {
  f.bindInputs(values);
  for (Operation &op : f.body()) {
    if (!isReduction(&op))
      continue;
    if (failed(checkLastDimension(&op)))
      return failure();
    const int64_t own = leadingSize(op.getOperand(0));
    if (rows != -1 && own != rows)
      return op.emitOpError("has ") << own << " rows in a kernel of " << rows << " rows";
    rows = own;
  }
  if (rows == -1)
    return f.kernel.emitOpError("is scheduled by rows and has no op over rows");
  if (failed(values.prepare(f.yields())))
    return failure();
  for (Operation &op : f.body()) {
    if (!isReduction(&op))
      continue;
    if (failed(values.prepare(op.getOperands())) || failed(rowOps.prepare(&op)))
      return failure();
    if (allocate && givesRows(&op))
      rowStorage[&op] = allocate(typeOf(op.getResult(0)).getElementType(), typeOf(op.getResult(0)).getShape().back());
  }
  return success();
}

LogicalResult RowBody::emit(Value row, Value isValid) {
  Elements::Scope scope(values);
  ofRow.clear();
  for (Operation &op : f.body().without_terminator())
    if (failed(emitOp(op, row)))
      return failure();
  if (!isValid)
    return emitYields(row);
  return f.when(isValid, [&] {
    Elements::Scope scope(values);
    return emitYields(row);
  });
}

/// The row that `op` gives, for those that read it.
LogicalResult RowBody::bindRow(Operation &op, Value row) {
  Value result = op.getResult(0);
  const Type element = typeOf(result).getElementType();
  const int64_t columns = typeOf(result).getShape().back();
  const Lanes where{row, columns, values.zero, 1, 1};
  FailureOr<RowOps::Row> built = rowOps.buildRow(&op, row);
  if (failed(built))
    return failure();
  Value storage = rowStorage.lookup(&op);
  if (!storage) {
    values.bindComputedRow(result, built->at, where);
    return success();
  }
  LogicalResult stored = group.forColumns(columns, built->isEven, [&](Value column, int64_t width) -> LogicalResult {
    Elements::Scope scope(values);
    FailureOr<Value> value = built->at(column, width);
    if (succeeded(value))
      values.store(*value, element, storage, {values.zero, 1, column, 1, width});
    return LogicalResult(value);
  });
  values.bindRow(result, storage, where);
  return stored;
}

LogicalResult RowBody::emitOp(Operation &op, Value row) {
  const Lanes here{row, 1, values.zero, 0, 1};
  if (!isReduction(&op)) {
    // Maps of what the row has one of are computed once for it.
    const bool isOfRow =
        llvm::any_of(op.getOperands(), [&](Value operand) { return ofRow.contains(operand); }) &&
        llvm::all_of(op.getResults(), [&](Value result) { return typeOf(result).getNumElements() == rows; });
    if (!isOfRow)
      return success();
    for (Value result : op.getResults()) {
      FailureOr<Value> value = values.at(result, here);
      if (failed(value))
        return failure();
      values.bindOfRow(result, *value, here);
      ofRow.insert(result);
    }
    return success();
  }
  Value result = op.getResult(0);
  if (givesRows(&op))
    return bindRow(op, row);
  FailureOr<Value> value = rowOps.buildValue(&op, row);
  if (failed(value))
    return failure();
  values.bindOfRow(result, *value, here);
  ofRow.insert(result);
  return success();
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
  return group.forColumns(columns, isEven, [&](Value column, int64_t lanes) -> LogicalResult {
    Elements::Scope scope(values);
    const Lanes here = values.inRow(row, columns, column, lanes, isEven);
    SmallVector<Value> computed;
    for (unsigned index : results) {
      FailureOr<Value> value = values.at(f.yields()[index], here);
      if (failed(value))
        return failure();
      computed.push_back(*value);
    }
    for (auto [index, value] : llvm::zip_equal(results, computed))
      values.store(value, typeOf(f.yields()[index]).getElementType(), f.result(index), here);
    return success();
  });
}
