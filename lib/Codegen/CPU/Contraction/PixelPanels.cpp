// Panels of pixels that tile registers read for all rows of taps.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/CPU/Contraction/PixelPanels.h"

#include "mp/IR/TileRegisters.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <algorithm>

using namespace mlir;
using namespace mp;

static constexpr int64_t kPair = 2, kRowsOfRegister = kTileDepth / kPair;

static PanelOrder orderOf(Type word, int64_t vector, int64_t depth) {
  return PanelOrder(word, PanelsAttr::get(word.getContext(), vector, depth, kPair, /*depth_inner=*/false, /*parts=*/1));
}

/// The columns of a panel: whole registers, up to four, for what is packed at once is of one panel.
static int64_t columnsOfPanel(int64_t columns, int64_t vector) {
  constexpr int64_t kMostRegisters = 4;
  int64_t registers = kMostRegisters;
  while (columns % (registers * vector) != 0)
    --registers;
  return registers * vector;
}

PixelPanels::PixelPanels(CPUFunction &f, Elements &values, Value images, const IndexMap &map, const TapPanels &panels,
                         int64_t chunk, int64_t columns, Type word, int64_t vector)
    : f(f), b(f.b), values(values), panels(panels), columns(columns), word(word), vector(vector),
      wide(columnsOfPanel(columns, vector)), order(orderOf(word, wide, panels.depthFor(chunk))),
      packing(f, values, images, map, panels.kinds() * panels.columns,
              panels.images * (panels.pixels() + panels.pixelsBelow()), order, vector),
      packed(f.allocate(word, panels.sets() * wordsOfSet())) {
  if (panels.meetsImages())
    meetings = f.allocate(word, panels.mostImages(chunk) * panels.tapRows * columns * kRowsOfRegister);
}

Value PixelPanels::along(Value k, Value number) {
  return f.add(f.sub(k, first), f.mul(f.sub(number, firstImage), panels.pixelsBelow()));
}

LogicalResult PixelPanels::emit(Value column, Value from, Value to) {
  firstColumn = column;
  first = from;
  firstImage = f.div(from, panels.pixels());
  Value lastImage = f.div(f.sub(to, f.i64(1)), panels.pixels());
  Value start = f.add(from, f.mul(firstImage, panels.pixelsBelow()));
  Value count = f.add(along(to, lastImage), f.i64(panels.pixelsBelow()));
  Value end = f.add(start, count);
  if (failed(f.forEach(values.zero, f.i64(panels.kinds()), 1, [&](Value kind) {
        Value target = f.offset(packed, word, f.mul(kind, panelsOfTaps() * order.wordsOfPanel()));
        Value ofKind = f.add(f.mul(kind, panels.columns), firstColumn);
        return packing.emit(target, {values.zero, ofKind, f.i64(columns), start, end});
      })))
    return failure();
  if (panels.hasOddPairs() && failed(shiftPairs(count)))
    return failure();
  if (!panels.meetsImages())
    return success();
  return f.forEach(firstImage, f.add(lastImage, f.i64(1)), 1, [&](Value number) { return copyMeeting(number, to); });
}

/// The low half of each lane from `low`, the high half from `high`.
static Value joinHalves(LaneBuilder &b, Value low, Value high) {
  constexpr int64_t kHalf = 0xffff;
  Value ofLow = arith::AndIOp::create(b, low, intConstant(b, low.getType(), kHalf));
  return arith::OrIOp::create(b, ofLow, arith::AndIOp::create(b, high, intConstant(b, high.getType(), ~kHalf)));
}

/// Makes the second set, of panels of so many pixels: the second pixel of each pair, and the first of the next, as far
/// as a row of taps sees them.
LogicalResult PixelPanels::shiftPairs(Value count) {
  constexpr int64_t kHalfBits = 16;
  int64_t lowest = panels.pixelsBelow(), highest = 0;
  for (int64_t row = 1; row < panels.tapRows; ++row)
    if (const int64_t before = panels.pixelsBefore(row); before % kPair != 0)
      lowest = std::min(lowest, before), highest = std::max(highest, before);
  Value seen = f.sub(count, f.i64(panels.pixelsBelow() - highest)), end = f.div(f.add(seen, f.i64(1)), kPair);
  const Type lanes = withLanes(word, vector);
  return f.forEach(values.zero, f.i64(panels.kinds() * panelsOfTaps()), 1, [&](Value panel) {
    Value words = f.offset(packed, word, f.mul(panel, order.wordsOfPanel()));
    auto load = [&](Value index) -> Value { return LLVM::LoadOp::create(b, lanes, f.offset(words, word, index), 4); };
    return f.forEach(f.i64(lowest / kPair * wide), f.mul(end, wide), vector, [&](Value index) {
      Value half = intConstant(b, lanes, kHalfBits);
      Value second = arith::ShRUIOp::create(b, load(index), half),
            next = arith::ShLIOp::create(b, load(f.add(index, f.i64(wide))), half);
      LLVM::StoreOp::create(b, arith::OrIOp::create(b, second, next),
                            f.offset(words, word, f.add(index, f.i64(wordsOfSet()))), 4);
      return success();
    });
  });
}

