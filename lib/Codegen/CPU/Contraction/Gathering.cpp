// Operands that are no matrices, packed: pixels of images under the taps of filters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where such an element lies takes divisions to find, and whether it is there comparisons. Each loop here walks one
// number, row or k, in runs of its last digit, so that all that a step of it does is an addition. What lies side by
// side is moved at once where all of it is there, which one comparison says; only at an image's edge each run of
// channels is asked for on its own.

#include "Codegen/CPU/Contraction/Packing.h"

#include <numeric>

using namespace mlir;
using namespace mp;

/// The digit that a run of numbers walks; of a number that is 0 alone, none.
static IndexMap::Digit lastOf(const IndexMap::Digits &digits) {
  return digits.empty() ? IndexMap::Digit{1, 0, 0} : digits.back();
}

/// The last element of a line from which `count` neighbours are in it.
static int64_t lastWhole(const IndexMap &map, int64_t count) { return map.dimensions.back().size - count; }

FailureOr<Value> Packing::readLine(const MappedOperand::Element &line, Value offset, int64_t count) {
  return values.at(operand.tensor, values.inRow(line.row, operand.columns, f.add(line.column, offset), count, isEven));
}

LogicalResult Packing::forNeighbours(int64_t count, int64_t widest, Step body) {
  constexpr int64_t kMostInCode = 8;
  int64_t done = 0;
  for (int64_t width = isEven ? widest : 1; done < count; width /= 2) {
    const int64_t end = done + (count - done) / width * width;
    if (end - done > kMostInCode * width) {
      if (failed(f.forEach(f.i64(done), f.i64(end), width, [&](Value offset) { return body(offset, width); })))
        return failure();
      done = end;
    }
    for (; done < end; done += width)
      if (failed(body(f.i64(done), width)))
        return failure();
  }
  return success();
}

Value Packing::isWhole(const MappedOperand::Element &line, int64_t count) {
  const unsigned last = operand.map.dimensions.size() - 1;
  if (operand.map.isCertain(last))
    return line.isThere;
  const int64_t most = lastWhole(operand.map, count);
  if (most < 0)
    return intConstant(b, b.getI1Type(), 0);
  // Below 0 is above every bound without a sign.
  Value fits = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ule, line.column, f.i64(most));
  return line.isThere ? b.createOrFold<arith::AndIOp>(line.isThere, fits) : fits;
}

// Rows of k

int64_t Packing::lanesOfStretch(int64_t count) const {
  if (order.parts == 1)
    return vector * order.unit;
  // Parts of a granule lie side by side: what is moved at once is of one.
  int64_t lanes = 1;
  while (lanes < vector && count % (2 * lanes) == 0 && order.granule % (2 * lanes) == 0)
    lanes *= 2;
  return lanes;
}

void Packing::fillUnit(Value row) {
  if (depth % order.unit == 0)
    return;
  Value isOdd = b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::eq, part.to, f.i64(depth));
  (void)f.when(isOdd, [&] {
    storeAlongDepth(floatConstant(b, b.getF32Type(), 0), row, part.to);
    return success();
  });
}

LogicalResult Packing::gatherStretch(const Sums &sums, Value row, Value k, int64_t count) {
  const MappedOperand::Element line = operand.lineAt(sums);
  auto copy = [&](Value from, int64_t size) {
    return forNeighbours(size, lanesOfStretch(size), [&](Value offset, int64_t width) {
      Elements::Scope scope(values);
      Value at = f.add(from, offset);
      MaybeValue loaded = readLine(line, at, width);
      if (succeeded(loaded))
        storeAlongDepth(*loaded, row, f.add(k, at));
      return LogicalResult(loaded);
    });
  };
  Type element = order.unit > 1 ? Type(b.getF32Type()) : order.word;
  auto clear = [&](Value from, int64_t size) {
    return forNeighbours(size, lanesOfStretch(size), [&](Value offset, int64_t width) {
      storeAlongDepth(floatConstant(b, withLanes(element, width), 0), row, f.add(k, f.add(from, offset)));
      return success();
    });
  };
  Value whole = isWhole(line, count);
  if (!whole)
    return copy(values.zero, count);
  const unsigned last = operand.map.dimensions.size() - 1;
  const bool isCertain = operand.map.isCertain(last);
  const int64_t run = isCertain ? count : std::gcd(count, operand.map.getRun());
  return f.either(
      whole, [&] { return copy(values.zero, count); },
      [&] {
        if (isCertain)
          return clear(values.zero, count);
        return f.forEach(values.zero, f.i64(count), run, [&](Value offset) {
          Value isThere = operand.at(operand.along(sums, offset)).isThere;
          return f.either(isThere, [&] { return copy(offset, run); }, [&] { return clear(offset, run); });
        });
      });
}

