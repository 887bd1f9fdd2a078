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
  SmallVector<Type> startedTypes() const override { return {}; }
  FailureOr<SmallVector<Value>> start(Value stage, Value k, Value isThere) override;
  void finish(Value, ValueRange) override {}

private:
  void copy(const Position &position, Value stage, Value from, Value isThere);
  void copyMatrix(Value origin, Value stage, Value k);
  void copyFound(Value stage, ArrayRef<Gather::Place> places);
  void copyMapped(Value origin, Value stage, Value k);

  const int64_t bytes; ///< of a copy: a whole access, or less where that is what lies together
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

/// The vectors of a tile are as far from each other as the rows of the matrix: one address serves all.
void AsyncCopy::copyMatrix(Value source, Value stage, Value k) {
  for (int64_t index = 0; index < count(); ++index) {
    const Position position = positionOf(index);
    Value from = f.offset(source, view.element, position.rowStep * view.columns + position.columnStep);
    copy(position, stage, from, isInside(position, k));
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
    const MappedOperand::Element at = lookUp(rowHere, columnHere);
    Value from = f.offset(origin, view.element, f.add(f.mul(at.row, operand.columns), at.column));
    copy(position, stage, from, both(isInside(position, k), at.isThere));
  }
}

FailureOr<SmallVector<Value>> AsyncCopy::start(Value stage, Value k, Value isThere) {
  Value origin = f.input(cast<BlockArgument>(view.tensor).getArgNumber());
  Value source = origin;
  SmallVector<Gather::Place> places;
  if (copiesAlways()) {
    places = find(k, isThere);
  } else if (view.map.isMatrix()) {
    Value rowHere = f.add(f.add(batchRow, firstRow), row), columnHere = f.add(firstColumn, column);
    Value first = f.offset(origin, view.element, f.add(f.mul(rowHere, view.columns), columnHere));
    source = f.offset(first, view.element, view.isKMajor ? k : f.mul(k, view.columns));
  }
  auto copyAll = [&] {
    if (copiesAlways())
      copyFound(stage, places);
    else if (view.map.isMatrix())
      copyMatrix(source, stage, k);
    else
      copyMapped(origin, stage, k);
    return success();
  };
  if (failed(isBusy() ? f.when(isBusy(), copyAll) : copyAll()))
    return failure();
  return SmallVector<Value>();
}

std::unique_ptr<OperandCopy> mp::makeAsyncCopy(GPUFunction &f, const OperandView &view, const SharedTile &tile) {
  return std::make_unique<AsyncCopy>(f, view, tile);
}
