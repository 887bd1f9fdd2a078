// What ops say of the tiles in which products are made.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/IR/ProductTiles.h"

#include "mp/IR/MP.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace mp;

#include "mp/IR/MPTiles.cpp.inc"

namespace {

/// Of an op with a row of results for each block of rows.
template <typename Op> struct RowBlocks : TileReductionInterface::ExternalModel<RowBlocks<Op>, Op> {
  ResultTile getTile(Operation *op) const { return {static_cast<int64_t>(cast<Op>(op).getBlock()), std::nullopt}; }
};

struct Rectangles : TileReductionInterface::ExternalModel<Rectangles, NonfiniteTilesOp> {
  ResultTile getTile(Operation *op) const {
    auto tiles = cast<NonfiniteTilesOp>(op);
    return {static_cast<int64_t>(tiles.getRows()), static_cast<int64_t>(tiles.getColumns())};
  }
};

} // namespace

static RankedTensorType pooledLines(Value lines) {
  return typeOf(lines).clone({shapeOf(lines)[0], 1, shapeOf(lines)[2]});
}

namespace {

struct Largest : WinnerInterface::ExternalModel<Largest, MaxPoolOp> {
  Operation *poolLines(Operation *, ImplicitLocOpBuilder &b, Value lines) const {
    const ArrayRef<int64_t> window = shapeOf(lines).slice(1, 1);
    return MaxPoolOp::create(b, pooledLines(lines), lines, window, window, ArrayRef<int64_t>{0, 0},
                             ArrayRef<int64_t>{1});
  }
};

struct LargestWithIndices : WinnerInterface::ExternalModel<LargestWithIndices, MaxPoolWithIndicesOp> {
  Operation *poolLines(Operation *op, ImplicitLocOpBuilder &b, Value lines) const {
    const RankedTensorType values = pooledLines(lines);
    return MaxPoolWithIndicesOp::create(b, values, typeOf(op->getResult(1)).clone(values.getShape()), lines,
                                        shapeOf(lines).slice(1, 1));
  }
};

} // namespace

void mp::attachProductTiles(MLIRContext *context) {
  SumRowBlocksOp::attachInterface<RowBlocks<SumRowBlocksOp>>(*context);
  RowBlockMomentsOp::attachInterface<RowBlocks<RowBlockMomentsOp>>(*context);
  NonfiniteTilesOp::attachInterface<Rectangles>(*context);
  MaxPoolOp::attachInterface<Largest>(*context);
  MaxPoolWithIndicesOp::attachInterface<LargestWithIndices>(*context);
}
