// Operands that are no matrices, packed: pixels of images under the taps of filters.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where such an element lies takes divisions to find. Each loop here walks one number, row or k, in runs of its last
// digit, so that all that a step of it does is an addition: divisions are made once a run.

#include "Codegen/CPU/Contraction/Packing.h"

#include <numeric>

using namespace mlir;
using namespace mp;

/// The digit that a run of numbers walks; of a number that is 0 alone, none.
static IndexMap::Digit lastOf(const IndexMap::Digits &digits) {
  return digits.empty() ? IndexMap::Digit{1, 0, 0} : digits.back();
}

bool Packing::endsWithRuns() const {
  const int64_t size = lastOf(operand.map.depth).size;
  return size > 0 && order.depth % size == 0;
}

FailureOr<Value> Packing::readAt(const Sums &sums, int64_t offset, int64_t count) {
  const MappedOperand::Element at = operand.at(sums);
  Value column = f.add(at.column, f.i64(offset));
  FailureOr<Value> loaded = values.at(operand.tensor, values.inRow(at.row, operand.columns, column, count, isEven));
  if (failed(loaded) || !at.isThere)
    return loaded;
  Value nothing = floatConstant(b, loaded->getType(), 0);
  return Value(arith::SelectOp::create(b, splat(b, at.isThere, count), *loaded, nothing));
}

FailureOr<Words> Packing::wordsOfUnit(ArrayRef<Sums> sums, Value k, int64_t offset, int64_t count) {
  FailureOr<Value> loaded = readAt(sums.front(), offset, count);
  if (failed(loaded))
    return failure();
  if (order.unit == 1)
    return Words{*loaded};
  FailureOr<Value> next = readAt(sums.back(), offset, count);
  if (failed(next))
    return failure();
  if (depth % order.unit != 0) {
    Value isThere = f.isBelow(f.add(k, f.i64(1)), f.i64(depth));
    next = Value(arith::SelectOp::create(b, isThere, *next, floatConstant(b, next->getType(), 0)));
  }
  return joinPairs(b, elementOf(operand.tensor), order.parts, *loaded, *next);
}

SmallVector<MappedOperand::Sums, 2> Packing::stepsOf(Value k) {
  SmallVector<Sums, 2> steps;
  for (int64_t step = 0; step < order.unit; ++step)
    steps.push_back(operand.movedBy(operand.map.depth, step == 0 ? k : f.min(f.add(k, f.i64(step)), f.i64(depth - 1))));
  return steps;
}

/// Run after run of rows, each in stretches of k that lie side by side, `lanes` of them at once: they divide stretches.
/// What a stretch adds to where a row lies is found once for all rows of a run, and a row of nothing is not read.
LogicalResult Packing::gatherRows() {
  const IndexMap &map = operand.map;
  const IndexMap::Digit lastRow = lastOf(map.row), lastStep = lastOf(map.depth);
  const Sums ofBatch = operand.movedBy(map.batch, part.batch);
  const Type words = withLanes(order.word, lanes / order.unit);
  const SmallVector<Value> nothing(order.parts, arith::ConstantOp::create(b, b.getZeroAttr(words)));
  auto packStretch = [&](const MappedOperand::Run &ofRows, const MappedOperand::Run &ofDepth, Value number) {
    const Sums sums =
        operand.add(operand.add(ofBatch, operand.add(ofRows.others, ofDepth.others)), operand.movedBy(lastRow, number));
    Value row = f.sub(f.add(ofRows.start, number), part.first);
    return f.forEach(ofDepth.first, ofDepth.last, lanes, [&](Value step) -> LogicalResult {
      Elements::Scope scope(values);
      const MappedOperand::Element at = operand.at(operand.add(sums, operand.movedBy(lastStep, step)));
      auto readThere = [&]() -> FailureOr<SmallVector<Value>> {
        Elements::Scope scope(values);
        FailureOr<Value> loaded =
            values.at(operand.tensor, values.inRow(at.row, operand.columns, at.column, lanes, isEven));
        if (failed(loaded))
          return failure();
        return SmallVector<Value>(wordsAlongDepth(*loaded, lanes));
      };
      FailureOr<SmallVector<Value>> found = at.isThere ? f.when(at.isThere, nothing, readThere) : readThere();
      if (succeeded(found))
        store(*found, rowAt(row, f.add(ofDepth.start, step)));
      return LogicalResult(found);
    });
  };
  LogicalResult filled =
      operand.forRuns(map.row, part.first, f.add(part.first, part.count), false, [&](const MappedOperand::Run &ofRows) {
        return operand.forRuns(map.depth, part.from, part.to, endsWithRuns(), [&](const MappedOperand::Run &ofDepth) {
          return f.forEach(ofRows.first, ofRows.last, 1,
                           [&](Value number) { return packStretch(ofRows, ofDepth, number); });
        });
      });
  if (succeeded(filled))
    fillRows();
  return filled;
}

