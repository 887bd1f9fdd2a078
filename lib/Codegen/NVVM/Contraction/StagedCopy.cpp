// An operand's way through registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/NVVM/Contraction/OperandCopy.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace mp;

/// Whether memory has an operand as it is multiplied.
static bool isInMemory(const OperandView &view, Type shared) {
  return isa<BlockArgument>(view.tensor) && shared == view.element;
}

namespace {

class StagedCopy : public OperandCopy {
public:
  using OperandCopy::patternOf;

  StagedCopy(GPUFunction &f, Elements &values, const OperandView &view, const SharedTile &tile, Type shared,
             int64_t width, int64_t run)
      : OperandCopy(f, view, tile, width, run, isInMemory(view, shared)), values(values), shared(shared),
        isEven(values.isEvenAlong(view.tensor, operand.columns)) {}

  bool isAsync() const override { return false; }
  SmallVector<Type> startedTypes() const override {
    return SmallVector<Type>(count() * runsOfVector(), waitingType(run));
  }
  FailureOr<SmallVector<Value>> start(Value stage, const StepOfK &step) override;
  void finish(Value stage, Value k, ValueRange started) override;

private:
  /// What waits in registers is what will be stored; of 16-bit floats the bits, which need no instruction of their own.
  Type waitingType(int64_t lanes) const {
    Type type = withLanes(shared, lanes);
    return shared.getIntOrFloatBitWidth() == 16 ? integerTwin(type) : type;
  }
  Value zero() { return arith::ConstantOp::create(f.b, cast<TypedAttr>(f.b.getZeroAttr(waitingType(run)))); }
  FailureOr<Value> load(const Position &position, Value k);
  Value loadFound(const Gather::Place &place);
  Value loadFrom(Value address);
  Value orZero(Value loaded, Value isThere);
  /// What waits, from `column` of row `row` of memory.
  FailureOr<Value> read(Value row, Value column);
  Value join(ValueRange runs);
  void store(const Position &position, Value stage, Value loaded);

  Elements &values;
  Type shared; ///< how shared memory holds elements
  bool isEven;
};

} // namespace

Value StagedCopy::loadFrom(Value address) {
  return LLVM::LoadOp::create(f.b, waitingType(run), address, tile.elementBytes * run);
}

/// What lies in memory as it is multiplied is moved, bit by bit; all else is computed, and rounded again.
FailureOr<Value> StagedCopy::read(Value rowHere, Value columnHere) {
  if (isInMemory(view, shared))
    return loadFrom(f.offset(f.input(cast<BlockArgument>(view.tensor).getArgNumber()), shared,
                             f.add(f.mul(rowHere, operand.columns), columnHere)));
  FailureOr<Value> loaded = values.at(view.tensor, values.inRow(rowHere, operand.columns, columnHere, width, isEven));
  if (failed(loaded))
    return failure();
  Value inMemory = shared == registerType(shared) ? *loaded : toMemory(f.b, *loaded, shared);
  return f.b.createOrFold<arith::BitcastOp>(waitingType(run), inMemory);
}

/// What lies beyond the edge is read at the edge instead, and replaced by zeros where it is stored: no branch, no load
/// of what is not there, and nothing waits for one.
FailureOr<Value> StagedCopy::load(const Position &position, Value k) {
  auto [rowHere, columnHere] = startOf(position, k);
  if (!isRowSure())
    rowHere = f.min(rowHere, f.i64(view.rows - 1));
  if (!isColumnSure())
    columnHere = f.min(columnHere, f.i64(view.columns - width));
  const MappedOperand::Element at = findElement(rowHere, columnHere);
  FailureOr<Value> found = read(at.row, at.column);
  if (failed(found))
    return failure();
  return orZero(*found, at.isThere);
}

Value StagedCopy::orZero(Value loaded, Value isThere) {
  return isThere ? Value(arith::SelectOp::create(f.b, isThere, loaded, zero())) : loaded;
}

