// One block that runs op after op.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What looks at more than one element is computed in order, into its result where it is yielded, else into memory of
// the block; maps and movements are built where they are read. A kernel that holds such an op never updates in place.

#include "Codegen/Emit/Serial.h"

#include "Codegen/Emit/Argmax.h"
#include "Codegen/Emit/Reduce.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mp;

/// More elements than a block has threads.
static constexpr int64_t kMany = 1 << 20;

namespace {

class SerialEmitter {
public:
  SerialEmitter(KernelFunction &f, ThreadBlock &block) : f(f), b(f.b), block(block), values(f.makeElements()) {}

  LogicalResult emit();

private:
  LogicalResult emitOp(Operation &op);
  LogicalResult emitReduction(ReductionFormInterface op, Value target);
  LogicalResult emitArgmax(ArgmaxOp op, Value target);
  FailureOr<Value> buildFirstBad(ThreadGroup &group, FirstBadOp op);
  Value memoryFor(Value result);
  LogicalResult emitYields();

  /// Stores a value as element `index` of the tensor at `target`.
  void storeOne(Value value, Value result, Value target, Value index) {
    values.store(value, elementOf(result), target, {index, 1, values.zero, 0, 1});
  }
  /// Each element i of `result` from get(group, i), which looks at `terms` elements.
  LogicalResult storeEach(Value result, Value target, int64_t terms,
                          function_ref<FailureOr<Value>(ThreadGroup &group, Value index)> get);
  KernelFunction &f;
  LaneBuilder &b;
  ThreadBlock &block;
  Elements values;
  llvm::DenseSet<unsigned> written; ///< results that ops stored themselves
};

} // namespace

LogicalResult SerialEmitter::emit() {
  f.bindInputs(values);
  for (Operation &op : f.body().without_terminator())
    if (failed(emitOp(op)))
      return failure();
  return emitYields();
}

LogicalResult SerialEmitter::storeEach(Value result, Value target, int64_t terms,
                                       function_ref<FailureOr<Value>(ThreadGroup &, Value)> get) {
  const int64_t count = typeOf(result).getNumElements();
  std::unique_ptr<ThreadGroup> group = block.makeGroup(count, terms);
  return block.forEach(*group, count, [&](Value index, Value isValid) -> LogicalResult {
    Elements::Scope scope(values);
    FailureOr<Value> value = get(*group, index);
    if (failed(value))
      return failure();
    auto store = [&] {
      return group->once([&] {
        storeOne(*value, result, target, index);
        return success();
      });
    };
    return isValid ? f.when(isValid, store) : store();
  });
}

/// Memory for the result of an op: where it is yielded, if it is.
Value SerialEmitter::memoryFor(Value result) {
  for (auto [index, yield] : llvm::enumerate(f.yields()))
    if (yield == result && written.insert(index).second)
      return f.result(index);
  return block.allocate(elementOf(result), typeOf(result).getNumElements());
}

LogicalResult SerialEmitter::emitOp(Operation &op) {
  block.bindInputsOf(values, op.getOperands());
  if (failed(values.prepare(op.getOperands())))
    return failure();
  if (isa<ScalarFormInterface>(op) || matchPattern(&op, m_Constant()))
    return values.prepare(op.getResults());

  Value result = op.getResult(0);
  Value target = memoryFor(result);
  LogicalResult done = success();
  if (auto firstBad = dyn_cast<FirstBadOp>(op)) {
    done = storeEach(result, target, kMany, [&](ThreadGroup &group, Value) { return buildFirstBad(group, firstBad); });
  } else if (auto blocks = dyn_cast<BlocksFormInterface>(op)) {
    done = storeEach(result, target, kMany,
                     [&](ThreadGroup &group, Value index) { return buildBlockOf(f, group, values, blocks, index); });
  } else if (auto form = dyn_cast<ReductionFormInterface>(op)) {
    done = emitReduction(form, target);
  } else if (auto argmax = dyn_cast<ArgmaxOp>(op)) {
    done = emitArgmax(argmax, target);
  } else {
    return op.emitOpError("has no native code in a serial kernel");
  }
  if (failed(done))
    return failure();
  block.synchronize();
  values.bindMemory(result, target);
  return values.prepare(op.getResults());
}

// Reductions over any dimensions

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