/// Unit after unit of k, each in runs of rows.
LogicalResult Packing::gatherRowsByStep() {
  const IndexMap &map = operand.map;
  const IndexMap::Digit last = lastOf(map.row);
  const Sums ofBatch = operand.movedBy(map.batch, part.batch);
  Value end = f.add(part.first, part.count);
  LogicalResult filled = f.forEach(part.from, part.to, order.unit, [&](Value k) {
    SmallVector<Sums, 2> steps = stepsOf(k);
    for (Sums &step : steps)
      step = operand.add(ofBatch, step);
    return operand.forRuns(map.row, part.first, end, false, [&](const MappedOperand::Run &run) {
      return f.forEach(run.first, run.last, 1, [&](Value number) {
        Elements::Scope scope(values);
        const Sums ofRow = operand.add(run.others, operand.movedBy(last, number));
        auto sums = llvm::map_to_vector<2>(steps, [&](const Sums &step) { return operand.add(step, ofRow); });
        MaybeWords words = wordsOfUnit(sums, k, 0, 1);
        if (succeeded(words))
          store(*words, rowAt(f.sub(f.add(run.start, number), part.first), k));
        return LogicalResult(words);
      });
    });
  });
  if (succeeded(filled))
    fillRows();
  return filled;
}

/// Rows that lie side by side, as many as a panel and a run have in common, in runs of k.
LogicalResult Packing::gatherSteps() {
  const IndexMap &map = operand.map;
  const IndexMap::Digit last = lastOf(map.depth);
  const int64_t together = isEven ? std::max(std::gcd(map.getRun(), order.rows), lanes) : 1;
  const Sums ofBatch = operand.movedBy(map.batch, part.batch);
  LogicalResult packed = f.forEach(values.zero, part.count, together, [&](Value row) {
    const Sums ofRow = operand.add(ofBatch, operand.movedBy(map.row, firstRow(row)));
    Value inPanel = f.rem(row, order.rows), panel = f.sub(row, inPanel);
    auto packUnit = [&](ArrayRef<Sums> sums, Value k) -> LogicalResult {
      Value target = f.offset(panelAt(panel, k), order.word, inPanel);
      for (int64_t offset = 0; offset < together; offset += lanes) {
        MaybeWords words = wordsOfUnit(sums, k, offset, lanes);
        if (failed(words))
          return failure();
        store(*words, f.offset(target, order.word, offset));
      }
      return success();
    };
    // A unit must not lie in two runs.
    if (last.size % order.unit != 0)
      return f.forEach(part.from, part.to, order.unit, [&](Value k) {
        Elements::Scope scope(values);
        return packUnit(llvm::map_to_vector<2>(stepsOf(k), [&](const Sums &s) { return operand.add(ofRow, s); }), k);
      });
    return operand.forRuns(map.depth, part.from, part.to, endsWithRuns(), [&](const MappedOperand::Run &run) {
      const Sums ofRun = operand.add(ofRow, run.others);
      return f.forEach(run.first, run.last, order.unit, [&](Value number) {
        Elements::Scope scope(values);
        SmallVector<Sums, 2> sums;
        for (int64_t step = 0; step < order.unit; ++step)
          sums.push_back(operand.add(ofRun, operand.movedBy(last, f.add(number, f.i64(step)))));
        return packUnit(sums, f.add(run.start, number));
      });
    });
  });
  if (failed(packed) || rows % order.rows == 0)
    return packed;
  // Zeros behind the last row, up to the end of its panel.
  Value whole = f.mul(f.div(part.count, order.rows), order.rows), filled = f.sub(part.count, whole);
  return f.when(f.isBelow(whole, part.count), [&] {
    return f.forEach(part.from, part.to, order.unit, [&](Value k) {
      Value words = panelAt(whole, k);
      for (int64_t part = 0; part < order.parts; ++part)
        fillZeros(f.offset(words, order.word, part * order.wordsOfPart()), filled, f.i64(order.rows));
      return success();
    });
  });
}
