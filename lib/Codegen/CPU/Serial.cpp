//===- Serial.cpp - one block that runs op after op
//--------------------------------------------------------------------===//
//
// What looks at more than one element is computed into scratch memory, in order; maps and movements are built where
// they are read. Results are written at the end, since one may lie where an input lies.
//
//===-------------------------------------------------------------------------------------------------------------------===//

#include "Codegen/CPU/Reduce.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <numeric>

using namespace mlir;
using namespace mp;

static RankedTensorType typeOf(Value tensor) { return cast<RankedTensorType>(tensor.getType()); }
static Type elementOf(Value tensor) { return typeOf(tensor).getElementType(); }

namespace {

class SerialEmitter {
public:
  SerialEmitter(CPUFunction &f, SerialScheduleAttr schedule)
      : f(f), b(f.b), schedule(schedule), values(f.b), rowOps(f, values) {}

  LogicalResult emit();

private:
  LogicalResult emitOp(Operation &op);
  LogicalResult emitRows(Operation &op, Value target);
  LogicalResult emitReduction(Operation &op, ArrayRef<int64_t> dimensions, Value target);
  LogicalResult emitArgmax(ArgmaxOp op, Value target);
  FailureOr<Value> buildFirstBad(FirstBadOp op);
  LogicalResult materialize(Value tensor, Value target);
  LogicalResult emitYields();

  /// Stores a held value as element `index` of the tensor at `target`.
  void storeOne(Value held, Value result, Value target, Value index) {
    values.store(held, elementOf(result), target, {index, 1, values.zero, 0, 1});
  }
  /// Each element i of `result` from get(i).
  LogicalResult storeEach(Value result, Value target, function_ref<FailureOr<Value>(Value)> get);

  CPUFunction &f;
  LaneBuilder &b;
  SerialScheduleAttr schedule;
  Elements values;
  RowOps rowOps;
};

} // namespace

LogicalResult SerialEmitter::emit() {
  f.bindInputs(values);
  for (Operation &op : f.body().without_terminator())
    if (failed(emitOp(op)))
      return failure();
  return emitYields();
}

LogicalResult SerialEmitter::storeEach(Value result, Value target, function_ref<FailureOr<Value>(Value)> get) {
  return f.forEach(values.zero, f.i64(typeOf(result).getNumElements()), 1, [&](Value index) {
    Elements::Scope scope(values);
    FailureOr<Value> value = get(index);
    if (succeeded(value))
      storeOne(*value, result, target, index);
    return LogicalResult(value);
  });
}

LogicalResult SerialEmitter::emitOp(Operation &op) {
  if (failed(values.prepare(op.getOperands())))
    return failure();
  const bool isWhole = isReduction(&op) || isBlocksOp(&op) || isa<FirstBadOp>(op);
  if (!isWhole)
    return values.prepare(op.getResults());

  Value result = op.getResult(0);
  Value target = f.allocate(elementOf(result), typeOf(result).getNumElements());
  LogicalResult done = success();
  if (auto firstBad = dyn_cast<FirstBadOp>(op)) {
    FailureOr<Value> bad = buildFirstBad(firstBad);
    if (failed(bad))
      return failure();
    storeOne(*bad, result, target, values.zero);
  } else if (isBlocksOp(&op)) {
    done = storeEach(result, target, [&](Value index) { return buildBlockOf(f, values, &op, index); });
  } else if (isa<ReduceSumOp, ReduceMeanOp, ReduceMaxOp>(op)) {
    done = emitReduction(op, op.getAttrOfType<DenseI64ArrayAttr>("dimensions").asArrayRef(), target);
  } else if (auto argmax = dyn_cast<ArgmaxOp>(op)) {
    done = emitArgmax(argmax, target);
  } else {
    done = emitRows(op, target);
  }
  if (failed(done))
    return failure();
  values.bindMemory(result, target);
  return values.prepare(op.getResults());
}

LogicalResult SerialEmitter::emitRows(Operation &op, Value target) {
  if (failed(rowOps.prepare(&op)))
    return failure();
  const int64_t rows = ShapedType::getNumElements(typeOf(op.getOperand(0)).getShape().drop_back(1));
  const int64_t columns = typeOf(op.getOperand(0)).getShape().back();
  Value result = op.getResult(0);
  return f.forEach(values.zero, f.i64(rows), 1, [&](Value row) -> LogicalResult {
    Elements::Scope scope(values);
    if (givesRows(&op))
      return rowOps.buildRow(&op, row, f.offset(target, storedType(elementOf(result)), f.mul(row, columns)));
    FailureOr<Value> value = rowOps.buildValue(&op, row);
    if (succeeded(value))
      storeOne(*value, result, target, row);
    return LogicalResult(value);
  });
}

//===----------------------------------------------------------------------===//
// Reductions over any dimensions
//===----------------------------------------------------------------------===//

namespace {
/// Dimensions of a tensor as one counter: how a number becomes an offset in elements.
struct Counter {
  SmallVector<std::pair<int64_t, int64_t>> dimensions; // size, stride; outermost first
  int64_t count = 1;

  void add(int64_t size, int64_t stride) {
    dimensions.emplace_back(size, stride);
    count *= size;
  }
  Value offsetOf(KernelFunction &f, Value number) const {
    Value offset = f.i64(0);
    for (auto [size, stride] : llvm::reverse(dimensions)) {
      offset = f.add(offset, f.mul(f.rem(number, std::max<int64_t>(size, 1)), stride));
      number = f.div(number, std::max<int64_t>(size, 1));
    }
    return offset;
  }
};
} // namespace