/// Row after row, each in stretches of k that lie side by side: a row of the filter, or of its channels.
LogicalResult Packing::gatherRows() {
  const IndexMap &map = operand.map;
  const int64_t size = std::max<int64_t>(lastOf(map.depth).size, 1);
  // A chunk of k may begin within one.
  const int64_t stretch = depth <= order.depth ? size : std::gcd(size, order.depth);
  const IndexMap::Digit last = lastOf(map.row);
  const Sums ofBatch = operand.movedBy(map.batch, part.batch);
  LogicalResult filled =
      operand.forRuns(map.row, part.first, f.add(part.first, part.count), [&](const MappedOperand::Run &run) {
        const Sums ofRun = operand.add(ofBatch, run.others);
        return f.forEach(run.first, run.last, 1, [&](Value number) {
          const Sums ofRow = operand.add(ofRun, operand.movedBy(last, number));
          Value row = f.sub(f.add(run.start, number), part.first);
          LogicalResult gathered = f.forEach(part.from, part.to, stretch, [&](Value k) {
            return gatherStretch(operand.add(ofRow, operand.movedBy(map.depth, k)), row, k, stretch);
          });
          fillUnit(row);
          return gathered;
        });
      });
  if (succeeded(filled))
    fillRows();
  return filled;
}

// Columns of panels

SmallVector<MappedOperand::Sums, 2> Packing::stepsOf(Value k) {
  SmallVector<Sums, 2> steps;
  for (int64_t step = 0; step < order.unit; ++step)
    steps.push_back(operand.movedBy(operand.map.depth, step == 0 ? k : f.min(f.add(k, f.i64(step)), f.i64(depth - 1))));
  return steps;
}

/// Where some may be missing: run by run, each read if it is there.
LogicalResult Packing::gatherSomeOfUnit(ArrayRef<Sums> steps, Value k, int64_t count, Value target) {
  const int64_t run = std::gcd(count, operand.map.getRun());
  auto readIfThere = [&](const Sums &sums, int64_t lanes) -> MaybeValue {
    const MappedOperand::Element at = operand.at(sums);
    MaybeValue loaded = readLine(at, values.zero, lanes);
    if (failed(loaded) || !at.isThere)
      return loaded;
    Value nothing = floatConstant(b, loaded->getType(), 0);
    return Value(arith::SelectOp::create(b, splat(b, at.isThere, lanes), *loaded, nothing));
  };
  auto gatherLanes = [&](Value offset, int64_t lanes) -> LogicalResult {
    Elements::Scope scope(values);
    SmallVector<Value, 2> loaded;
    for (const Sums &step : steps) {
      MaybeValue own = readIfThere(operand.along(step, offset), lanes);
      if (failed(own))
        return failure();
      loaded.push_back(*own);
    }
    // Behind the last k there is nothing.
    if (depth % order.unit != 0) {
      Value isThere = f.isBelow(f.add(k, f.i64(1)), f.i64(depth));
      Value nothing = floatConstant(b, loaded.back().getType(), 0);
      loaded.back() = arith::SelectOp::create(b, isThere, loaded.back(), nothing);
    }
    store(wordsOf(loaded), f.offset(target, order.word, offset));
    return success();
  };
  for (int64_t first = 0; first < count; first += run)
    if (failed(forNeighbours(
            run, vector, [&](Value offset, int64_t lanes) { return gatherLanes(f.add(offset, f.i64(first)), lanes); })))
      return failure();
  return success();
}

