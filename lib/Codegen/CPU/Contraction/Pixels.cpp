// Rows of pixels that tiles read.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/CPU/Contraction/Pixels.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mp/Analysis/RegisterTiles.h"

using namespace mlir;
using namespace mp;

// Dimensions of images: that of columns has channels, too, or those have a fourth.
static constexpr unsigned kChannel = 3;

/// Edges are cleared so many elements at once.
static constexpr int64_t kLanes = 32;

/// What a row of the image gives to those that are kept.
static int64_t elementsOfRow(const PixelRows &rows) { return rows.toElement() - rows.fromElement(); }

/// Rows of images, each image with what is above and below, as rows of a matrix. Those that are nowhere
/// are zeros.
static IndexMap rowsOfImages(const PixelRows &rows) {
  IndexMap matrix;
  matrix.dimensions = {{rows.images}, {rows.height, rows.firstRow}, {rows.width, rows.fromElement()}};
  matrix.row = {{rows.images, 0}, {rows.rowsFor(rows.rows), 1}};
  matrix.depth = {{elementsOfRow(rows), 2}};
  return matrix;
}

/// Row after row, in words of so many elements, as they lie in memory.
static PanelOrder orderOfRows(Type word, int64_t unit, const PixelRows &rows) {
  const auto panels =
      PanelsAttr::get(word.getContext(), /*rows=*/1, rows.keptWidth(), unit, /*depth_inner=*/true, /*parts=*/1);
  return PanelOrder(word, panels);
}

Pixels::Pixels(CPUFunction &f, Elements &values, Value images, const IndexMap &map, const PixelRows &rows,
               int64_t pixels, Type word, int64_t vector)
    : f(f), b(f.b), values(values), rows(rows), keptRows(rows.keptRows(pixels)), image(f, images, withImages(map)),
      unit(elementsOfWord(word, elementOf(images))), element(unit == 1 ? word : memoryType(elementOf(images))),
      copy(f, values, images, rowsOfImages(rows), rows.images * rows.rowsFor(rows.rows), elementsOfRow(rows),
           orderOfRows(word, unit, rows), vector),
      kept(f.allocate(element, keptRows * rows.keptWidth() + kLanes)) {}

LogicalResult Pixels::emit(Value first) {
  const int64_t pixels = rows.rows * rows.columns, rowsOfImage = rows.rowsFor(rows.rows);
  Value number = f.div(first, pixels), row = f.div(f.rem(first, pixels), rows.columns);
  Value firstRow = f.add(f.mul(number, rowsOfImage), f.mul(row, rows.rowStep));
  Value count = f.min(f.i64(keptRows), f.sub(f.i64(rows.images * rowsOfImage), firstRow));
  clearEdges();
  if (table)
    fillTable();
  Value target = f.offset(kept, element, rows.fromElement() - rows.firstElement);
  return copy.emit(target, {values.zero, firstRow, count, values.zero, f.i64(elementsOfRow(rows))});
}

/// Writes zeros to what is beside the image in each row, and a little more, before anything else is there.
void Pixels::clearEdges() {
  const int64_t before = rows.fromElement() - rows.firstElement, behind = rows.toElement() - rows.firstElement;
  Value zeros = arith::ConstantOp::create(b, b.getZeroAttr(withLanes(element, kLanes)));
  (void)f.forEach(values.zero, f.i64(keptRows), 1, [&](Value row) {
    Value start = f.offset(kept, element, f.mul(row, rows.keptWidth()));
    auto clear = [&](int64_t from, int64_t to) {
      return f.forEach(f.i64(from), f.i64(to), kLanes, [&](Value index) {
        LLVM::StoreOp::create(b, zeros, f.offset(start, element, index), element.getIntOrFloatBitWidth() / 8);
        return success();
      });
    };
    (void)clear(0, before);
    return clear(behind, rows.keptWidth());
  });
}

Value Pixels::elementsOf(const MappedOperand::Sums &sums) {
  const auto &dimensions = image.map.dimensions;
  const bool hasChannels = dimensions.size() > kChannel;
  const int64_t steps[] = {rows.rowsFor(rows.rows) * rows.keptWidth(), rows.keptWidth(),
                           hasChannels ? dimensions.back().size : 1, 1};
  Value elements = values.zero;
  for (auto [dimension, sum] : llvm::enumerate(sums))
    if (sum)
      elements = f.add(elements, f.mul(sum, steps[dimension]));
  return elements;
}

Value Pixels::at(Value row) { return f.offset(kept, element, elementsAt(row)); }

Value Pixels::alongDepth(Value k) {
  return table ? Value(LLVM::LoadOp::create(b, b.getI64Type(), inTable(k), /*alignment=*/8)) : findAlongDepth(k);
}

Value Pixels::inTable(Value k) { return f.offset(table, b.getI64Type(), f.div(k, stepOfTable)); }

void Pixels::tabulate(int64_t step) {
  stepOfTable = step;
  table = f.allocate(b.getI64Type(), llvm::divideCeil(wholeDepth(), step));
}

void Pixels::fillTable() {
  (void)f.forEach(values.zero, f.i64(wholeDepth()), stepOfTable, [&](Value k) {
    LLVM::StoreOp::create(b, findAlongDepth(k), inTable(k), /*alignment=*/8);
    return success();
  });
}

int64_t Pixels::wholeDepth() const {
  return image.map.depth.empty() ? 1 : image.map.depth.front().size * depthOfTaps();
}

