// An operand of products, packed once for all blocks that read it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/CPU/Contraction/Packing.h"

using namespace mlir;
using namespace mp;

FailureOr<int64_t> mp::emitPack(CPUFunction &f, PackScheduleAttr schedule) {
  auto pack = f.yields()[0].getDefiningOp<PackOp>();
  if (!pack || f.yields().size() != 1)
    return f.kernel.emitOpError("is scheduled to pack and yields something else");
  const PackedMatrix matrix = pack.getMatrix();
  const PanelsAttr panels = pack.getPanels();
  // Several elements in a word are one integer.
  const bool isWord = matrix.unit > 1;
  Type element = elementOf(pack.getResult());
  Type word = isWord ? f.b.getIntegerType(matrix.unit * element.getIntOrFloatBitWidth()) : element;
  const PanelOrder order(word, panels);

  Elements values = f.makeElements();
  f.bindInputs(values);
  if (failed(values.prepare(pack.getInput())))
    return failure();
  Packing packing(f, values, pack.getInput(), pack.getMap(), matrix.rows, matrix.k, order, schedule.getVector());

  const int64_t size = schedule.getPanels(), blocks = llvm::divideCeil(matrix.panels(), size);
  const int64_t grid = matrix.batch * matrix.chunks() * blocks;
  if (grid == 0)
    return 0;
  Value first = f.mul(f.rem(f.block, blocks), size), outer = f.div(f.block, blocks);
  Value chunk = f.rem(outer, matrix.chunks()), batch = f.div(outer, matrix.chunks());
  Value from = f.mul(chunk, order.depth), to = f.min(f.add(from, f.i64(order.depth)), f.i64(matrix.k));
  Value row = f.mul(first, order.rows);
  Value count = f.min(f.sub(f.i64(matrix.rows), row), f.i64(size * order.rows));
  Value target = f.offset(f.result(0), word, f.mul(f.add(f.mul(outer, matrix.panels()), first), order.wordsOfPanel()));
  // The last chunk may end early; what is behind it is 0.
  if (matrix.k % order.depth != 0) {
    Value here = f.min(f.sub(f.i64(matrix.panels()), first), f.i64(size));
    LogicalResult filled = f.when(f.isBelow(f.sub(to, from), f.i64(order.depth)), [&] {
      packing.fillZeros(target, values.zero, f.mul(here, order.wordsOfPanel()));
      return success();
    });
    if (failed(filled))
      return failure();
  }
  if (failed(packing.emit(target, {batch, row, count, from, to})))
    return failure();
  return grid;
}
