// An operand's way through registers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/NVVM/Contraction/OperandCopy.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace mp;

namespace {

class StagedCopy : public OperandCopy {
public:
  StagedCopy(GPUFunction &f, Elements &values, const OperandView &view, const SharedTile &tile, Type shared,
             int64_t width)
      : OperandCopy(f, view, tile, width, isa<BlockArgument>(view.tensor) && shared == view.element), values(values),
        shared(shared), isEven(values.isEvenAlong(view.tensor, operand.columns)) {}

  bool isAsync() const override { return false; }
  SmallVector<Type> startedTypes() const override { return SmallVector<Type>(count(), waitingType()); }
  FailureOr<SmallVector<Value>> start(Value stage, Value k) override;
  void finish(Value stage, ValueRange started) override;

private:
  /// What waits in registers is what will be stored; of 16-bit floats the bits, which need no instruction of their own.
  Type waitingType() const {
    Type lanes = withLanes(shared, width);
    return shared.getIntOrFloatBitWidth() == 16 ? integerTwin(lanes) : lanes;
  }
  FailureOr<Value> load(const Position &position, Value k);
  Value loadFound(Gather::Place place);
  Value loadFrom(Value element);
  Value orZero(Value loaded, Value isThere);
  /// What waits, from `column` of row `row` of memory.
  FailureOr<Value> read(Value row, Value column);
  void store(const Position &position, Value stage, Value loaded);

  Elements &values;
  Type shared; ///< how shared memory holds elements
  bool isEven;
};

} // namespace

Value StagedCopy::loadFrom(Value element) {
  Value from = f.offset(f.input(cast<BlockArgument>(view.tensor).getArgNumber()), shared, element);
  return LLVM::LoadOp::create(f.b, waitingType(), from, tile.elementBytes * width);
}

/// What lies in memory as it is multiplied is moved, bit by bit; all else is computed, and rounded again.
FailureOr<Value> StagedCopy::read(Value rowHere, Value columnHere) {
  if (isa<BlockArgument>(view.tensor) && shared == view.element)
    return loadFrom(f.add(f.mul(rowHere, operand.columns), columnHere));
  FailureOr<Value> loaded = values.at(view.tensor, values.inRow(rowHere, operand.columns, columnHere, width, isEven));
  if (failed(loaded))
    return failure();
  Value inMemory = shared == registerType(shared) ? *loaded : toMemory(f.b, *loaded, shared);
  return f.b.createOrFold<arith::BitcastOp>(waitingType(), inMemory);
}

/// What lies beyond the edge is read at the edge instead, and replaced by zeros: no branch, no load of what is not
/// there.
FailureOr<Value> StagedCopy::load(const Position &position, Value k) {
  auto [rowHere, columnHere] = startOf(position, k);
  Value inside = isInside(position, k);
  if (inside || isBusy()) {
    rowHere = f.min(rowHere, f.i64(view.rows - 1));
    columnHere = f.min(columnHere, f.i64(view.columns - width));
  }
  const MappedOperand::Element at = lookUp(rowHere, columnHere);
  inside = both(inside, at.isThere);
  FailureOr<Value> found = read(at.row, at.column);
  if (failed(found))
    return failure();
  return orZero(*found, inside);
}

Value StagedCopy::orZero(Value loaded, Value isThere) {
  if (!isThere)
    return loaded;
  Value zero = arith::ConstantOp::create(f.b, cast<TypedAttr>(f.b.getZeroAttr(waitingType())));
  return arith::SelectOp::create(f.b, isThere, loaded, zero);
}

/// What is nowhere is read at the first element instead, and so is what a thread without a vector would read.
Value StagedCopy::loadFound(Gather::Place place) {
  if (Value isRead = both(place.isThere, isBusy()))
    place.element = arith::SelectOp::create(f.b, isRead, place.element, f.i64(0));
  return orZero(loadFrom(place.element), place.isThere);
}

FailureOr<SmallVector<Value>> StagedCopy::start(Value, Value k) {
  Elements::Scope scope(values);
  SmallVector<Value> started;
  if (isGathered()) {
    for (const Gather::Place &place : find(k))
      started.push_back(loadFound(place));
    return started;
  }
  for (int64_t index = 0; index < count(); ++index) {
    FailureOr<Value> waiting = load(positionOf(index), k);
    if (failed(waiting))
      return failure();
    started.push_back(*waiting);
  }
  return started;
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

void StagedCopy::finish(Value stage, ValueRange started) {
  auto storeAll = [&] {
    for (auto [index, loaded] : llvm::enumerate(started))
      store(positionOf(index), stage, loaded);
    return success();
  };
  (void)(isBusy() ? f.when(isBusy(), storeAll) : storeAll());
}

std::unique_ptr<OperandCopy> mp::makeStagedCopy(GPUFunction &f, Elements &values, const OperandView &view,
                                                const SharedTile &tile, Type shared) {
  // An access of the tensor that is read, but no wider than a row of the tile, or a run in memory, allows.
  const bool isEven = values.isEvenAlong(view.tensor, view.map.dimensions.back().size);
  const int64_t widest = std::min(Chip::kAccessBytes / tile.elementBytes, view.blockColumns);
  return std::make_unique<StagedCopy>(f, values, view, tile, shared, isEven ? std::gcd(view.map.getRun(), widest) : 1);
}
