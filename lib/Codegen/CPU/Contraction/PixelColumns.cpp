// Pixels that are columns of a product.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/CPU/Contraction/PixelColumns.h"

#include "Codegen/CPU/Contraction/Words.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mp/Analysis/RegisterTiles.h"

using namespace mlir;
using namespace mp;

PixelColumns::PixelColumns(CPUFunction &f, Elements &values, Value images, const IndexMap &map, const PixelRows &rows,
                           int64_t pixels, Type word, int64_t vector)
    : f(f), b(f.b), values(values), rows(rows), image(f, images, withImages(map)), word(word), vector(vector),
      unit(elementsOfWord(word, elementOf(images))), units(rows.together / unit),
      width(rows.keptWidth() / rows.together), keptRows(rows.keptRows(pixels)),
      kept(f.allocate(word, keptRows * units * width + vector)) {}

LogicalResult PixelColumns::emit(Value first) {
  const int64_t pixels = rows.rows * rows.columns, rowsOfImage = rows.rowsFor(rows.rows);
  Value number = f.div(first, pixels), row = f.div(f.rem(first, pixels), rows.columns);
  Value firstRow = f.mul(row, rows.rowStep);
  return f.forEach(values.zero, f.i64(keptRows), 1, [&](Value index) {
    Value inKept = f.add(firstRow, index);
    Value inImage = f.add(f.rem(inKept, rowsOfImage), f.i64(rows.firstRow));
    Value rowOfAll = f.add(f.mul(f.add(number, f.div(inKept, rowsOfImage)), rows.height), inImage);
    Value target = f.offset(kept, word, f.mul(index, units * width));
    Value isThere = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, inImage, f.i64(rows.height));
    return f.either(
        isThere, [&] { return copyRow(rowOfAll, target); },
        [&] {
          clear(target, 0, units * width);
          return success();
        });
  });
}

/// Writes zeros to words of a row, and a little more, before anything else is there.
void PixelColumns::clear(Value target, int64_t from, int64_t to) {
  Value zeros = arith::ConstantOp::create(b, b.getZeroAttr(withLanes(word, vector)));
  (void)f.forEach(f.i64(from), f.i64(to), vector, [&](Value index) {
    LLVM::StoreOp::create(b, zeros, f.offset(target, word, index), word.getIntOrFloatBitWidth() / 8);
    return success();
  });
}

/// Copies a row of all images, with zeros beside it: squares of pixels and units are turned, the last of which begins
/// early enough to be whole.
LogicalResult PixelColumns::copyRow(Value row, Value target) {
  const int64_t from = rows.fromElement() / rows.together, to = rows.toElement() / rows.together,
                before = from - rows.firstElement / rows.together, behind = before + to - from;
  (void)f.forEach(values.zero, f.i64(units), 1, [&](Value number) {
    Value words = f.offset(target, word, f.mul(number, width));
    clear(words, 0, before);
    clear(words, behind, width);
    return success();
  });
  int64_t side = vector;
  while (side > to - from || units % side != 0)
    side /= 2;
  const Type element = elementOf(image.tensor), inMemory = unit > 1 ? word : memoryType(element);
  Value source = f.offset(f.input(cast<BlockArgument>(image.tensor).getArgNumber()), inMemory,
                          f.add(f.mul(row, rows.width / unit), f.i64(from * units)));
  return f.forEach(values.zero, f.i64(to - from), side, [&](Value pixel) {
    Value first = f.min(pixel, f.i64(to - from - side));
    return f.forEach(values.zero, f.i64(units), side, [&](Value number) {
      SmallVector<Value> square;
      for (int64_t lane = 0; lane < side; ++lane) {
        Value at = f.add(f.mul(f.add(first, f.i64(lane)), units), number);
        Value loaded = LLVM::LoadOp::create(b, withLanes(inMemory, side), f.offset(source, inMemory, at),
                                            static_cast<unsigned>(memoryBytes(element)));
        square.push_back(unit > 1 ? loaded : toRegister(b, loaded, element));
      }
      for (auto [lane, words] : llvm::enumerate(side > 1 ? transposeLanes(b, square) : square)) {
        Value at = f.add(f.mul(f.add(number, f.i64(lane)), width), f.add(first, f.i64(before)));
        LLVM::StoreOp::create(b, words, f.offset(target, word, at), word.getIntOrFloatBitWidth() / 8);
      }
      return success();
    });
  });
}

Value PixelColumns::wordsOf(const MappedOperand::Sums &sums) {
  // An image, a row and a pixel of it; what begins a tap moves no channel.
  const int64_t ofRow = units * width, steps[] = {rows.rowsFor(rows.rows) * ofRow, ofRow, 1};
  Value words = values.zero;
  for (auto [step, sum] : llvm::zip_first(steps, sums))
    if (sum)
      words = f.add(words, f.mul(sum, step));
  return words;
}

void PixelColumns::beginTap(Value first, Value k, Value column, int64_t vectors) {
  firstOfTap = first;
  Value tap = f.offset(kept, word, wordsOf(image.movedBy(image.map.depth, k)));
  pieces.clear();
  for (int64_t number = 0; number < vectors; ++number) {
    Value pixel = f.add(column, f.i64(number * vector));
    pieces.push_back(f.offset(tap, word, wordsOf(image.movedBy(image.map.row, pixel))));
  }
}

Value PixelColumns::wordsAt(Value number, int64_t vectorOfTile) {
  Value words = f.offset(pieces[vectorOfTile], word, f.mul(f.sub(number, firstOfTap), width));
  return LLVM::LoadOp::create(b, withLanes(word, vector), words, word.getIntOrFloatBitWidth() / 8);
}
