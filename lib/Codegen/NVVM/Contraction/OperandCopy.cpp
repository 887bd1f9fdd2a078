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
  view.isCut = product.parts > 1;
  view.stages = schedule.getStages();
  const int64_t outer = isLhs ? product.m : product.n;
  const int64_t block = isLhs ? schedule.getBlockM() : schedule.getBlockN();
  view.rows = view.isKMajor ? outer : product.k;
  view.columns = view.isKMajor ? product.k : outer;
  view.blockRows = view.isKMajor ? block : schedule.getBlockK();
  view.blockColumns = view.isKMajor ? schedule.getBlockK() : block;
  return view;
}

bool mp::isCrowded(const MatrixTiles &tiles, const Chip &chip) {
  constexpr int64_t kOfAddress = 2;
  int64_t registers = tiles.registers(chip);
  for (const SharedTile *tile : {&tiles.lhs, &tiles.rhs}) {
    if (!tiles.isAsync(*tile, chip))
      return false;
    registers += kOfAddress * llvm::divideCeil(tile->rows * tile->columns / tile->width, tiles.schedule.getThreads());
  }
  return registers > Chip::kRegistersPerThread;
}

/// Vectors that a thread copies of each tile.
static int64_t countVectors(GPUFunction &f, const OperandView &view, int64_t width) {
  return std::max<int64_t>(view.blockRows * (view.blockColumns / width) / f.threads, 1);
}

Gather::Pattern OperandCopy::patternOf(GPUFunction &f, const OperandView &view, int64_t width, int64_t run) {
  // Of a row that a pass fills, or several rows, each vector lies in another row of the same column.
  const int64_t vectors = countVectors(f, view, width), vectorsOfRow = view.blockColumns / width;
  const int64_t passes = std::max<int64_t>(vectorsOfRow / f.threads, 1), others = vectors / passes;
  const int64_t alongRow = passes * (width / run), lanesOfRow = std::min(vectorsOfRow, Chip::kWarp);
  if (!view.isKMajor)
    return {.blockK = view.blockRows,
            .stages = view.stages,
            .rows = alongRow,
            .depths = others,
            .apart = std::max<int64_t>(f.threads / vectorsOfRow, 1),
            .sharers = lanesOfRow,
            .isCut = view.isCut,
            .isCrowded = view.isCrowded,
            .isShort = view.isShort};
  Gather::Pattern pattern{.blockK = view.blockColumns,
                          .stages = view.stages,
                          .rows = others,
                          .depths = alongRow,
                          .apart = passes == 1 ? run : 0};
  pattern.isCut = view.isCut;
  pattern.isCrowded = view.isCrowded;
  pattern.isShort = view.isShort;
  if (passes == 1) {
    pattern.sharers = Chip::kWarp / lanesOfRow;
    pattern.distance = lanesOfRow;
  }
  return pattern;
}

OperandCopy::OperandCopy(GPUFunction &f, const OperandView &view, const SharedTile &tile, int64_t width, int64_t run,
                         bool readsMemory)
    : f(f), view(view), operand(f, view.tensor, view.map), tile(tile), address(f, tile), width(width), run(run),
      vectorsOfRow(view.blockColumns / width), vectors(countVectors(f, view, width)),
      isRowCertain(view.rows % view.blockRows == 0), isColumnCertain(view.columns % view.blockColumns == 0) {
  row = f.div(f.thread, vectorsOfRow);
  column = f.mul(f.rem(f.thread, vectorsOfRow), width);
  if (view.blockRows * vectorsOfRow < f.threads)
    busy = f.isBelow(f.thread, f.i64(view.blockRows * vectorsOfRow));
  // Who has no vector to move reads of tables what others do, not beyond their end.
  Value depth = view.isKMajor ? column : busy ? f.rem(row, view.blockRows) : row;
  if (readsMemory && Gather::fits(view.map, patternOf(f, view, width, run)))
    gather.emplace(f, operand, patternOf(f, view, width, run), depth);
}