/// Where all are there.
LogicalResult Packing::copyUnit(ArrayRef<Sums> steps, int64_t count, Value target) {
  const auto lines = llvm::map_to_vector<2>(steps, [&](const Sums &step) { return operand.lineAt(step); });
  return forNeighbours(count, vector, [&](Value offset, int64_t lanes) -> LogicalResult {
    Elements::Scope scope(values);
    SmallVector<Value, 2> loaded;
    for (const MappedOperand::Element &line : lines) {
      MaybeValue own = readLine(line, offset, lanes);
      if (failed(own))
        return failure();
      loaded.push_back(*own);
    }
    store(wordsOf(loaded), f.offset(target, order.word, offset));
    return success();
  });
}

LogicalResult Packing::clearUnit(int64_t count, Value target) {
  return forNeighbours(count, vector, [&](Value offset, int64_t lanes) {
    Value zeros = arith::ConstantOp::create(b, b.getZeroAttr(withLanes(order.word, lanes)));
    store(Words(order.parts, zeros), f.offset(target, order.word, offset));
    return success();
  });
}

LogicalResult Packing::gatherUnit(ArrayRef<Sums> steps, Value k, int64_t count, Value target) {
  Value areWhole;
  for (const Sums &step : steps)
    if (Value whole = isWhole(operand.lineAt(step), count))
      areWhole = areWhole ? b.createOrFold<arith::AndIOp>(areWhole, whole) : whole;
  auto copy = [&] { return copyUnit(steps, count, target); };
  return areWhole ? f.either(areWhole, copy, [&] { return gatherSomeOfUnit(steps, k, count, target); }) : copy();
}

/// Where a run goes along a line of memory, one comparison says whether that is there, and where units of k are whole
/// follows from its first element: no unit of a run of pixels is asked for on its own but those at an edge.
LogicalResult Packing::gatherLine(const MappedOperand::Element &line, int64_t step, Value from, Value to, Value start,
                                  int64_t count, function_ref<LogicalResult(Value)> whole,
                                  function_ref<LogicalResult(Value)> some, function_ref<LogicalResult(Value)> none) {
  const unsigned last = operand.map.dimensions.size() - 1;
  auto all = [&](function_ref<LogicalResult(Value)> body) { return f.forEach(from, to, order.unit, body); };
  auto gather = [&]() -> LogicalResult {
    if (operand.map.isCertain(last))
      return all(whole);
    // The first and the end of what is whole, in units.
    const int64_t most = lastWhole(operand.map, count);
    Value before = f.div(f.add(f.max(f.sub(values.zero, line.column), values.zero), f.i64(step - 1)), step);
    Value behind = f.div(f.max(f.sub(f.i64(most + step), line.column), values.zero), step);
    auto clamped = [&](Value k) { return f.min(f.max(k, from), to); };
    Value units = f.mul(f.div(f.add(f.add(start, before), f.i64(order.unit - 1)), order.unit), order.unit);
    Value first = clamped(units);
    Value end = f.max(clamped(f.mul(f.div(f.add(start, behind), order.unit), order.unit)), first);
    return success(succeeded(f.forEach(from, first, order.unit, some)) &&
                   succeeded(f.forEach(first, end, order.unit, whole)) &&
                   succeeded(f.forEach(end, to, order.unit, some)));
  };
  return line.isThere ? f.either(line.isThere, gather, [&] { return all(none); }) : gather();
}

