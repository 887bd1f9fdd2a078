// Many elements to one.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Emit/Reduce.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include "llvm/ADT/MapVector.h"

#include <numeric>

using namespace mlir;
using namespace mp;

Value mp::combineLanes(LaneBuilder &b, Value lanes, function_ref<Value(Value, Value)> combine) {
  const int64_t width = laneCount(lanes.getType());
  if (width == 1)
    return lanes;
  for (int64_t half = width / 2; half > 0; half /= 2) {
    auto low = llvm::to_vector(llvm::seq<int64_t>(0, half)), high = llvm::to_vector(llvm::seq<int64_t>(half, 2 * half));
    lanes = combine(vector::ShuffleOp::create(b, lanes, lanes, low), vector::ShuffleOp::create(b, lanes, lanes, high));
  }
  return vector::ExtractOp::create(b, lanes, 0);
}

Combination mp::combinationOf(LaneBuilder &b, ReductionFormInterface op) {
  return {op.buildIdentity(b), [&b, op](Value x, Value y) mutable { return op.combine(b, x, y); }};
}

bool mp::isRowOp(Operation *op) { return roleOf(op) == KernelRole::Row; }

// Blocks

int64_t mp::blockGranule(int64_t block, int64_t elements) { return std::gcd(std::gcd(block, elements), 64); }

FailureOr<Value> mp::buildBlockOf(KernelFunction &f, ThreadGroup &group, Elements &values, BlocksFormInterface op,
                                  Value index, Value sized) {
  LaneBuilder &b = f.b;
  auto form = cast<ReductionFormInterface>(op.getOperation());
  Value input = op->getOperand(0);
  const int64_t elements = typeOf(input).getNumElements(), block = op.getBlockSize();
  const int64_t run = values.evenRun(input, 1);
  const bool isEven = run == 0 || run % elements == 0;

  auto get = [&](Value element, int64_t width) -> FailureOr<SmallVector<Value>> {
    Elements::Scope scope(values);
    Lanes here{values.zero, 1, element, 1, width};
    if (!isEven)
      here = {element, 1, values.zero, 0, 1};
    FailureOr<Value> value = values.at(input, here);
    if (failed(value))
      return failure();
    return SmallVector<Value>{form.buildTerm(b, *value)};
  };
  Combination combination = combinationOf(b, form);
  Value from = f.mul(index, block), to = f.min(f.add(from, f.i64(block)), sized ? sized : f.i64(elements));
  const int64_t granule = sized ? blockGranule(block, elements) : std::gcd(block, elements);
  FailureOr<SmallVector<Value>> combined = group.reduce(from, to, granule, isEven, combination, get);
  if (failed(combined))
    return failure();
  return form.finish(b, combined->front(), block);
}

FailureOr<BlocksFormInterface> mp::findBlocksOp(KernelFunction &f, unsigned index) {
  Value yield = f.yields()[index];
  auto op = dyn_cast_or_null<BlocksFormInterface>(yield.getDefiningOp());
  if (!op)
    return emitError(yield.getLoc(), "is yielded by a kernel of partial results and is none");
  return op;
}

LogicalResult mp::emitPartialResult(KernelFunction &f, ThreadGroup &group, unsigned index, Value block,
                                    Value elements) {
  FailureOr<BlocksFormInterface> op = findBlocksOp(f, index);
  if (failed(op))
    return failure();
  Elements values = f.makeElements();
  f.bindInputs(values);
  if (failed(values.prepare((*op)->getOperands())))
    return failure();
  FailureOr<Value> value = buildBlockOf(f, group, values, *op, block, elements);
  if (failed(value))
    return failure();
  return group.once([&] {
    values.store(*value, typeOf(f.yields()[index]).getElementType(), f.result(index), {block, 1, values.zero, 0, 1});
    return success();
  });
}

FailureOr<int64_t> mp::emitPartialResults(KernelFunction &f, ThreadGroup &group) {
  int64_t grid = 0;
  for (auto [index, yield] : llvm::enumerate(f.yields())) {
    auto emit = [&, index = index](Value block) { return emitPartialResult(f, group, index, block); };
    const int64_t blocks = typeOf(yield).getNumElements();
    if (blocks != 0 && failed(f.forBlocks(grid, blocks, f.yields().size() == 1, emit)))
      return failure();
    grid += blocks;
  }
  return grid;
}