/// Copies the words of the register that has the last pixel of an image, where it is this chunk's and has pixels of the
/// next or of none.
LogicalResult PixelPanels::copyMeeting(Value number, Value to) {
  const int64_t words = panels.tapRows * columns * kRowsOfRegister;
  Value end = f.mul(f.add(number, f.i64(1)), panels.pixels());
  Value start = f.mul(f.div(f.sub(end, f.i64(1)), kTileDepth), kTileDepth);
  Value target = f.offset(meetings, word, f.mul(f.sub(number, firstImage), words));
  const Type lanes = withLanes(word, vector);
  // Behind the last k there is nothing.
  const bool mayEnd = panels.images * panels.pixels() % kTileDepth != 0;
  struct Half {
    Value words, isThere; ///< of its pixel, which is the low or the high half
  };
  auto find = [&](Value k, int64_t inPair) -> Half {
    Value isNext = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::sge, k, end);
    Value pixel = along(k, f.add(number, b.createOrFold<arith::ExtUIOp>(b.getI64Type(), isNext)));
    Value words = f.mul(f.div(f.sub(pixel, f.i64(inPair)), kPair), wide);
    Value isThere = mayEnd ? f.isBelow(k, to) : Value();
    return {isThere ? arith::SelectOp::create(b, isThere, words, values.zero) : words, isThere};
  };
  auto load = [&](const Half &half, Value words) -> Value {
    Value own = LLVM::LoadOp::create(b, lanes, f.offset(packed, word, f.add(words, half.words)), 4);
    if (!half.isThere)
      return own;
    return arith::SelectOp::create(b, half.isThere, own, arith::ConstantOp::create(b, b.getZeroAttr(lanes)));
  };
  auto copyPair = [&](Value pair) {
    Value k = f.add(start, f.mul(pair, kPair));
    const Half low = find(k, 0), high = panels.pairsMeetImages() ? find(f.add(k, f.i64(1)), 1) : low;
    return f.forEach(values.zero, f.i64(panels.tapRows), 1, [&](Value row) {
      return f.forEach(values.zero, f.i64(panelsOfTaps()), 1, [&](Value panel) {
        Value words = wordsOf(row, panel), tap = f.add(f.mul(row, panelsOfTaps()), panel);
        Value place = f.add(f.mul(tap, kRowsOfRegister * wide), f.mul(pair, wide));
        for (int64_t column = 0; column < wide; column += vector) {
          Value source = f.add(words, f.i64(column)), own = load(low, source);
          if (panels.pairsMeetImages())
            own = joinHalves(b, own, load(high, source));
          LLVM::StoreOp::create(b, own, f.offset(target, word, f.add(place, f.i64(column))), 4);
        }
        return success();
      });
    });
  };
  // A register that ends with an image, or lies behind the chunk, is in the panels, or none.
  Value meets = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ne, f.rem(end, kTileDepth), values.zero);
  Value isHere = f.isBelow(start, to);
  return f.when(arith::AndIOp::create(b, meets, isHere),
                [&] { return f.forEach(values.zero, f.i64(kRowsOfRegister), 1, copyPair); });
}

Value PixelPanels::wordsOf(Value row, Value panel) {
  Value step = f.mul(row, panels.tapStep), below = f.mul(f.div(step, panels.rowStep), panels.width);
  if (panels.kinds() > 1)
    panel = f.add(f.mul(f.rem(step, panels.rowStep), panelsOfTaps()), panel);
  Value words = f.add(f.mul(panel, order.wordsOfPanel()), f.mul(f.div(below, kPair), wide));
  return panels.hasOddPairs() ? f.add(words, f.mul(f.rem(below, kPair), wordsOfSet())) : words;
}

PixelPanels::Register PixelPanels::find(Value column) {
  Value row = f.div(column, panels.columns), inRow = f.sub(f.rem(column, panels.columns), firstColumn);
  Value panel = f.div(inRow, wide), inPanel = f.rem(inRow, wide);
  Register found = {f.offset(packed, word, f.add(wordsOf(row, panel), inPanel)), Value()};
  if (panels.meetsImages()) {
    Value tap = f.add(f.mul(row, panelsOfTaps()), panel);
    found.ofTwoImages = f.offset(meetings, word, f.add(f.mul(tap, kRowsOfRegister * wide), inPanel));
  }
  return found;
}

SmallVector<Value> PixelPanels::at(ArrayRef<Register> registers, Value k) {
  Value ofAll = f.add(first, k), number = f.div(ofAll, panels.pixels());
  Value inPanels = f.mul(along(ofAll, number), wide / kPair);
  SmallVector<Value> pointers;
  if (!panels.meetsImages()) {
    for (const Register &own : registers)
      pointers.push_back(f.offset(own.inPanels, word, inPanels));
    return pointers;
  }
  const int64_t wordsOfImage = panels.tapRows * columns * kRowsOfRegister;
  Value inMeetings = f.mul(f.sub(number, firstImage), wordsOfImage);
  Value left = f.sub(f.mul(f.add(number, f.i64(1)), panels.pixels()), ofAll);
  Value meets = f.isBelow(left, f.i64(kTileDepth));
  for (const Register &own : registers)
    pointers.push_back(arith::SelectOp::create(b, meets, f.offset(own.ofTwoImages, word, inMeetings),
                                               f.offset(own.inPanels, word, inPanels)));
  return pointers;
}