void OperandCopy::locate(Value batchHere, Value first, Value firstK) {
  Value zero = f.i64(0);
  batch = batchHere;
  batchRow = view.map.batch.empty() ? zero : f.mul(batch, view.rows);
  firstRow = view.isKMajor ? first : zero;
  firstColumn = view.isKMajor ? zero : first;
  gathered.clear();
  if (gather)
    gather->startAt(firstK);
  for (int64_t index = 0; gather && index < vectors; ++index)
    for (int64_t further = 0; further < (view.isKMajor ? run : width); further += run) {
      const Position position = positionOf(index);
      gathered.push_back(gather->locate(batch, outerOf(position, further), isOuterInside(position, further),
                                        view.isKMajor ? position.columnStep : position.rowStep));
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

Value OperandCopy::outerOf(const Position &position, int64_t further) {
  return view.isKMajor ? f.add(f.add(firstRow, row), f.i64(position.rowStep + further))
                       : f.add(f.add(firstColumn, column), f.i64(position.columnStep + further));
}

Value OperandCopy::depthOf(const Position &position, Value k) {
  return view.isKMajor ? f.add(f.add(f.add(firstColumn, column), f.i64(position.columnStep)), k)
                       : f.add(f.add(f.add(firstRow, row), f.i64(position.rowStep)), k);
}

Value OperandCopy::isOuterInside(const Position &position, int64_t further) {
  const bool isCertain = view.isKMajor ? isRowCertain : isColumnCertain;
  return isBelow(outerOf(position, further), view.isKMajor ? view.rows : view.columns, isCertain);
}

Value OperandCopy::isDepthInside(const Position &position, Value k) {
  const bool isCertain = view.isKMajor ? isColumnCertain : isRowCertain;
  return isBelow(depthOf(position, k), view.isKMajor ? view.columns : view.rows, isCertain);
}

Value OperandCopy::isInside(const Position &position, Value k) {
  return both(isOuterInside(position), isDepthInside(position, k));
}

SmallVector<Gather::Place> OperandCopy::find(const StepOfK &step) {
  SmallVector<Gather::Place> found;
  gather->enter(step);
  for (int64_t index = 0; index < vectors; ++index)
    for (int64_t number = 0; number < runsOfVector(); ++number) {
      const Position position = positionOf(index);
      found.push_back(view.isKMajor ? gather->find(gathered[index], position.columnStep + number * run)
                                    : gather->find(gathered[index * runsOfVector() + number], position.rowStep));
    }
  return found;
}

Value OperandCopy::addressOf(const Gather::Place &place) {
  if (place.offset.getType().isInteger(64))
    return f.offset(f.offset(place.from, f.b.getI8Type(), place.offset), view.element, place.constant);
  Value offset = arith::ExtSIOp::create(f.b, f.b.getI64Type(), place.offset);
  return f.offset(place.from, view.element, f.add(offset, f.i64(place.constant)));
}

std::pair<Value, Value> OperandCopy::startOf(const Position &position, Value k) {
  Value outer = outerOf(position), depth = depthOf(position, k);
  return view.isKMajor ? std::pair(outer, depth) : std::pair(depth, outer);
}

MappedOperand::Element OperandCopy::findElement(Value viewRow, Value viewColumn) {
  if (view.map.isMatrix())
    return {f.add(batchRow, viewRow), viewColumn, Value()};
  return view.isKMajor ? operand.find(batch, viewRow, viewColumn) : operand.find(batch, viewColumn, viewRow);
}

std::unique_ptr<OperandCopy> mp::makeOperandCopy(GPUFunction &f, Elements &values, const Product &product, bool isLhs,
                                                 const MatrixTiles &tiles) {
  OperandView view = OperandView::of(product, isLhs, tiles.schedule);
  view.isCrowded = isCrowded(tiles, f.chip);
  constexpr int64_t kFewSums = 32;
  view.isShort = tiles.schedule.getWarpM() * tiles.schedule.getWarpN() < kFewSums * Chip::kWarp;
  const SharedTile &tile = isLhs ? tiles.lhs : tiles.rhs;
  if (tiles.isAsync(tile, f.chip))
    return makeAsyncCopy(f, view, tile);
  if (f.chip.has(ChipFeature::CpAsync))
    remark::missed(product.op->getLoc(), remark::RemarkOpts::name("AsyncCopy").category("codegen"))
        << (Twine(isLhs ? "lhs" : "rhs") + " goes through registers on " + f.chip.name + ": " + tile.staged).str();
  Type shared = tiles.info.instruction == MatrixInstruction::Fma ? tiles.sum : view.element;
  return makeStagedCopy(f, values, view, tile, shared);
}
