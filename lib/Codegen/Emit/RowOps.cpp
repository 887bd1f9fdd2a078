// Ops over the last dimension, for one row.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All in f32, or f64 for f64, whatever the type of the elements; rounded once.

#include "Codegen/Emit/RowOps.h"

#include "Codegen/Forms/Math.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;
using namespace mp;

static RankedTensorType typeOf(Value tensor) { return cast<RankedTensorType>(tensor.getType()); }
static int64_t columnsOf(Value tensor) { return typeOf(tensor).getShape().back(); }
/// f32, or f64 for f64: the type that row ops compute in.
static Type interiorOf(Value tensor) { return registerType(typeOf(tensor).getElementType()); }

static bool isEvenAlongRow(Elements &values, Value tensor) { return values.isEvenAlong(tensor, columnsOf(tensor)); }

FailureOr<Value> RowOps::at(Value tensor, Value row, Value column, int64_t width) {
  const bool isEven = isEvenAlongRow(values, tensor);
  const int64_t columns = columnsOf(tensor);
  if (isEven || width == 1)
    return values.at(tensor, values.inRow(row, columns, column, width, isEven));
  SmallVector<Value> lanes;
  for (int64_t lane = 0; lane < width; ++lane) {
    FailureOr<Value> value = values.at(tensor, values.inRow(row, columns, f.add(column, f.i64(lane)), 1, isEven));
    if (failed(value))
      return failure();
    lanes.push_back(*value);
  }
  return Value(vector::FromElementsOp::create(b, withLanes(lanes.front().getType(), width), lanes));
}

LogicalResult RowOps::prepare(Operation *op) {
  if (allocate && (givesRows(op) || isa<SoftmaxCrossEntropyRowsOp>(op))) {
    Value rows = op->getOperand(0);
    scratch[op] = allocate(interiorOf(rows), columnsOf(rows));
  }
  auto loss = dyn_cast<SoftmaxCrossEntropyGradOp>(op);
  if (!loss || !loss.getWeights())
    return success();
  Value weights = loss.getWeights();
  Type interior = interiorOf(loss.getLogits());
  auto add = [&](Value x, Value y) -> Value { return arith::AddFOp::create(b, x, y); };
  auto get = [&](Value row, int64_t) -> FailureOr<Value> {
    Elements::Scope scope(values);
    return values.at(weights, {row, 1, values.zero, 0, 1});
  };
  Value end = f.i64(typeOf(weights).getNumElements());
  FailureOr<Value> sum =
      group.reduce(values.zero, end, /*granule=*/1, /*isEven=*/false, {floatConstant(b, interior, 0), add}, get);
  if (succeeded(sum))
    sumsOfWeights[op] = *sum;
  return sum;
}

FailureOr<Value> RowOps::buildValue(Operation *op, Value row) {
  if (auto argmaxOp = dyn_cast<ArgmaxOp>(op))
    return argmaxOf(argmaxOp, columnsOf(argmaxOp.getInput()),
                    [&](Value column) { return at(argmaxOp.getInput(), row, column, 1); });
  if (auto rows = dyn_cast<SoftmaxCrossEntropyRowsOp>(op))
    return crossEntropy(rows, row);
  Value input = op->getOperand(0);
  auto get = [&](Value column, int64_t width) -> FailureOr<Value> {
    Elements::Scope scope(values);
    return at(input, row, column, width);
  };
  auto combine = [&](Value x, Value y) { return combineReduction(b, op, x, y); };
  const int64_t columns = columnsOf(input);
  FailureOr<Value> combined = group.reduce(values.zero, f.i64(columns), columns, isEvenAlongRow(values, input),
                                           {reductionIdentity(b, op, interiorOf(input)), combine}, get);
  if (failed(combined))
    return failure();
  return finishReduction(b, op, *combined, columns);
}

FailureOr<Value> RowOps::argmaxOf(ArgmaxOp op, int64_t size, function_ref<FailureOr<Value>(Value)> get) {
  Type element = typeOf(op.getInput()).getElementType();
  auto isBetter = [&](Value value, Value best) -> Value {
    if (!isa<FloatType>(element)) {
      const auto greater = element.isUnsignedInteger() ? arith::CmpIPredicate::ugt : arith::CmpIPredicate::sgt;
      return arith::CmpIOp::create(b, greater, value, best);
    }
    Value isNumber = arith::CmpFOp::create(b, arith::CmpFPredicate::ORD, best, best);
    return arith::AndIOp::create(b, arith::CmpFOp::create(b, arith::CmpFPredicate::UGT, value, best), isNumber);
  };
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
  return castValue(b, group.combine(*end, merge)[1], b.getI64Type(), typeOf(op.getResult()).getElementType());
}

