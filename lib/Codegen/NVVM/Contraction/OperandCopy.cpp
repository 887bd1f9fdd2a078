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

OperandCopy::OperandCopy(GPUFunction &f, const OperandView &view, const SharedTile &tile, int64_t width,
                         bool readsMemory)
    : f(f), view(view), operand(f, view.tensor, view.map), tile(tile), address(f, tile), width(width),
      vectorsOfRow(view.blockColumns / width), vectors(std::max<int64_t>(view.blockRows * vectorsOfRow / f.threads, 1)),
      isRowCertain(view.rows % view.blockRows == 0), isColumnCertain(view.columns % view.blockColumns == 0) {
  row = f.div(f.thread, vectorsOfRow);
  column = f.mul(f.rem(f.thread, vectorsOfRow), width);
  if (view.blockRows * vectorsOfRow < f.threads)
    busy = f.isBelow(f.thread, f.i64(view.blockRows * vectorsOfRow));
  // Of a row that a pass fills, or several rows, each vector lies in another row of the same column.
  const int64_t passes = std::max<int64_t>(vectorsOfRow / f.threads, 1);
  const int64_t outer = view.isKMajor ? vectors / passes : passes;
  const int64_t blockK = view.isKMajor ? view.blockColumns : view.blockRows;
  if (readsMemory && Gather::fits(view.map, blockK, outer, vectors / outer))
    gather.emplace(f, operand, blockK, view.isKMajor ? column : row);
}

void OperandCopy::locate(Value batchHere, Value first) {
  Value zero = f.i64(0);
  batch = batchHere;
  batchRow = view.map.batch.empty() ? zero : f.mul(batch, view.rows);
  firstRow = view.isKMajor ? first : zero;
  firstColumn = view.isKMajor ? zero : first;
  gathered.clear();
  for (int64_t index = 0; gather && index < vectors; ++index) {
    const Position position = positionOf(index);
    gathered.push_back(gather->locate(batch, outerOf(position), isOuterInside(position)));
  }
}

OperandCopy::Position OperandCopy::positionOf(int64_t index) const {
  // Threads fill whole rows, or a row takes several passes.
  if (vectorsOfRow <= f.threads)
    return {index * (f.threads / vectorsOfRow), 0};
  const int64_t passes = vectorsOfRow / f.threads;
  return {index / passes, index % passes * f.threads * width};
}

Value OperandCopy::isBelow(Value index, int64_t bound, bool isCertain) {
  return isCertain ? Value() : f.isBelow(index, f.i64(bound));
}

Value OperandCopy::outerOf(const Position &position) {
  return view.isKMajor ? f.add(f.add(firstRow, row), f.i64(position.rowStep))
                       : f.add(f.add(firstColumn, column), f.i64(position.columnStep));
}

Value OperandCopy::depthOf(const Position &position, Value k) {
  return view.isKMajor ? f.add(f.add(f.add(firstColumn, column), f.i64(position.columnStep)), k)
                       : f.add(f.add(f.add(firstRow, row), f.i64(position.rowStep)), k);
}

Value OperandCopy::isOuterInside(const Position &position) {
  const bool isCertain = view.isKMajor ? isRowCertain : isColumnCertain;
  return isBelow(outerOf(position), view.isKMajor ? view.rows : view.columns, isCertain);
}

Value OperandCopy::isDepthInside(const Position &position, Value k) {
  const bool isCertain = view.isKMajor ? isColumnCertain : isRowCertain;
  return isBelow(depthOf(position, k), view.isKMajor ? view.columns : view.rows, isCertain);
}

Value OperandCopy::isInside(const Position &position, Value k) {
  return both(isOuterInside(position), isDepthInside(position, k));
}

void OperandCopy::begin(Value stage, Value k, Value isThere) {
  if (!copiesAlways())
    return;
  copyAlways(stage, find(k, isThere));
}

SmallVector<Gather::Place> OperandCopy::find(Value k, Value isThere) {
  SmallVector<Gather::Place> found;
  gather->enter(k, isThere);
  for (auto [index, vector] : llvm::enumerate(gathered)) {
    const Position position = positionOf(static_cast<int64_t>(index));
    found.push_back(gather->find(vector, view.isKMajor ? position.columnStep : position.rowStep));
    found.back().isThere = both(found.back().isThere, isDepthInside(position, k));
  }
  return found;
}

std::pair<Value, Value> OperandCopy::startOf(const Position &position, Value k) {
  Value outer = outerOf(position), depth = depthOf(position, k);
  return view.isKMajor ? std::pair(outer, depth) : std::pair(depth, outer);
}

MappedOperand::Element OperandCopy::lookUp(Value viewRow, Value viewColumn) {
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
