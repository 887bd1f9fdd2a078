//===- Reduce.cpp - many elements to one ------------------------------------------------------------------===//

#include "Codegen/CPU/Reduce.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;
using namespace mp;

static RankedTensorType typeOf(Value tensor) { return cast<RankedTensorType>(tensor.getType()); }

FailureOr<Value> mp::reduceColumns(CPUFunction &f, Value from, Value to, bool isEven, Combination combination,
                                   function_ref<FailureOr<Value>(Value, int64_t)> get) {
  LaneBuilder &b = f.b;
  auto over = [&](Value first, Value last, int64_t width, Value start) {
    return f.forEach(first, last, width, ValueRange{start},
                     [&](Value column, ValueRange soFar) -> FailureOr<SmallVector<Value>> {
                       FailureOr<Value> next = get(column, width);
                       if (failed(next))
                         return failure();
                       return SmallVector<Value>{combination.combine(soFar[0], *next)};
                     });
  };
  Value result = combination.identity, middle = from;
  if (isEven) {
    middle = f.add(from, f.mul(f.div(f.sub(to, from), kPartialSums), kPartialSums));
    auto wide = over(from, middle, kPartialSums, splat(b, result, kPartialSums));
    if (failed(wide))
      return failure();
    Value lanes = wide->front();
    for (int64_t half = kPartialSums / 2; half > 0; half /= 2) {
      auto low = llvm::to_vector(llvm::seq<int64_t>(0, half)),
           high = llvm::to_vector(llvm::seq<int64_t>(half, 2 * half));
      lanes = combination.combine(vector::ShuffleOp::create(b, lanes, lanes, low),
                                  vector::ShuffleOp::create(b, lanes, lanes, high));
    }
    result = vector::ExtractOp::create(b, lanes, 0);
  }
  auto rest = over(middle, to, 1, result);
  if (failed(rest))
    return failure();
  return rest->front();
}

//===----------------------------------------------------------------------===//
// reduce_sum, reduce_mean, reduce_max
//===----------------------------------------------------------------------===//

bool mp::isReduction(Operation *op) {
  return isa<ReduceSumOp, ReduceMeanOp, ReduceMaxOp, ArgmaxOp, SoftmaxOp, SoftmaxGradOp, SoftmaxCrossEntropyRowsOp,
             SoftmaxCrossEntropyGradOp, SoftmaxCrossEntropyGradRowsOp>(op);
}
bool mp::givesRows(Operation *op) {
  return isa<SoftmaxOp, SoftmaxGradOp, SoftmaxCrossEntropyGradOp, SoftmaxCrossEntropyGradRowsOp>(op);
}
bool mp::isBlocksOp(Operation *op) { return isa<NonfiniteBlocksOp, SumSquaresBlocksOp>(op); }

Value mp::reductionIdentity(LaneBuilder &b, Operation *op, Type lanes) {
  return floatConstant(b, lanes, isa<ReduceMaxOp>(op) ? -std::numeric_limits<double>::infinity() : 0.0);
}

Value mp::combineReduction(LaneBuilder &b, Operation *op, Value x, Value y) {
  if (isa<ReduceMaxOp>(op))
    return arith::MaximumFOp::create(b, x, y);
  return arith::AddFOp::create(b, x, y);
}

Value mp::finishReduction(LaneBuilder &b, Operation *op, Value combined, int64_t count) {
  if (isa<ReduceMeanOp>(op))
    combined = arith::DivFOp::create(b, combined, floatConstant(b, combined.getType(), static_cast<double>(count)));
  return roundTo(b, combined, typeOf(op->getResult(0)).getElementType());
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// 1 in lanes whose float, held, is infinite or NaN.
static Value isNonfinite(LaneBuilder &b, Value x) {
  Type bits = integerTwin(x.getType()), i32 = withLanes(b.getI32Type(), laneCount(x.getType()));
  const bool isDouble = laneType(x.getType()).isF64();
  const int64_t infinity = isDouble ? 0x7ff0000000000000 : 0x7f800000;
  Value exponent = arith::AndIOp::create(b, arith::BitcastOp::create(b, bits, x), intConstant(b, bits, infinity));
  Value isSet = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, exponent, intConstant(b, bits, infinity));
  return arith::ExtUIOp::create(b, i32, isSet);
}

FailureOr<Value> mp::buildBlockOf(CPUFunction &f, Elements &values, Operation *op, Value index) {
  LaneBuilder &b = f.b;
  Value input = op->getOperand(0);
  const int64_t elements = typeOf(input).getNumElements();
  const bool isSum = isa<SumSquaresBlocksOp>(op);
  const auto block =
      static_cast<int64_t>(isSum ? cast<SumSquaresBlocksOp>(op).getBlock() : cast<NonfiniteBlocksOp>(op).getBlock());
  const int64_t run = values.evenRun(input, 1);
  const bool isEven = run == 0 || run % elements == 0;

  auto get = [&](Value element, int64_t width) -> FailureOr<Value> {
    Elements::Scope scope(values);
    Lanes here{values.zero, 1, element, 1, width};
    if (!isEven)
      here = {element, 1, values.zero, 0, 1};
    FailureOr<Value> value = values.at(input, here);
    if (failed(value))
      return failure();
    return isSum ? Value(arith::MulFOp::create(b, *value, *value)) : isNonfinite(b, *value);
  };
  auto combine = [&](Value x, Value y) -> Value {
    return isSum ? Value(arith::AddFOp::create(b, x, y)) : Value(arith::OrIOp::create(b, x, y));
  };
  Value identity = isSum ? floatConstant(b, b.getF32Type(), 0) : intConstant(b, b.getI32Type(), 0);
  Value from = f.mul(index, block), to = f.min(f.add(from, f.i64(block)), f.i64(elements));
  return reduceColumns(f, from, to, isEven, {identity, combine}, get);
}