// Softmax

FailureOr<RowOps::Softmax> RowOps::softmax(Operation *op, Value logits, Value row) {
  Type interior = interiorOf(logits);
  const bool isEven = isEvenAlongRow(values, logits);
  Value end = f.i64(columnsOf(logits));
  auto get = [&](Value column, int64_t width) { return at(logits, row, column, width); };

  auto larger = [&](Value x, Value y) -> Value { return arith::MaximumFOp::create(b, x, y); };
  Value lowest = floatConstant(b, interior, -std::numeric_limits<double>::infinity());
  auto getScoped = [&](Value column, int64_t width) {
    Elements::Scope scope(values);
    return get(column, width);
  };
  FailureOr<Value> largest = group.reduce(values.zero, end, columnsOf(logits), isEven, {lowest, larger}, getScoped);
  if (failed(largest))
    return failure();

  Value kept = scratch.lookup(op);
  auto compute = [this, op, logits, row, largest = *largest](Value column, int64_t width) -> FailureOr<Value> {
    FailureOr<Value> x = at(logits, row, column, width);
    if (failed(x))
      return failure();
    return buildElementary(b, op, "exp", buildExp, arith::SubFOp::create(b, *x, splat(b, largest, width)));
  };
  auto exponential = [&](Value column, int64_t width) -> FailureOr<Value> {
    Elements::Scope scope(values);
    FailureOr<Value> y = compute(column, width);
    if (succeeded(y) && kept)
      values.store(*y, interior, kept, {values.zero, 1, column, 1, width});
    return y;
  };
  auto add = [&](Value x, Value y) -> Value { return arith::AddFOp::create(b, x, y); };
  FailureOr<Value> sum =
      group.reduce(values.zero, end, columnsOf(logits), isEven, {floatConstant(b, interior, 0), add}, exponential);
  if (failed(sum))
    return failure();
  Softmax parts{*largest, *sum, compute};
  if (kept)
    parts.exponential = [this, interior, kept](Value column, int64_t width) -> FailureOr<Value> {
      return values.load(interior, kept, {values.zero, 1, column, 1, width});
    };
  return parts;
}

FailureOr<Value> RowOps::labelOf(Value labels, Value row) {
  FailureOr<Value> label = values.at(labels, {row, 1, values.zero, 0, 1});
  if (failed(label))
    return failure();
  return castValue(b, *label, typeOf(labels).getElementType(), b.getI64Type());
}

FailureOr<Value> RowOps::crossEntropy(SoftmaxCrossEntropyRowsOp op, Value row) {
  Value logits = op.getLogits();
  FailureOr<Softmax> parts = softmax(op, logits, row);
  FailureOr<Value> label = labelOf(op.getLabels(), row);
  if (failed(parts) || failed(label))
    return failure();
  Value isClass = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, *label, f.i64(columnsOf(logits)));
  Value column = arith::SelectOp::create(b, isClass, *label, values.zero);
  FailureOr<Value> chosen = at(logits, row, column, 1);
  FailureOr<Value> log = buildElementary(b, op, "log", buildLog, parts->sum);
  if (failed(chosen) || failed(log))
    return failure();
  Value loss = arith::SubFOp::create(b, arith::AddFOp::create(b, *log, parts->largest), *chosen);
  Value none = floatConstant(b, loss.getType(), std::numeric_limits<double>::quiet_NaN());
  return Value(arith::SelectOp::create(b, isClass, loss, none));
}

FailureOr<Value> RowOps::sumOfProducts(Value x, Value y, Value row) {
  auto get = [&](Value column, int64_t width) -> FailureOr<Value> {
    Elements::Scope scope(values);
    FailureOr<Value> left = at(x, row, column, width);
    FailureOr<Value> right = at(y, row, column, width);
    if (failed(left) || failed(right))
      return failure();
    return Value(arith::MulFOp::create(b, *left, *right));
  };
  auto add = [&](Value a, Value c) -> Value { return arith::AddFOp::create(b, a, c); };
  const bool isEven = isEvenAlongRow(values, x) && isEvenAlongRow(values, y);
  return group.reduce(values.zero, f.i64(columnsOf(x)), columnsOf(x), isEven, {floatConstant(b, interiorOf(x), 0), add},
                      get);
}

