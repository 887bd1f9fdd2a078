// An operand's way from memory to shared memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/NVVM/Contraction/OperandCopy.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mp;

OperandView OperandView::of(const Product &product, bool isLhs, MmaScheduleAttr schedule) {
  OperandView view;
  view.tensor = isLhs ? product.lhs : product.rhs;
  view.element = product.element;
  view.map = isLhs ? product.lhsMap : product.rhsMap;
  view.isKMajor = view.map.isAlongDepth();
  const int64_t outer = isLhs ? product.m : product.n;
  const int64_t block = isLhs ? schedule.getBlockM() : schedule.getBlockN();
  view.rows = view.isKMajor ? outer : product.k;
  view.columns = view.isKMajor ? product.k : outer;
  view.blockRows = view.isKMajor ? block : schedule.getBlockK();
  view.blockColumns = view.isKMajor ? schedule.getBlockK() : block;
  return view;
}

OperandCopy::OperandCopy(GPUFunction &f, const OperandView &view, const SharedTile &tile, int64_t width)
    : f(f), view(view), operand(f, view.tensor, view.map), tile(tile), address(f, tile), width(width),
      vectorsOfRow(view.blockColumns / width), vectors(std::max<int64_t>(view.blockRows * vectorsOfRow / f.threads, 1)),
      isRowCertain(view.rows % view.blockRows == 0), isColumnCertain(view.columns % view.blockColumns == 0) {
  row = f.div(f.thread, vectorsOfRow);
  column = f.mul(f.rem(f.thread, vectorsOfRow), width);
  if (view.blockRows * vectorsOfRow < f.threads)
    busy = f.isBelow(f.thread, f.i64(view.blockRows * vectorsOfRow));
}

void OperandCopy::locate(Value batchHere, Value first) {
  Value zero = f.i64(0);
  batch = batchHere;
  batchRow = view.map.batch.empty() ? zero : f.mul(batch, view.rows);
  firstRow = view.isKMajor ? first : zero;
  firstColumn = view.isKMajor ? zero : first;
}

OperandCopy::Position OperandCopy::positionOf(int64_t index) const {
  // Threads fill whole rows, or a row takes several passes.
  if (vectorsOfRow <= f.threads)
    return {index * (f.threads / vectorsOfRow), 0};
  const int64_t passes = vectorsOfRow / f.threads;
  return {index / passes, index % passes * f.threads * width};
}

Value OperandCopy::isInside(const Position &position, Value k) {
  Value inside;
  auto require = [&](Value index, int64_t bound) {
    Value isBelow = f.isBelow(index, f.i64(bound));
    inside = inside ? f.b.createOrFold<arith::AndIOp>(inside, isBelow) : isBelow;
  };
  Value rowHere = f.add(f.add(firstRow, row), f.i64(position.rowStep));
  Value columnHere = f.add(f.add(firstColumn, column), f.i64(position.columnStep));
  if (!isRowCertain)
    require(view.isKMajor ? rowHere : f.add(rowHere, k), view.rows);
  if (!isColumnCertain)
    require(view.isKMajor ? f.add(columnHere, k) : columnHere, view.columns);
  return inside;
}

std::pair<Value, Value> OperandCopy::startOf(const Position &position, Value k) {
  Value rowHere = f.add(f.add(firstRow, row), f.i64(position.rowStep));
  Value columnHere = f.add(f.add(firstColumn, column), f.i64(position.columnStep));
  (view.isKMajor ? columnHere : rowHere) = f.add(view.isKMajor ? columnHere : rowHere, k);
  return {rowHere, columnHere};
}

MappedOperand::Element OperandCopy::find(Value viewRow, Value viewColumn) {
  if (view.map.isMatrix())
    return {f.add(batchRow, viewRow), viewColumn, Value()};
  return view.isKMajor ? operand.find(batch, viewRow, viewColumn) : operand.find(batch, viewColumn, viewRow);
}

std::unique_ptr<OperandCopy> mp::makeOperandCopy(GPUFunction &f, Elements &values, const Product &product, bool isLhs,
                                                 const MatrixTiles &tiles) {
  const OperandView view = OperandView::of(product, isLhs, tiles.schedule);
  const SharedTile &tile = isLhs ? tiles.lhs : tiles.rhs;
  if (tiles.isAsync(tile, f.chip))
    return makeAsyncCopy(f, view, tile);
  if (f.chip.has(ChipFeature::CpAsync))
    remark::missed(product.op->getLoc(), remark::RemarkOpts::name("AsyncCopy").category("codegen"))
        << (Twine(isLhs ? "lhs" : "rhs") + " goes through registers on " + f.chip.name + ": " + tile.staged).str();
  Type shared = tiles.info.instruction == MatrixInstruction::Fma ? tiles.sum : view.element;
  return makeStagedCopy(f, values, view, tile, shared);
}