LogicalResult SerialEmitter::emitReduction(ReductionFormInterface op, Value target) {
  Value input = op->getOperand(0), result = op->getResult(0);
  SmallVector<int64_t> dimensions = cast<KernelOpInterface>(op.getOperation()).getReducedDimensions();
  ArrayRef<int64_t> shape = typeOf(input).getShape();
  const Sizes strides = rowMajorStrides(shape);
  Counter kept, reduced;
  for (int64_t dim = 0; dim < static_cast<int64_t>(shape.size()); ++dim)
    (llvm::is_contained(dimensions, dim) ? reduced : kept).add(shape[dim], strides[dim]);

  const int64_t first = static_cast<int64_t>(shape.size() - dimensions.size());
  const bool isTrailing = llvm::equal(dimensions, llvm::seq<int64_t>(first, shape.size()));
  const bool isEven = isTrailing && values.isEvenAlong(input, reduced.count);
  Combination combination = combinationOf(b, op);
  return storeEach(result, target, reduced.count, [&](ThreadGroup &group, Value index) -> FailureOr<Value> {
    Value start = kept.offsetOf(f, index);
    auto get = [&](Value number, int64_t width) -> FailureOr<SmallVector<Value>> {
      Elements::Scope scope(values);
      Lanes here = {index, reduced.count, number, 1, width};
      if (!isEven)
        here = {f.add(start, reduced.offsetOf(f, number)), 1, values.zero, 0, 1};
      FailureOr<Value> value = values.at(input, here);
      if (failed(value))
        return failure();
      return SmallVector<Value>{op.buildTerm(b, *value)};
    };
    FailureOr<SmallVector<Value>> combined =
        group.reduce(values.zero, f.i64(reduced.count), reduced.count, isEven, combination, get);
    if (failed(combined))
      return failure();
    return op.finish(b, combined->front(), reduced.count);
  });
}

LogicalResult SerialEmitter::emitArgmax(ArgmaxOp op, Value target) {
  Value input = op.getInput();
  ArrayRef<int64_t> shape = typeOf(input).getShape();
  const auto dimension = static_cast<int64_t>(op.getDimension());
  const int64_t inner = ShapedType::getNumElements(shape.drop_front(dimension + 1)), size = shape[dimension];
  const bool isEven = inner == 1 && values.isEvenAlong(input, size);
  return storeEach(op.getResult(), target, size, [&](ThreadGroup &group, Value index) {
    // Result (outer, i) looks at elements (outer, d, i).
    Value start = inner == 1 ? Value() : f.add(f.mul(f.div(index, inner), inner * size), f.rem(index, inner));
    return buildArgmax(f, values, group, op, size, [&](Value number) {
      return values.at(input, inner == 1 ? values.inRow(index, size, number, 1, isEven)
                                         : Lanes{f.add(start, f.mul(number, inner)), 1, values.zero, 0, 1});
    });
  });
}

FailureOr<Value> SerialEmitter::buildFirstBad(ThreadGroup &group, FirstBadOp op) {
  if (Value first = block.findFirstSet(op.getFlags()))
    return first;
  Value bad = intConstant(b, b.getI32Type(), -1);
  for (int64_t number = static_cast<int64_t>(op.getFlags().size()) - 1; number >= 0; --number) {
    Value flags = op.getFlags()[number];
    auto either = [&](Value x, Value y) -> Value { return arith::OrIOp::create(b, x, y); };
    const int64_t count = typeOf(flags).getNumElements();
    auto get = [&](Value index, int64_t width) -> FailureOr<SmallVector<Value>> {
      Elements::Scope scope(values);
      FailureOr<Value> flag =
          values.at(flags, values.inRow(values.zero, count, index, width, values.isEvenAlong(flags, count)));
      if (failed(flag))
        return failure();
      return SmallVector<Value>{*flag};
    };
    Value zero = intConstant(b, b.getI32Type(), 0);
    FailureOr<SmallVector<Value>> any = group.reduce(values.zero, f.i64(count), count, values.isEvenAlong(flags, count),
                                                     Combination{zero, either}, get);
    if (failed(any))
      return failure();
    Value isSet = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, any->front(), zero);
    bad = arith::SelectOp::create(b, isSet, intConstant(b, b.getI32Type(), number), bad);
  }
  return bad;
}

// Results

LogicalResult SerialEmitter::emitYields() {
  for (Nest nest : findNests(f)) {
    llvm::erase_if(nest.results, [&](unsigned index) { return written.contains(index); });
    if (nest.results.empty())
      continue;
    Elements::Scope scope(values);
    NestBody body(f, values, nest);
    for (unsigned index : nest.results)
      block.bindInputsOf(values, f.yields()[index]);
    if (failed(body.prepare()) || failed(block.emitNest(nest, body)))
      return failure();
  }
  return success();
}

LogicalResult mp::emitSerially(KernelFunction &f, ThreadBlock &block) { return SerialEmitter(f, block).emit(); }