/// The weight of a row divided by the sum of weights: one over the number of rows without weights.
FailureOr<Value> RowOps::shareOf(SoftmaxCrossEntropyGradOp op, Value row) {
  Type interior = interiorOf(op.getLogits());
  if (!op.getWeights()) {
    const auto rows = static_cast<double>(std::max<int64_t>(typeOf(op.getLabels()).getNumElements(), 1));
    return interior.isF64() ? floatConstant(b, interior, 1 / rows)
                            : floatConstant(b, interior, 1 / static_cast<float>(rows));
  }
  FailureOr<Value> weight = values.at(op.getWeights(), {row, 1, values.zero, 0, 1});
  if (failed(weight))
    return failure();
  return Value(arith::DivFOp::create(b, *weight, sumsOfWeights.lookup(op)));
}

RowOps::Row RowOps::rounded(Operation *op, bool isEven, std::function<FailureOr<Value>(Value, int64_t)> get) {
  Type element = typeOf(op->getResult(0)).getElementType();
  auto at = [this, element, get = std::move(get)](Value column, int64_t width) -> FailureOr<Value> {
    FailureOr<Value> value = get(column, width);
    if (failed(value))
      return failure();
    return roundTo(b, *value, element);
  };
  return {at, isEven};
}

FailureOr<RowOps::Row> RowOps::softmaxGradient(SoftmaxGradOp op, Value row) {
  Value y = op.getOutput(), g = op.getGradient();
  FailureOr<Value> sum = sumOfProducts(y, g, row);
  if (failed(sum))
    return failure();
  const bool isEven = isEvenAlongRow(values, y) && isEvenAlongRow(values, g);
  return rounded(op, isEven, [this, y, g, row, sum = *sum](Value column, int64_t width) -> FailureOr<Value> {
    FailureOr<Value> yHere = at(y, row, column, width);
    FailureOr<Value> gHere = at(g, row, column, width);
    if (failed(yHere) || failed(gHere))
      return failure();
    Value difference = arith::SubFOp::create(b, *gHere, splat(b, sum, width));
    return Value(arith::MulFOp::create(b, *yHere, difference));
  });
}

FailureOr<RowOps::Row> RowOps::buildRow(Operation *op, Value row) {
  if (auto gradient = dyn_cast<SoftmaxGradOp>(op))
    return softmaxGradient(gradient, row);

  Value logits = op->getOperand(0);
  Type interior = interiorOf(logits);
  FailureOr<Softmax> parts = softmax(op, logits, row);
  if (failed(parts))
    return failure();
  auto probability = [this, parts = *parts](Value column, int64_t width) -> FailureOr<Value> {
    FailureOr<Value> exponential = parts.exponential(column, width);
    if (failed(exponential))
      return failure();
    return Value(arith::DivFOp::create(b, *exponential, splat(b, parts.sum, width)));
  };
  const bool isEven = scratch.contains(op) || isEvenAlongRow(values, logits);
  auto loss = dyn_cast<SoftmaxCrossEntropyGradOp>(op);
  auto rowLoss = dyn_cast<SoftmaxCrossEntropyGradRowsOp>(op);
  if (!loss && !rowLoss)
    return rounded(op, isEven, probability);

  // What the row is multiplied by: its factor, or its share of the mean and then the gradient of the mean.
  FailureOr<Value> label = labelOf(op->getOperand(1), row);
  FailureOr<Value> share = loss ? shareOf(loss, row) : values.at(rowLoss.getFactor(), {row, 1, values.zero, 0, 1});
  if (failed(label) || failed(share))
    return failure();
  Value incoming;
  if (loss) {
    FailureOr<Value> gradient = values.only(loss.getGradient());
    if (failed(gradient))
      return failure();
    incoming = castValue(b, *gradient, typeOf(loss.getGradient()).getElementType(), interior);
  }
  auto get = [this, probability, interior, label = *label, share = *share,
              incoming](Value column, int64_t width) -> FailureOr<Value> {
    FailureOr<Value> likelihood = probability(column, width);
    if (failed(likelihood))
      return failure();
    Type i64 = withLanes(b.getI64Type(), width), type = withLanes(interior, width);
    Value columns = arith::AddIOp::create(b, splat(b, column, width), laneNumbers(b, i64));
    Value isLabel = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, columns, splat(b, label, width));
    Value hit = arith::SelectOp::create(b, isLabel, floatConstant(b, type, 1), floatConstant(b, type, 0));
    Value difference = arith::SubFOp::create(b, *likelihood, hit);
    Value shared = arith::MulFOp::create(b, difference, splat(b, share, width));
    return incoming ? Value(arith::MulFOp::create(b, shared, splat(b, incoming, width))) : shared;
  };
  return rounded(op, isEven, get);
}
