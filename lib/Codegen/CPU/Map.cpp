//===- Map.cpp - elements that depend on no other element of the kernel -------------------------------------===//

#include "Codegen/CPU/KernelFunction.h"

#include "llvm/ADT/MapVector.h"

#include <numeric>

using namespace mlir;
using namespace mp;

namespace {

/// The results of one shape: one loop nest over `elements`, in runs in which every operand walks evenly.
struct Nest {
  KernelFunction &f;
  MapScheduleAttr schedule;
  SmallVector<unsigned> results;
  int64_t elements = 1;
  int64_t run = 0;

  LogicalResult emit(Value block) {
    Elements values(f.b);
    f.bindInputs(values);
    SmallVector<Value> yields = llvm::map_to_vector(results, [&](unsigned index) { return f.yields()[index]; });
    for (Value yield : yields)
      run = std::gcd(run, values.evenRun(yield, 1));
    if (run == 0 || run % elements == 0)
      run = elements;
    if (failed(values.prepare(yields)))
      return failure();

    Value from = f.mul(block, schedule.getBlock());
    Value to = f.min(f.add(from, f.i64(schedule.getBlock())), f.i64(elements));
    if (run == elements)
      return emitRun(values, yields, values.zero, from, to);
    Value lastRow = f.div(f.add(to, f.i64(run - 1)), run);
    return f.forEach(f.div(from, run), lastRow, 1, [&](Value row) {
      Value start = f.mul(row, run);
      Value first = f.max(f.sub(from, start), values.zero), end = f.min(f.sub(to, start), f.i64(run));
      return emitRun(values, yields, row, first, end);
    });
  }

  LogicalResult emitRun(Elements &values, ValueRange yields, Value row, Value from, Value to) {
    const int64_t width = run == 1 ? 1 : schedule.getVector();
    const bool hasRest = run % width != 0 || schedule.getBlock() % width != 0;
    return f.forLanes(from, to, width, hasRest, [&](Value column, int64_t lanes) {
      Elements::Scope scope(values);
      const Lanes here{row, run, column, 1, lanes};
      // Everything is read before anything is written: a result may lie where an operand lies.
      SmallVector<Value> held;
      for (Value yield : yields) {
        FailureOr<Value> value = values.at(yield, here);
        if (failed(value))
          return failure();
        held.push_back(*value);
      }
      for (auto [index, yield, value] : llvm::zip_equal(results, yields, held))
        values.store(value, cast<RankedTensorType>(yield.getType()).getElementType(), f.result(index), here);
      return success();
    });
  }
};

} // namespace

FailureOr<int64_t> mp::emitMap(KernelFunction &f, MapScheduleAttr schedule) {
  llvm::MapVector<ArrayRef<int64_t>, SmallVector<unsigned>> shapes;
  for (auto [index, yield] : llvm::enumerate(f.yields()))
    shapes[cast<RankedTensorType>(yield.getType()).getShape()].push_back(index);

  int64_t grid = 0;
  for (auto &[shape, results] : shapes) {
    Nest nest{f, schedule, results, ShapedType::getNumElements(shape)};
    const int64_t blocks = llvm::divideCeil(nest.elements, schedule.getBlock());
    if (blocks != 0 &&
        failed(f.forBlocks(grid, blocks, shapes.size() == 1, [&](Value block) { return nest.emit(block); })))
      return failure();
    grid += blocks;
  }
  return grid;
}