/// A branch around one load becomes a predicate. It waits for nothing, as a choice between what is loaded and zero
/// would. The address is computed there, too, so that LLVM sees the multiplication to 64 bits, which is one
/// instruction.
Value StagedCopy::loadFound(const Gather::Place &place) {
  auto load = [&] { return FailureOr<SmallVector<Value>>({loadFrom(addressOf(place))}); };
  Value isRead = both(place.isThere, isBusy());
  return isRead ? f.when(isRead, zero(), load)->front() : load()->front();
}

FailureOr<SmallVector<Value>> StagedCopy::start(Value, const StepOfK &step) {
  Elements::Scope scope(values);
  SmallVector<Value> started;
  if (copiesAlways()) {
    for (const Gather::Place &place : find(step))
      started.push_back(loadFound(place));
    return started;
  }
  for (int64_t index = 0; index < count(); ++index) {
    FailureOr<Value> waiting = load(positionOf(index), step.k);
    if (failed(waiting))
      return failure();
    started.push_back(*waiting);
  }
  return started;
}

/// A vector of its runs.
Value StagedCopy::join(ValueRange runs) {
  if (runs.size() == 1)
    return runs.front();
  SmallVector<Value> lanes;
  for (Value each : runs)
    for (int64_t lane = 0; lane < run; ++lane)
      lanes.push_back(run == 1 ? each : Value(vector::ExtractOp::create(f.b, each, lane)));
  return vector::FromElementsOp::create(f.b, cast<VectorType>(waitingType(width)), lanes);
}

void StagedCopy::store(const Position &position, Value stage, Value loaded) {
  const unsigned bytes = tile.elementBytes;
  if (tile.outerMajor != view.isKMajor) {
    Value target = address.at(stage, row, position.rowStep, column, position.columnStep);
    LLVM::StoreOp::create(f.b, loaded, target, bytes * width);
    return;
  }
  // A column of the tile, element by element.
  for (int64_t lane = 0; lane < width; ++lane) {
    Value element = width == 1 ? loaded : Value(vector::ExtractOp::create(f.b, loaded, lane));
    Value target = address.at(stage, f.add(column, f.i64(position.columnStep)), lane, row, position.rowStep);
    LLVM::StoreOp::create(f.b, element, target, bytes);
  }
}

void StagedCopy::finish(Value stage, Value k, ValueRange started) {
  auto storeAll = [&] {
    for (int64_t index = 0; index < count(); ++index) {
      const Position position = positionOf(index);
      Value vector = join(started.slice(index * runsOfVector(), runsOfVector()));
      store(position, stage, copiesAlways() ? vector : orZero(vector, isInside(position, k)));
    }
    return success();
  };
  (void)(isBusy() ? f.when(isBusy(), storeAll) : storeAll());
}

std::unique_ptr<OperandCopy> mp::makeStagedCopy(GPUFunction &f, Elements &values, const OperandView &view,
                                                const SharedTile &tile, Type shared) {
  // An access of the tensor that is read, but no wider than a row of the tile, or a run in memory, allows.
  const bool isEven = values.isEvenAlong(view.tensor, view.map.dimensions.back().size);
  const int64_t widest = std::min(Chip::kAccessBytes / tile.elementBytes, view.blockColumns);
  const int64_t run = isEven ? std::gcd(view.map.getRun(), widest) : 1;
  // Runs that are found one by one are stored together, as many as still leave all threads something to do: they share
  // what is found out of a pixel.
  int64_t width = run;
  if (isInMemory(view, shared) && tile.outerMajor != view.isKMajor)
    while (2 * width <= widest && view.blockRows * view.blockColumns >= 2 * width * f.threads &&
           Gather::fits(view.map, StagedCopy::patternOf(f, view, 2 * width, run)))
      width *= 2;
  return std::make_unique<StagedCopy>(f, values, view, tile, shared, width, run);
}
