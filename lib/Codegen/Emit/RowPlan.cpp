// The walks over a row that a row kernel makes.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Emit/RowPlan.h"

#include "Codegen/Emit/Reduce.h"
#include "mp/IR/Forms.h"

using namespace mlir;
using namespace mp;

static int64_t countElements(Value value) { return ShapedType::getNumElements(shapeOf(value)); }

RowPlan::RowPlan(Block &body, int64_t rows) : body(body), rows(rows) {
  for (Operation &op : body.without_terminator())
    if (isRowOp(&op))
      leads.emplace_back(shapeOf(op.getOperand(0)).drop_back());
  for (Operation &op : body.without_terminator()) {
    unsigned walk = isRowOp(&op);
    for (Value operand : op.getOperands())
      if (Operation *producer = operand.getDefiningOp())
        walk = std::max(walk, walkOf(producer) + isRowOp(&op));
    walkOfOp[&op] = walk;
    walks = std::max(walks, walk);
    if (isRowOp(&op) || isOfRowOp(&op))
      ofRow.insert(op.result_begin(), op.result_end());
  }
}

/// Whether an op maps what each row has one of. By its operands; or by its shape [..., 1], which no row has.
bool RowPlan::isOfRowOp(Operation *op) const {
  auto isColumn = [&](Value value) {
    ArrayRef<int64_t> shape = shapeOf(value);
    return !shape.empty() && shape.back() == 1 && llvm::is_contained(leads, shape.drop_back());
  };
  const bool hasOne = llvm::all_of(op->getResults(), [&](Value result) { return countElements(result) == rows; });
  return hasOne && op->getNumOperands() > 0 && isa<ScalarFormInterface>(op) &&
         (llvm::any_of(op->getOperands(), [&](Value operand) { return isOfRow(operand); }) ||
          llvm::all_of(op->getResults(), isColumn));
}

/// Whether a value is a map of rows.
bool RowPlan::isRow(Value value) const {
  Operation *op = value.getDefiningOp();
  return op && isa<ScalarFormInterface>(op) && op->getNumResults() == 1 && !isOfRow(value) && !shapeOf(value).empty() &&
         ShapedType::getNumElements(shapeOf(value).drop_back()) == rows;
}

llvm::SetVector<Value> RowPlan::rowsIn(Value value) const {
  llvm::SetVector<Value> seen, read;
  seen.insert(value);
  for (size_t next = 0; next < seen.size(); ++next) {
    Value part = seen[next];
    ArrayRef<int64_t> shape = shapeOf(part);
    if (isa<BlockArgument>(part) && !shape.empty() && shape.back() != 1 &&
        ShapedType::getNumElements(shape.drop_back()) == rows)
      read.insert(part);
    else if (isRow(part))
      for (OpOperand &operand : part.getDefiningOp()->getOpOperands())
        if (!readsWhole(operand))
          seen.insert(operand.get());
  }
  return read;
}

/// Results are read after all walks.
unsigned RowPlan::walkOfReader(Operation *op) const {
  return op->hasTrait<mlir::OpTrait::IsTerminator>() ? walks + 1 : walkOf(op);
}

/// The first walk in which a reduction reads `value`, which can keep it; 0 if none does.
unsigned RowPlan::firstWalk(const Readers &readers, Value value) const {
  unsigned first = 0;
  for (Operation *reader : readers.lookup(value))
    if (isa<ReductionFormInterface>(reader) && (first == 0 || walkOf(reader) < first))
      first = walkOf(reader);
  return first;
}

/// For each map of rows the reductions, row ops and the terminator that compute it where they read what it is part of.
/// What is in `kept` is computed in its first walk, and later read as it is.
RowPlan::Readers RowPlan::findReaders(const DenseSet<Value> &kept) const {
  Readers readers;
  // Backwards, so that all readers of a value are known before those of its operands.
  for (Operation &op : llvm::reverse(body)) {
    const bool looks = op.hasTrait<mlir::OpTrait::IsTerminator>() || isRowOp(&op);
    if (!looks && !llvm::any_of(op.getResults(), [&](Value result) { return isRow(result); }))
      continue;
    SmallVector<Operation *> own;
    if (looks)
      own.push_back(&op);
    else
      llvm::append_range(own, readers.lookup(op.getResult(0)));
    if (!looks && kept.contains(op.getResult(0))) {
      const unsigned first = firstWalk(readers, op.getResult(0));
      llvm::erase_if(own, [&](Operation *reader) { return walkOfReader(reader) > first; });
    }
    for (Value operand : op.getOperands())
      if (isRow(operand))
        readers[operand].insert(own.begin(), own.end());
  }
  return readers;
}

SmallVector<RowPlan::Kept> RowPlan::findKept(int64_t limit, function_ref<bool(Value)> isEven) const {
  Readers readers = findReaders({});
  auto isReadLater = [&](Value value) {
    const unsigned first = firstWalk(readers, value);
    return first != 0 &&
           llvm::any_of(readers.lookup(value), [&](Operation *reader) { return walkOfReader(reader) > first; });
  };
  auto walksAlong = [&](Operation *reader) { return llvm::all_of(reader->getOperands(), isEven); };

  DenseSet<Value> kept;
  DenseMap<Value, int64_t> costs;
  for (Operation &op : body.without_terminator()) {
    if (op.getNumResults() != 1 || !isRow(op.getResult(0)))
      continue;
    Value row = op.getResult(0);
    int64_t cost = roleOf(&op) == KernelRole::Movement ? 0 : cast<KernelOpInterface>(op).getOperationsPerElement();
    for (Value operand : op.getOperands())
      cost += costs.lookup(operand);
    costs[row] = cost;
    if (cost > limit && isReadLater(row) && llvm::all_of(readers.lookup(row), walksAlong)) {
      kept.insert(row);
      costs[row] = 0;
    }
  }
  // What only kept rows are made of is read once.
  SmallVector<Kept> found;
  readers = findReaders(kept);
  for (Operation &op : body.without_terminator()) {
    if (op.getNumResults() != 1 || !kept.contains(op.getResult(0)) || !isReadLater(op.getResult(0)))
      continue;
    const unsigned first = firstWalk(readers, op.getResult(0));
    Kept &own = found.emplace_back(Kept{op.getResult(0), {}});
    for (Operation *reader : readers.lookup(op.getResult(0)))
      if (isa<ReductionFormInterface>(reader) && walkOf(reader) == first)
        own.writers.push_back(reader);
  }
  return found;
}