// Columns

/// The reduction that `value` depends on, or null.
static Operation *findRoot(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || isRowOp(op))
    return op;
  for (Value operand : op->getOperands())
    if (Operation *root = findRoot(operand))
      return root;
  return nullptr;
}

static LogicalResult analyzeColumns(KernelFunction &f, ColumnRoot &root) {
  Operation *op = root.op;
  SmallVector<int64_t> dimensions = cast<KernelOpInterface>(op).getReducedDimensions();
  ArrayRef<int64_t> shape = shapeOf(op->getOperand(0));
  const int64_t first = dimensions.empty() ? 0 : dimensions.front(), count = dimensions.size();
  if (!llvm::equal(dimensions, llvm::seq<int64_t>(first, first + count)))
    return op->emitOpError("does not reduce dimensions that follow each other, as a column kernel does");
  root.matrices = ShapedType::getNumElements(shape.take_front(first));
  root.rows = ShapedType::getNumElements(shape.slice(first, count));
  root.columns = ShapedType::getNumElements(shape.drop_front(first + count));
  for (unsigned index : root.results)
    if (typeOf(f.yields()[index]).getNumElements() != root.matrices * root.columns)
      return op->emitOpError("shares a kernel with a result that has other columns");
  return success();
}

FailureOr<SmallVector<ColumnRoot>> mp::findColumnRoots(KernelFunction &f) {
  llvm::MapVector<Operation *, ColumnRoot> roots;
  for (auto [index, yield] : llvm::enumerate(f.yields())) {
    Operation *op = findRoot(yield);
    if (!op)
      return emitError(yield.getLoc(), "is yielded by a column kernel and depends on no reduction");
    auto form = dyn_cast<ReductionFormInterface>(op);
    if (!form)
      return op->emitOpError("is not a reduction that a column kernel makes");
    roots[op].op = form;
    roots[op].results.push_back(index);
  }
  SmallVector<ColumnRoot> found;
  for (auto &entry : roots) {
    if (failed(analyzeColumns(f, entry.second)))
      return failure();
    found.push_back(std::move(entry.second));
  }
  return found;
}

Value ColumnRoot::numberOf(KernelFunction &f, Elements &values, Value matrix, Value first, Value row) const {
  if (matrices == 1)
    return row;
  Value number = f.add(first, row);
  values.splitRow(number, matrix, row, rows);
  return number;
}

FailureOr<int64_t> mp::forColumnRoots(KernelFunction &f, function_ref<int64_t(const ColumnRoot &)> countBlocks,
                                      function_ref<LogicalResult(const ColumnRoot &, Value)> emit) {
  FailureOr<SmallVector<ColumnRoot>> roots = findColumnRoots(f);
  if (failed(roots))
    return failure();
  int64_t grid = 0;
  for (const ColumnRoot &root : *roots) {
    const int64_t blocks = countBlocks(root);
    auto emitBlock = [&](Value block) { return emit(root, block); };
    if (blocks != 0 && failed(f.forBlocks(grid, blocks, roots->size() == 1, emitBlock)))
      return failure();
    grid += blocks;
  }
  return grid;
}

FailureOr<bool> mp::prepareColumns(KernelFunction &f, Elements &values, const ColumnRoot &root) {
  SmallVector<Value> yields = llvm::map_to_vector(root.results, [&](unsigned index) { return f.yields()[index]; });
  if (failed(values.prepare(root.op->getOperands())) || failed(values.prepare(yields)))
    return failure();
  return values.isEvenAlong(root.op->getOperand(0), root.columns) &&
         llvm::all_of(yields, [&](Value yield) { return values.evenRun(yield, 1) % root.columns == 0; });
}

LogicalResult mp::finishColumns(KernelFunction &f, Elements &values, const ColumnRoot &root, Value combined,
                                const Lanes &here) {
  values.bindLanes(root.op->getResult(0), ReductionFormInterface(root.op).finish(f.b, combined, root.rows), here);
  return f.storeResults(values, root.results, here);
}
