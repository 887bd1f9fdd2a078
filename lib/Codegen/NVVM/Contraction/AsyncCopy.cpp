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
      : OperandCopy(f, view, tile, Chip::kAccessBytes / tile.elementBytes) {}

  bool isAsync() const override { return true; }
  SmallVector<Type> startedTypes() const override { return {}; }
  FailureOr<SmallVector<Value>> start(Value stage, Value k) override;
  void finish(Value, ValueRange) override {}

private:
  void copy(const Position &position, Value stage, Value source, Value k);
};

} // namespace

void AsyncCopy::copy(const Position &position, Value stage, Value source, Value k) {
  LaneBuilder &b = f.b;
  Value target = address.at(stage, row, position.rowStep, column, position.columnStep);
  Value from = f.offset(source, view.element, position.rowStep * view.columns + position.columnStep);
  // Beyond the edge nothing is read, and zeros are written.
  Value bytes;
  if (Value inside = isInside(position, k))
    bytes = arith::SelectOp::create(b, inside, intConstant(b, b.getI32Type(), Chip::kAccessBytes),
                                    intConstant(b, b.getI32Type(), 0));
  NVVM::CpAsyncOp::create(b, target, from, static_cast<uint32_t>(Chip::kAccessBytes), NVVM::LoadCacheModifierKind::CG,
                          bytes);
}

FailureOr<SmallVector<Value>> AsyncCopy::start(Value stage, Value k) {
  Value rowHere = f.add(f.add(batchRow, firstRow), row), columnHere = f.add(firstColumn, column);
  Value origin = f.input(cast<BlockArgument>(view.tensor).getArgNumber());
  Value first = f.offset(origin, view.element, f.add(f.mul(rowHere, view.columns), columnHere));
  Value source = f.offset(first, view.element, view.isKMajor ? k : f.mul(k, view.columns));
  auto copyAll = [&] {
    for (int64_t index = 0; index < count(); ++index)
      copy(positionOf(index), stage, source, k);
    return success();
  };
  if (failed(isBusy() ? f.when(isBusy(), copyAll) : copyAll()))
    return failure();
  return SmallVector<Value>();
}

std::unique_ptr<OperandCopy> mp::makeAsyncCopy(GPUFunction &f, const OperandView &view, const SharedTile &tile) {
  return std::make_unique<AsyncCopy>(f, view, tile);
}