LogicalResult Packing::gatherPiece(Value row, int64_t count) {
  const IndexMap &map = operand.map;
  const IndexMap::Digit last = lastOf(map.depth);
  const Sums ofPiece = operand.add(operand.movedBy(map.batch, part.batch), operand.movedBy(map.row, firstRow(row)));
  Value inPanel = f.rem(row, order.rows), panel = f.sub(row, inPanel);
  auto targetOf = [&](Value k) { return f.offset(panelAt(panel, k), order.word, inPanel); };
  return operand.forRuns(map.depth, part.from, part.to, [&](const MappedOperand::Run &run) {
    const Sums ofRun = operand.add(ofPiece, run.others);
    // Units of k that lie in this run, and one that lies in two or ends behind the last k.
    const bool isEvenRun = last.size % order.unit == 0;
    Value from = f.add(run.start, run.first), to = f.add(run.start, run.last);
    Value wholeFrom = isEvenRun ? from : f.mul(f.div(f.add(from, f.i64(order.unit - 1)), order.unit), order.unit);
    Value wholeTo = isEvenRun ? to : f.mul(f.div(to, order.unit), order.unit);
    auto stepsAt = [&](Value k) {
      SmallVector<Sums, 2> steps;
      for (int64_t step = 0; step < order.unit; ++step)
        steps.push_back(operand.add(ofRun, operand.movedBy(last, f.add(f.sub(k, run.start), f.i64(step)))));
      return steps;
    };
    // Where a unit is more than one access, what is compared for it costs less than runs of three kinds.
    const IndexMap::Dimension &along = map.dimensions.back();
    const bool isAlongLine = map.depth.size() > 1 && last.dimension + 1 == map.dimensions.size() && last.factor > 0 &&
                             along.divisor == 1 && count <= vector;
    LogicalResult gathered = isAlongLine
                                 ? gatherLine(
                                       operand.lineAt(ofRun), last.factor, wholeFrom, wholeTo, run.start, count,
                                       [&](Value k) { return copyUnit(stepsAt(k), count, targetOf(k)); },
                                       [&](Value k) { return gatherSomeOfUnit(stepsAt(k), k, count, targetOf(k)); },
                                       [&](Value k) { return clearUnit(count, targetOf(k)); })
                                 : f.forEach(wholeFrom, wholeTo, order.unit,
                                             [&](Value k) { return gatherUnit(stepsAt(k), k, count, targetOf(k)); });
    if (failed(gathered) || isEvenRun)
      return gathered;
    return f.when(f.isBelow(wholeTo, to), [&] {
      auto steps = llvm::map_to_vector<2>(stepsOf(wholeTo), [&](const Sums &s) { return operand.add(ofPiece, s); });
      return gatherSomeOfUnit(steps, wholeTo, count, targetOf(wholeTo));
    });
  });
}

/// Piece after piece of rows that lie side by side and belong to one panel, each in runs of k.
LogicalResult Packing::gatherColumns() {
  const int64_t size = std::max<int64_t>(lastOf(operand.map.row).size, 1);
  const int64_t even = std::gcd(size, order.rows);
  constexpr int64_t kMostPieces = 12;
  const int64_t pieces = rows / size + llvm::divideCeil(rows, order.rows);
  LogicalResult packed = success();
  if (even >= std::min(size, vector) || pieces > kMostPieces) {
    packed = f.forEach(values.zero, part.count, even, [&](Value row) { return gatherPiece(row, even); });
  } else {
    // Few of uneven lengths: each has code of its own.
    for (int64_t first = 0, next = 0; first < rows && succeeded(packed); first = next) {
      next = std::min<int64_t>(llvm::alignTo(first + 1, size), llvm::alignTo(first + 1, order.rows));
      Value row = f.sub(f.i64(first), part.first);
      Value isHere = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, row, part.count);
      packed = f.when(isHere, [&] { return gatherPiece(row, next - first); });
    }
  }
  if (failed(packed) || rows % order.rows == 0)
    return packed;
  // Zeros behind the last row, up to the end of its panel.
  const int64_t inLast = rows % order.rows;
  Value last = f.mul(f.div(part.count, order.rows), order.rows);
  return f.when(f.isBelow(last, part.count), [&] {
    return f.forEach(part.from, part.to, order.unit, [&](Value k) {
      return clearUnit(order.rows - inLast, f.offset(panelAt(last, k), order.word, inLast));
    });
  });
}