int64_t Pixels::depthOfTaps() const {
  int64_t depth = 1;
  for (const IndexMap::Digit &digit : ArrayRef(image.map.depth).drop_front())
    depth *= digit.size;
  return depth;
}

Value Pixels::firstRowOf(Value row) { return f.add(f.mul(f.rem(row, rows.rows), rows.rowStep), f.i64(rows.firstRow)); }

Pixels::Depth Pixels::depthOf(Value row, int64_t tileRows, Value from, Value to) {
  // The rows of a tile that is in one row of pixels have the same rows of taps.
  if (rows.rowsOfTaps == 1 || !rows.missesTaps() || rows.columns % tileRows != 0)
    return {from, to};
  Value top = firstRowOf(f.div(row, rows.columns));
  auto tapsBefore = [&](int64_t rowOfImage) {
    Value distance = f.max(f.sub(f.i64(rowOfImage), top), values.zero);
    Value taps = f.min(f.div(f.add(distance, f.i64(rows.tapStep - 1)), rows.tapStep), f.i64(rows.rowsOfTaps));
    return f.mul(taps, depthOfTaps());
  };
  Value first = f.min(f.max(from, tapsBefore(0)), to);
  return {first, f.max(f.min(to, tapsBefore(rows.height)), first)};
}

PixelWords::PixelWords(CPUFunction &f, Elements &values, Value images, const IndexMap &map, const PixelRows &rows,
                       int64_t pixels, Type word, int64_t vector)
    : f(f), b(f.b), rows(rows), word(word), vector(vector), pixels(f, values, images, map, rows, pixels, word, vector),
      unit(this->pixels.unit) {
  // Vectors reach behind the last column of the last pixel.
  if (unit > 1)
    paired = f.allocate(word, this->pixels.keptRows * rows.keptWidth() + vector);
}

LogicalResult PixelWords::emit(Value first) {
  firstPixel = first;
  if (failed(pixels.emit(first)))
    return failure();
  if (unit == 1)
    return success();
  // Of the last pixels of all rows the next are beyond what is kept, and no tile reads such words.
  const int64_t elements = pixels.keptRows * rows.keptWidth() - rows.columnStep;
  Type half = b.getI16Type();
  return f.forEach(f.i64(0), f.i64(elements), vector, [&](Value index) {
    auto load = [&](int64_t ahead) -> Value {
      Value from = f.offset(pixels.kept, half, f.add(index, f.i64(ahead)));
      Value halves = LLVM::LoadOp::create(b, withLanes(half, vector), from, 2);
      return arith::ExtUIOp::create(b, withLanes(word, vector), halves);
    };
    Value upper = arith::ShLIOp::create(b, load(rows.columnStep), intConstant(b, withLanes(word, vector), 16));
    LLVM::StoreOp::create(b, arith::OrIOp::create(b, load(0), upper), f.offset(paired, word, index), 4);
    return success();
  });
}

Value PixelWords::at(Value number, Value column) {
  Value elements = f.add(pixels.elementsAt(f.mul(number, unit)), pixels.alongDepth(column));
  return f.offset(unit > 1 ? paired : pixels.kept, word, elements);
}

Value PixelWords::beginRow(Value first, Value column, int64_t tileColumns, int64_t columns) {
  firstOfRow = first;
  Value all = f.i64(unitsOfRow());
  if (rows.together % tileColumns == 0) {
    pieces = {at(first, column)};
    columnsOfPiece = tileColumns;
    if (rows.rowsOfTaps == 1 || !rows.missesTaps())
      return all;
    Value top = pixels.firstRowOf(f.div(f.add(firstPixel, f.mul(first, unit)), rows.columns));
    Value row = f.add(top, f.mul(f.div(column, pixels.depthOfTaps()), rows.tapStep));
    Value isThere = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, row, f.i64(rows.height));
    return arith::SelectOp::create(b, isThere, all, f.i64(0));
  }
  pieces.clear();
  columnsOfPiece = rows.together;
  for (int64_t from = 0; from < columns; from += columnsOfPiece)
    pieces.push_back(at(first, f.i64(from)));
  return all;
}

Value PixelWords::firstAt(Value number) { return f.offset(pieces.front(), word, alongRow(number)); }

Value PixelWords::wordsAt(Value number, int64_t vectorOfTile) {
  Value words, along = alongRow(number);
  for (auto [index, piece] : llvm::enumerate(pieces)) {
    // The lanes of the vector that are this piece's; those behind are the next's, or of no column.
    const int64_t from = static_cast<int64_t>(index) * columnsOfPiece - vectorOfTile * vector,
                  to = from + columnsOfPiece;
    if (to <= 0 || from >= vector)
      continue;
    Value own = LLVM::LoadOp::create(b, withLanes(word, vector), f.offset(piece, word, f.add(along, f.i64(-from))),
                                     word.getIntOrFloatBitWidth() / 8);
    SmallVector<bool> isOwn(vector);
    for (int64_t lane = 0; lane < vector; ++lane)
      isOwn[lane] = lane >= from && lane < to;
    auto mask = DenseElementsAttr::get(VectorType::get(vector, b.getI1Type()), isOwn);
    words = words ? Value(arith::SelectOp::create(b, arith::ConstantOp::create(b, mask), own, words)) : own;
  }
  return words ? words : Value(arith::ConstantOp::create(b, b.getZeroAttr(withLanes(word, vector))));
}
