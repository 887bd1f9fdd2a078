// Matrices that a map packs as it makes them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/CPU/Map/PackedNest.h"

#include "Codegen/CPU/Contraction/Packing.h"
#include "mp/Analysis/CostModel.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <numeric>

using namespace mlir;
using namespace mp;

/// Words of a line of memory.
static constexpr int64_t kLineWords = 16;

static PackOp packOf(KernelFunction &f, unsigned result) { return f.yields()[result].getDefiningOp<PackOp>(); }

/// Elements of a row of what is packed as it lies in memory: of a matrix, or of a filter's taps.
static int64_t columnsOf(PackOp pack) {
  const ArrayRef<int64_t> shape = typeOf(pack.getInput()).getShape();
  return std::max<int64_t>(pack.getFilters() ? ShapedType::getNumElements(shape.drop_front()) : shape.back(), 1);
}

int64_t PackedNest::granule(KernelFunction &f, const Nest &nest) {
  int64_t rows = 1, columns = 1;
  for (unsigned result : nest.packs) {
    PackOp pack = packOf(f, result);
    columns = columnsOf(pack);
    rows = std::lcm(rows, pack.getTransposed() ? pack.getPanels().getStep() : pack.getPanels().getRows());
  }
  return rows * columns;
}

void PackedNest::keepInputs(NestBody &body, int64_t size, Value from) {
  for (unsigned result : nest.packs) {
    Value input = packOf(f, result).getInput();
    if (pointers.contains(input))
      continue;
    auto stored = llvm::find_if(nest.results, [&](unsigned index) { return f.yields()[index] == input; });
    if (stored != nest.results.end()) {
      pointers[input] = f.result(*stored);
      continue;
    }
    Type element = memoryType(elementOf(input));
    Value own = f.allocate(element, size);
    pointers[input] = f.offset(own, element, f.sub(f.i64(0), from));
    body.keep(input, pointers[input]);
  }
}

LogicalResult PackedNest::emit(Value from, Value to) {
  for (unsigned result : nest.packs) {
    const int64_t columns = columnsOf(packOf(f, result));
    if (failed(emitPack(result, f.div(from, columns), f.div(to, columns))))
      return failure();
  }
  if (!nest.packs.empty())
    f.finishStoresPastCaches();
  return success();
}

/// Packs rows [firstRow, endRow) of the matrix as it lies in memory: rows of panels, or steps of k.
LogicalResult PackedNest::emitPack(unsigned result, Value firstRow, Value endRow) {
  PackOp pack = packOf(f, result);
  const PackedMatrix matrix = pack.getMatrix();
  const Type element = elementOf(pack.getResult());
  const PanelOrder order(f.b.getIntegerType(matrix.unit * element.getIntOrFloatBitWidth()), pack.getPanels());
  const bool crossesTaps = pack.getFilters() && pack.getTransposed() &&
                           typeOf(pack.getInput()).getDimSize(0) % pack.getPanels().getStep() != 0;
  if (matrix.batch != 1 || matrix.isDepthInner || matrix.unit == 1 || crossesTaps)
    return pack.emitOpError(
        "packs panels in a map that maps do not make: expected one matrix, words along rows, of one "
        "tap");

  Elements values = f.makeElements();
  values.bindMemory(pack.getInput(), pointers.lookup(pack.getInput()));
  // What lies in memory of 16 bits moves by whole registers, too.
  Packing packing(f, values, pack.getInput(), pack.getMap(), matrix.rows, matrix.k, order, vector * matrix.unit);
  if (countBytes(pack.getType()) >= kLeastPastCaches && matrix.panelRows % kLineWords == 0)
    packing.storePastCaches();
  auto panelAt = [&](Value chunk, Value panel) {
    Value number = f.add(f.mul(chunk, matrix.panels()), panel);
    return f.offset(f.result(result), order.word, f.mul(number, order.wordsOfPanel()));
  };
  const Value k = f.i64(matrix.k);
  // Behind the last k of a chunk that ends early there are zeros, from `step` words of a row on.
  auto fillEnd = [&](Value chunk, Value firstPanel, Value panels, Value step) {
    return f.forEach(values.zero, panels, 1, [&](Value panel) {
      packing.fillZeros(panelAt(chunk, f.add(firstPanel, panel)), f.mul(step, order.rows), f.i64(order.wordsOfPanel()));
      return success();
    });
  };
  const Value lastChunk = f.i64(matrix.chunks() - 1);
  const int64_t step = pack.getPanels().getStep(), wordsOfStep = step / order.unit * order.parts;
  const Value lastStep = f.i64(llvm::divideCeil(matrix.k - (matrix.chunks() - 1) * order.depth, step) * wordsOfStep);
  const bool endsEarly = matrix.k % order.depth != 0;

  if (!pack.getTransposed()) {
    Value firstPanel = f.div(firstRow, order.rows), count = f.sub(endRow, firstRow);
    LogicalResult packed = f.forEach(values.zero, k, order.depth, [&](Value from) {
      Value to = f.min(f.add(from, f.i64(order.depth)), k);
      return packing.emit(panelAt(f.div(from, order.depth), firstPanel), {values.zero, firstRow, count, from, to});
    });
    if (failed(packed) || !endsEarly)
      return packed;
    return fillEnd(lastChunk, firstPanel, f.div(f.add(count, f.i64(order.rows - 1)), order.rows), lastStep);
  }

  // What the block has of each chunk that it touches, of k in [first, end).
  auto packDepth = [&](Value first, Value end) {
    Value firstChunk = f.div(first, order.depth), endChunk = f.div(f.add(end, f.i64(order.depth - 1)), order.depth);
    return f.forEach(firstChunk, endChunk, 1, [&](Value chunk) {
      Value start = f.mul(chunk, order.depth);
      Value from = f.max(first, start), to = f.min(end, f.add(start, f.i64(order.depth)));
      Value words = f.mul(f.div(f.sub(from, start), step), wordsOfStep * order.rows);
      return packing.emit(f.offset(panelAt(chunk, values.zero), order.word, words),
                          {values.zero, values.zero, f.i64(matrix.rows), from, to});
    });
  };
  // Rows in memory are k, or filters of each tap.
  const int64_t rowsInMemory = pack.getFilters() ? typeOf(pack.getInput()).getDimSize(0) : matrix.k;
  LogicalResult packed = f.forEach(values.zero, k, std::max<int64_t>(rowsInMemory, 1),
                                   [&](Value tap) { return packDepth(f.add(tap, firstRow), f.add(tap, endRow)); });
  if (failed(packed) || !endsEarly)
    return packed;
  Value isLast = arith::CmpIOp::create(f.b, arith::CmpIPredicate::eq, endRow, f.i64(rowsInMemory));
  return f.when(isLast, [&] { return fillEnd(lastChunk, values.zero, f.i64(matrix.panels()), lastStep); });
}
