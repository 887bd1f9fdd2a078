// Rows of few columns, a row in each lane.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/CPU/NarrowRows.h"

#include "Codegen/CPU/CPUThreadGroup.h"
#include "Codegen/Emit/Reduce.h"
#include "Codegen/Forms/Order.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mp;

/// Operations of a row up to which its columns are written out.
static constexpr int64_t kMostOperations = 2000;

NarrowRows::NarrowRows(CPUFunction &f, int64_t rows, int64_t width)
    : f(f), values(f.makeElements()), rows(rows), width(width) {
  f.bindInputs(values);
  for (int64_t column = 0; column < kPartialSums; ++column)
    numbers.push_back(column == 0 ? values.zero : f.i64(column));
}

/// The columns of a value of the rows: 1 where it has one element for each; 0 where it is none of these.
int64_t NarrowRows::columnsOf(Value value) const {
  const int64_t elements = typeOf(value).getNumElements();
  const bool isOfRows = rows > 0 && elements % rows == 0;
  const int64_t columns = isOfRows ? elements / rows : 0;
  return columns == 1 || (columns > 1 && typeOf(value).getShape().back() == columns) ? columns : 0;
}

bool NarrowRows::applies() {
  if (width == 1 || rows < width)
    return false;
  int64_t operations = 0;
  auto walksDown = [&](Value value, int64_t columns) { return values.evenRun(value, columns) % rows == 0; };
  for (Operation &op : f.body().without_terminator()) {
    const bool isReduction = isRowOp(&op);
    if (isReduction && !isa<ReductionFormInterface, ArgmaxOp>(op))
      return false;
    if (isReduction) {
      Value input = op.getOperand(0);
      const int64_t columns = columnsOf(input);
      if (columns == 0 || columns >= kPartialSums || typeOf(input).getShape().back() != columns ||
          !walksDown(input, columns))
        return false;
    }
    Value whole = isReduction ? op.getOperand(0) : op.getResult(0);
    operations += std::max<int64_t>(columnsOf(whole), 1) * cast<KernelOpInterface>(op).getOperationsPerElement();
  }
  return operations <= kMostOperations && llvm::all_of(f.yields(), [&](Value yield) {
           const int64_t columns = columnsOf(yield);
           return columns != 0 && columns < kPartialSums && walksDown(yield, columns);
         });
}

Lanes NarrowRows::at(Value row, int64_t column, int64_t columns) {
  if (columns == 1)
    return {values.zero, 1, row, 1, width};
  return {numbers[column], 1, row, columns, width};
}

LogicalResult NarrowRows::emit(Value row) {
  Elements::Scope scope(values);
  for (Operation &op : f.body().without_terminator())
    if (isRowOp(&op) && failed(emitOp(&op, row)))
      return failure();
  // All is read before anything is written.
  for (Value yield : f.yields())
    for (int64_t column = 0; column < columnsOf(yield); ++column)
      if (failed(values.at(yield, at(row, column, columnsOf(yield)))))
        return failure();
  for (unsigned result = 0; result < f.yields().size(); ++result)
    if (failed(store(result, row)))
      return failure();
  return success();
}

LogicalResult NarrowRows::emitOp(Operation *op, Value row) {
  Value input = op->getOperand(0);
  SmallVector<Value> columns;
  for (int64_t column = 0; column < columnsOf(input); ++column) {
    FailureOr<Value> value = values.at(input, at(row, column, columnsOf(input)));
    if (failed(value))
      return failure();
    columns.push_back(*value);
  }
  FailureOr<Value> result = failure();
  if (auto argmax = dyn_cast<ArgmaxOp>(op))
    result = findLargest(argmax, columns);
  else
    result = reduce(cast<ReductionFormInterface>(op), columns);
  if (succeeded(result))
    values.bindLanes(op->getResult(0), *result, at(row, 0, 1));
  return result;
}

FailureOr<Value> NarrowRows::reduce(ReductionFormInterface op, ArrayRef<Value> columns) {
  Value sum = splat(f.b, op.buildIdentity(f.b), width);
  for (Value column : columns)
    sum = op.combine(f.b, sum, op.buildTerm(f.b, column));
  return op.finish(f.b, sum, static_cast<int64_t>(columns.size()));
}

Value NarrowRows::findLargest(ArgmaxOp op, ArrayRef<Value> columns) {
  LaneBuilder &b = f.b;
  Type numbers = withLanes(b.getI64Type(), width);
  Value best = columns.front(), place = intConstant(b, numbers, 0);
  for (auto [number, value] : llvm::enumerate(columns.drop_front())) {
    Value isBetter = isLarger(b, elementOf(op.getInput()), value, best);
    best = arith::SelectOp::create(b, isBetter, value, best);
    place = arith::SelectOp::create(b, isBetter, intConstant(b, numbers, static_cast<int64_t>(number) + 1), place);
  }
  return castValue(b, place, b.getI64Type(), elementOf(op.getResult()));
}

/// Stores a result, lane by lane where its rows lie apart.
LogicalResult NarrowRows::store(unsigned result, Value row) {
  Value yield = f.yields()[result];
  const int64_t columns = columnsOf(yield);
  for (int64_t column = 0; column < columns; ++column) {
    const Lanes here = at(row, column, columns);
    FailureOr<Value> value = values.at(yield, here);
    if (failed(value))
      return failure();
    if (columns == 1) {
      values.store(*value, elementOf(yield), f.result(result), here);
      continue;
    }
    for (int64_t lane = 0; lane < width; ++lane)
      values.store(vector::ExtractOp::create(f.b, *value, lane), elementOf(yield), f.result(result),
                   {here.row, 1, f.add(row, f.i64(lane)), columns, 1});
  }
  return success();
}