LogicalResult SerialEmitter::emitReduction(Operation &op, ArrayRef<int64_t> dimensions, Value target) {
  Value input = op.getOperand(0), result = op.getResult(0);
  ArrayRef<int64_t> shape = typeOf(input).getShape();
  const Sizes strides = rowMajorStrides(shape);
  Counter kept, reduced;
  for (int64_t dim = 0; dim < static_cast<int64_t>(shape.size()); ++dim)
    (llvm::is_contained(dimensions, dim) ? reduced : kept).add(shape[dim], strides[dim]);

  const int64_t first = static_cast<int64_t>(shape.size() - dimensions.size());
  const bool isTrailing = llvm::equal(dimensions, llvm::seq<int64_t>(first, shape.size()));
  const bool isEven = isTrailing && values.isEvenAlong(input, reduced.count);
  Type interior = heldType(elementOf(input));
  auto combine = [&](Value x, Value y) { return combineReduction(b, &op, x, y); };
  return storeEach(result, target, [&](Value index) -> FailureOr<Value> {
    Value start = kept.offsetOf(f, index);
    auto get = [&](Value number, int64_t width) {
      Elements::Scope scope(values);
      if (isEven)
        return values.at(input, {index, reduced.count, number, 1, width});
      return values.at(input, {f.add(start, reduced.offsetOf(f, number)), 1, values.zero, 0, 1});
    };
    FailureOr<Value> combined = reduceColumns(f, values.zero, f.i64(reduced.count), isEven,
                                              {reductionIdentity(b, &op, interior), combine}, get);
    if (failed(combined))
      return failure();
    return finishReduction(b, &op, *combined, reduced.count);
  });
}

LogicalResult SerialEmitter::emitArgmax(ArgmaxOp op, Value target) {
  Value input = op.getInput();
  ArrayRef<int64_t> shape = typeOf(input).getShape();
  const auto dimension = static_cast<int64_t>(op.getDimension());
  if (dimension == static_cast<int64_t>(shape.size()) - 1)
    return emitRows(*op, target);
  const int64_t inner = ShapedType::getNumElements(shape.drop_front(dimension + 1)), size = shape[dimension];
  return storeEach(op.getResult(), target, [&](Value index) {
    // Result (outer, i) looks at elements (outer, d, i).
    Value start = f.add(f.mul(f.div(index, inner), inner * size), f.rem(index, inner));
    return rowOps.argmaxOf(op, size, [&](Value number) {
      return values.at(input, {f.add(start, f.mul(number, inner)), 1, values.zero, 0, 1});
    });
  });
}

FailureOr<Value> SerialEmitter::buildFirstBad(FirstBadOp op) {
  Value bad = intConstant(b, b.getI32Type(), -1);
  for (int64_t number = static_cast<int64_t>(op.getFlags().size()) - 1; number >= 0; --number) {
    Value flags = op.getFlags()[number];
    auto either = [&](Value x, Value y) -> Value { return arith::OrIOp::create(b, x, y); };
    const int64_t count = typeOf(flags).getNumElements();
    auto get = [&](Value index, int64_t width) {
      Elements::Scope scope(values);
      return values.at(flags, values.inRow(values.zero, count, index, width, values.isEvenAlong(flags, count)));
    };
    Value zero = intConstant(b, b.getI32Type(), 0);
    FailureOr<Value> any =
        reduceColumns(f, values.zero, f.i64(count), values.isEvenAlong(flags, count), {zero, either}, get);
    if (failed(any))
      return failure();
    Value isSet = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, *any, zero);
    bad = arith::SelectOp::create(b, isSet, intConstant(b, b.getI32Type(), number), bad);
  }
  return bad;
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

LogicalResult SerialEmitter::materialize(Value tensor, Value target) {
  const int64_t elements = typeOf(tensor).getNumElements();
  int64_t run = values.evenRun(tensor, 1);
  run = run == 0 ? elements : std::gcd(run, elements);
  const int64_t width = run == 1 ? 1 : schedule.getVector();
  return f.forEach(values.zero, f.i64(run == 0 ? 0 : elements / run), 1, [&](Value row) {
    Elements::Scope scope(values);
    return f.forLanes(values.zero, f.i64(run), width, run % width != 0, [&](Value column, int64_t lanes) {
      Elements::Scope scope(values);
      const Lanes here{row, run, column, 1, lanes};
      FailureOr<Value> value = values.at(tensor, here);
      if (succeeded(value))
        values.store(*value, elementOf(tensor), target, here);
      return LogicalResult(value);
    });
  });
}

LogicalResult SerialEmitter::emitYields() {
  SmallVector<Value> sources;
  for (Value yield : f.yields()) {
    sources.push_back(f.allocate(elementOf(yield), typeOf(yield).getNumElements()));
    if (failed(materialize(yield, sources.back())))
      return failure();
  }
  for (auto [index, yield, source] : llvm::enumerate(f.yields(), sources)) {
    const int64_t width = schedule.getVector();
    Type element = elementOf(yield);
    (void)f.forLanes(values.zero, f.i64(typeOf(yield).getNumElements()), width,
                     typeOf(yield).getNumElements() % width != 0, [&](Value column, int64_t lanes) {
                       const Lanes here{values.zero, 1, column, 1, lanes};
                       values.store(values.load(element, source, here), element, f.result(index), here);
                       return success();
                     });
  }
  return success();
}

FailureOr<int64_t> mp::emitSerial(CPUFunction &f, SerialScheduleAttr schedule) {
  if (failed(SerialEmitter(f, schedule).emit()))
    return failure();
  return 1;
}
