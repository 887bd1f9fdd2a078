// An operand's way by cp.async.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/NVVM/Contraction/OperandCopy.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mp;

namespace {

class AsyncCopy : public OperandCopy {
public:
  AsyncCopy(GPUFunction &f, const OperandView &view, const SharedTile &tile)
      : OperandCopy(f, view, tile, tile.width, tile.width, /*readsMemory=*/true), bytes(width * tile.elementBytes) {}

  bool isAsync() const override { return true; }
  bool copiesAlways() const override { return isGathered() || view.map.isMatrix(); }
  void locate(Value batch, Value first, Value firstK) override;
  SmallVector<Type> startedTypes() const override { return {}; }
  FailureOr<SmallVector<Value>> start(Value stage, const StepOfK &step) override;
  void finish(Value, Value, ValueRange) override {}

private:
  void copy(const Position &position, Value stage, Value from, Value isThere);
  void copyMatrix(Value stage, const StepOfK &step);
  void copyFound(Value stage, ArrayRef<Gather::Place> places);
  void copyMapped(Value origin, Value stage, Value k);

  const int64_t bytes;          ///< of a copy: a whole access, or less where that is what lies together
  SmallVector<Value> addresses; ///< of a matrix's vectors in the first step
};

} // namespace

void AsyncCopy::copy(const Position &position, Value stage, Value from, Value isThere) {
  LaneBuilder &b = f.b;
  Value target = address.at(stage, row, position.rowStep, column, position.columnStep);
  // Beyond the edge nothing is read, and zeros are written.
  Value read;
  if (isThere)
    read =
        arith::SelectOp::create(b, isThere, intConstant(b, b.getI32Type(), bytes), intConstant(b, b.getI32Type(), 0));
  // Only whole accesses may pass by the first cache.
  const auto cache = bytes == Chip::kAccessBytes ? NVVM::LoadCacheModifierKind::CG : NVVM::LoadCacheModifierKind::CA;
  NVVM::CpAsyncOp::create(b, target, from, static_cast<uint32_t>(bytes), cache, read);
}

/// Rows of a matrix lie further apart than an instruction can say: each vector has its address, to which a step adds in
/// one multiplication.
void AsyncCopy::locate(Value batchHere, Value first, Value firstK) {
  OperandCopy::locate(batchHere, first, firstK);
  addresses.clear();
  if (!view.map.isMatrix())
    return;
  Value rowHere = f.add(f.add(batchRow, firstRow), row), columnHere = f.add(firstColumn, column);
  (view.isKMajor ? columnHere : rowHere) = f.add(view.isKMajor ? columnHere : rowHere, firstK);
  Value source = f.offset(f.input(cast<BlockArgument>(view.tensor).getArgNumber()), view.element,
                          f.add(f.mul(rowHere, view.columns), columnHere));
  for (int64_t index = 0; index < count(); ++index) {
    const Position position = positionOf(index);
    addresses.push_back(f.offset(source, view.element, position.rowStep * view.columns + position.columnStep));
  }
}

void AsyncCopy::copyMatrix(Value stage, const StepOfK &step) {
  const int64_t elements = view.isKMajor ? view.blockColumns : view.blockRows * view.columns;
  Value distance = f.mul(f.b.createOrFold<arith::ExtSIOp>(f.b.getI64Type(), step.number), elements);
  for (auto [index, address] : llvm::enumerate(addresses)) {
    const Position position = positionOf(static_cast<int64_t>(index));
    copy(position, stage, f.offset(address, view.element, distance), both(isInside(position, step.k), step.isThere));
  }
}

void AsyncCopy::copyFound(Value stage, ArrayRef<Gather::Place> places) {
  for (auto [index, place] : llvm::enumerate(places))
    copy(positionOf(static_cast<int64_t>(index)), stage, addressOf(place), place.isThere);
}

void AsyncCopy::copyMapped(Value origin, Value stage, Value k) {
  for (int64_t index = 0; index < count(); ++index) {
    const Position position = positionOf(index);
    auto [rowHere, columnHere] = startOf(position, k);
    const MappedOperand::Element at = findElement(rowHere, columnHere);
    Value from = f.offset(origin, view.element, f.add(f.mul(at.row, operand.columns), at.column));
    copy(position, stage, from, both(isInside(position, k), at.isThere));
  }
}

FailureOr<SmallVector<Value>> AsyncCopy::start(Value stage, const StepOfK &step) {
  SmallVector<Gather::Place> places;
  if (isGathered())
    places = find(step);
  auto copyAll = [&] {
    if (isGathered())
      copyFound(stage, places);
    else if (view.map.isMatrix())
      copyMatrix(stage, step);
    else
      copyMapped(f.input(cast<BlockArgument>(view.tensor).getArgNumber()), stage, step.k);
    return success();
  };
  if (failed(isBusy() ? f.when(isBusy(), copyAll) : copyAll()))
    return failure();
  return SmallVector<Value>();
}

std::unique_ptr<OperandCopy> mp::makeAsyncCopy(GPUFunction &f, const OperandView &view, const SharedTile &tile) {
  return std::make_unique<AsyncCopy>(f, view, tile);
}
