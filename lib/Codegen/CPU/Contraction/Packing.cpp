// Operands of a product, packed for its register tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory is read along its rows. Where the panel's words go the same way they are copied, a row or a step of k after
// the other; where a row of memory is a column of the panel, squares are transposed in registers.

#include "Codegen/CPU/Contraction/Packing.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace mlir;
using namespace mp;

/// A line of memory, which buffers begin with.
static constexpr int64_t kLineBytes = 64;

/// The lanes of one access, of `vector` a register: along whole rows of memory, of whose end forDepth and packEnd take
/// care; fewer where a run ends earlier, so that none is crossed. What goes down the rows of a panel divides these, and
/// so does the side of a square that is turned around.
static int64_t chooseLanes(const IndexMap &map, const PanelOrder &order, int64_t vector) {
  int64_t widest = order.parts == 1 ? vector : std::min(vector, order.granule);
  if (!map.isAlongDepth()) {
    widest = order.rows % vector == 0 ? vector : order.rows;
  } else if (!order.isDepthInner) {
    widest = std::max<int64_t>(vector / order.unit, 1);
    while (order.rows % widest != 0 || !llvm::isPowerOf2_64(widest))
      --widest;
    widest *= order.unit;
  }
  if (map.isMatrix())
    return widest;
  const int64_t run = std::gcd(map.getRun(), map.isAlongDepth() ? order.depth : order.rows);
  int64_t lanes = 1;
  while (2 * lanes <= widest && run % (2 * lanes) == 0)
    lanes *= 2;
  return lanes;
}

/// `map`, with rows of pixels in the place of pixels where whatever makes `tensor` goes evenly along them.
static IndexMap joinPixels(Elements &values, Value tensor, const IndexMap &map) {
  IndexMap joined = map;
  joined.joinPixels();
  return !map.isMatrix() && values.isEvenAlong(tensor, joined.dimensions.back().size) ? joined : map;
}

Packing::Packing(CPUFunction &f, Elements &values, Value tensor, const IndexMap &map, int64_t rows, int64_t depth,
                 const PanelOrder &order, int64_t vector)
    : f(f), b(f.b), values(values), operand(f, tensor, joinPixels(values, tensor, map)), rows(rows), depth(depth),
      order(order), vector(vector), isEven(values.isEvenAlong(tensor, operand.columns)),
      lanes(isEven ? chooseLanes(operand.map, order, vector) : 1) {}

LogicalResult Packing::emit(Value to, const Part &wanted) {
  part = wanted;
  target = to;
  // An odd k of pairs is filled as its words are made.
  if (order.granule > order.unit && depth % order.granule != 0)
    fillGranule();
  if (operand.map.isAlongDepth() != order.isDepthInner)
    return order.isDepthInner ? turnSteps() : turnSquares();
  if (operand.map.isMatrix())
    return order.isDepthInner ? copyRows() : copySteps();
  return order.isDepthInner ? gatherRows() : gatherColumns();
}

// Words

FailureOr<Value> Packing::read(Value row, Value k, int64_t count) {
  const MappedOperand::Element at = operand.find(part.batch, row, k);
  FailureOr<Value> loaded = values.at(operand.tensor, values.inRow(at.row, operand.columns, at.column, count, isEven));
  if (failed(loaded) || !at.isThere)
    return loaded;
  Value nothing = floatConstant(b, loaded->getType(), 0);
  return Value(arith::SelectOp::create(b, at.isThere, *loaded, nothing));
}

FailureOr<Value> Packing::readNext(Value row, Value k, int64_t count) {
  if (depth % order.unit == 0)
    return read(row, k, count);
  FailureOr<Value> loaded = read(row, f.min(k, f.i64(depth - 1)), count);
  if (failed(loaded))
    return failure();
  Value nothing = floatConstant(b, loaded->getType(), 0);
  return Value(arith::SelectOp::create(b, f.isBelow(k, f.i64(depth)), *loaded, nothing));
}

FailureOr<Words> Packing::readAlongRows(Value row, Value k, int64_t count) {
  FailureOr<Value> loaded = read(row, k, count);
  if (failed(loaded))
    return failure();
  SmallVector<Value, 2> steps = {*loaded};
  for (int64_t step = 1; step < order.unit; ++step) {
    FailureOr<Value> next = readNext(row, f.add(k, f.i64(step)), count);
    if (failed(next))
      return failure();
    steps.push_back(*next);
  }
  return wordsOf(steps);
}

Words Packing::wordsOf(ArrayRef<Value> steps) {
  if (order.unit == 1)
    return {steps.front()};
  return joinPairs(b, elementOf(operand.tensor), order.parts, steps.front(), steps.back());
}

FailureOr<Value> Packing::wordsAt(Value batch, Value row, Value k, int64_t count) {
  part.batch = batch;
  const bool areNeighbours = isEven && !operand.map.isAlongDepth();
  SmallVector<Value> words;
  for (int64_t lane = 0; lane < count; lane += areNeighbours ? count : 1) {
    MaybeWords found = readAlongRows(f.add(row, f.i64(lane)), k, areNeighbours ? count : 1);
    if (failed(found))
      return failure();
    words.push_back(found->front());
  }
  if (areNeighbours || count == 1)
    return words.front();
  return Value(vector::FromElementsOp::create(b, VectorType::get({count}, words.front().getType()), words));
}

FailureOr<Words> Packing::readAlongDepth(Value row, Value k, int64_t count) {
  if (count == order.unit)
    return readAlongRows(row, k, 1);
  FailureOr<Value> loaded = read(row, k, count);
  if (failed(loaded))
    return failure();
  return wordsAlongDepth(*loaded, count);
}

Words Packing::wordsAlongDepth(Value loaded, int64_t count) {
  if (order.unit == 1)
    return Words{loaded};
  const int64_t words = count / order.unit;
  // Pairs lie side by side as they are to.
  if (order.parts == 1) {
    Value halves = halvesOf(b, elementOf(operand.tensor), order.parts, loaded).front();
    return {Value(LLVM::BitcastOp::create(b, withLanes(order.word, words), halves))};
  }
  SmallVector<int64_t> even, odd;
  for (int64_t word = 0; word < words; ++word) {
    even.push_back(2 * word);
    odd.push_back(2 * word + 1);
  }
  Value low = vector::ShuffleOp::create(b, loaded, loaded, even),
        high = vector::ShuffleOp::create(b, loaded, loaded, odd);
  return joinPairs(b, elementOf(operand.tensor), order.parts, low, high);
}

void Packing::store(ArrayRef<Value> words, Value pointer) {
  const int64_t bytes = order.word.getIntOrFloatBitWidth() / 8;
  for (auto [part, own] : llvm::enumerate(words)) {
    const bool isLine = isPastCaches && laneCount(own.getType()) * bytes % kLineBytes == 0;
    LLVM::StoreOp::create(b, own, f.offset(pointer, order.word, part * order.wordsOfPart()),
                          isLine ? kLineBytes : bytes, /*isVolatile=*/false, /*isNonTemporal=*/isLine);
  }
}

void Packing::storeAlongDepth(Value loaded, Value row, Value k) {
  const bool isHalf = order.unit > 1;
  Type element = isHalf ? b.getI16Type() : order.word;
  Value inPart = f.sub(k, part.from), index = f.add(f.mul(row, order.wordsOfRow() * order.unit), inPart);
  if (order.parts > 1)
    index = f.add(index, f.mul(f.div(inPart, order.granule), (order.parts - 1) * order.granule));
  Words words = isHalf ? halvesOf(b, elementOf(operand.tensor), order.parts, loaded) : Words{loaded};
  for (auto [number, own] : llvm::enumerate(words))
    LLVM::StoreOp::create(b, own, f.offset(target, element, f.add(index, f.i64(number * order.granule))),
                          element.getIntOrFloatBitWidth() / 8);
}

void Packing::fillZeros(Value pointer, Value from, Value to) {
  (void)f.forEach(from, to, 1, [&](Value index) {
    store(Value(arith::ConstantOp::create(b, b.getZeroAttr(order.word))), f.offset(pointer, order.word, index));
    return success();
  });
}

Value Packing::stepOf(Value k) {
  Value inPart = f.sub(k, part.from);
  Value step = f.div(inPart, order.unit);
  if (order.parts == 1)
    return step;
  const int64_t between = (order.parts - 1) * (order.granule / order.unit); // words of the other parts
  return f.add(step, f.mul(f.div(inPart, order.granule), between));
}

/// Where the panel that begins with `row` has the words of `k`.
Value Packing::panelAt(Value row, Value k) {
  return f.offset(target, order.word, f.add(f.mul(row, order.wordsOfRow()), f.mul(stepOf(k), order.rows)));
}

/// Where a panel of rows of k has those of a row.
Value Packing::rowAt(Value row, Value k) {
  return f.offset(target, order.word, f.add(f.mul(row, order.wordsOfRow()), stepOf(k)));
}

// Ways

LogicalResult Packing::forDepth(int64_t count, function_ref<LogicalResult(Value, int64_t)> body) {
  if (order.unit == 1)
    return f.forLanes(part.from, part.to, count, depth % count != 0 || order.depth % count != 0, body);
  Value end = f.add(part.from, f.mul(f.div(f.sub(part.to, part.from), count), count));
  if (count > order.unit && failed(f.forEach(part.from, end, count, [&](Value k) { return body(k, count); })))
    return failure();
  if (count > order.unit && depth % count == 0 && order.depth % count == 0)
    return success();
  return f.forEach(count > order.unit ? end : part.from, part.to, order.unit,
                   [&](Value k) { return body(k, order.unit); });
}

LogicalResult Packing::packEnd(Value k, Value whole) {
  Value pointer = panelAt(whole, k), filled = f.sub(part.count, whole);
  LogicalResult done = f.forEach(values.zero, filled, 1, [&](Value row) {
    Elements::Scope scope(values);
    MaybeWords word = readAlongRows(firstRow(f.add(whole, row)), k, 1);
    if (succeeded(word))
      store(*word, f.offset(pointer, order.word, row));
    return LogicalResult(word);
  });
  for (int64_t part = 0; part < order.parts; ++part)
    fillZeros(f.offset(pointer, order.word, part * order.wordsOfPart()), filled, f.i64(order.rows));
  return done;
}

/// Whether rows follow each other in memory as they do in panels, all of k in one, and end within a vector.
bool Packing::areRowsOne() const {
  const int64_t all = typeOf(operand.tensor).getNumElements();
  return order.unit == 1 && order.depth == depth && operand.columns == depth && depth % vector != 0 &&
         matchPattern(part.from, m_Zero()) && values.isEvenAlong(operand.tensor, all);
}

/// Copies all rows as one, in whole vectors but at its end.
LogicalResult Packing::copyOneRow() {
  const int64_t all = typeOf(operand.tensor).getNumElements();
  Value first = f.mul(operand.find(part.batch, part.first, part.from).row, depth);
  return f.forLanes(values.zero, f.mul(part.count, depth), vector, /*hasRest=*/true, [&](Value index, int64_t count) {
    Elements::Scope scope(values);
    MaybeValue found = values.at(operand.tensor, values.inRow(values.zero, all, f.add(first, index), count, true));
    if (succeeded(found))
      storeAlongDepth(*found, values.zero, index);
    return LogicalResult(found);
  });
}

/// Panel after panel and row after row: row r of the block starts at r rows of words.
LogicalResult Packing::copyRows() {
  if (areRowsOne()) {
    LogicalResult copied = copyOneRow();
    if (succeeded(copied))
      fillRows();
    return copied;
  }
  LogicalResult filled = f.forEach(values.zero, part.count, 1, [&](Value row) {
    Elements::Scope scope(values);
    return forDepth(std::max(lanes, order.unit), [&](Value k, int64_t count) {
      Elements::Scope scope(values);
      if (count == order.unit) {
        MaybeWords word = readAlongRows(firstRow(row), k, 1);
        if (succeeded(word))
          store(*word, rowAt(row, k));
        return LogicalResult(word);
      }
      MaybeValue found = read(firstRow(row), k, count);
      if (succeeded(found))
        storeAlongDepth(*found, row, k);
      return LogicalResult(found);
    });
  });
  if (succeeded(filled))
    fillRows();
  return filled;
}

LogicalResult Packing::copySteps() {
  Value whole = f.mul(f.div(part.count, order.rows), order.rows);
  return f.forEach(part.from, part.to, order.unit, [&](Value k) {
    Elements::Scope scope(values);
    LogicalResult panels = f.forEach(values.zero, whole, order.rows, [&](Value panel) {
      Value words = panelAt(panel, k), start = firstRow(panel);
      return f.forLanes(values.zero, f.i64(order.rows), lanes, false, [&](Value row, int64_t count) {
        Elements::Scope scope(values);
        MaybeWords found = readAlongRows(f.add(start, row), k, count);
        if (succeeded(found))
          store(*found, f.offset(words, order.word, row));
        return LogicalResult(found);
      });
    });
    if (failed(panels) || rows % order.rows == 0)
      return panels;
    return f.when(f.isBelow(whole, part.count), [&] { return packEnd(k, whole); });
  });
}

/// A square of words, part by part, with its rows as columns.
SmallVector<Words> Packing::turned(ArrayRef<Words> square) {
  SmallVector<Words> columns(square.size());
  for (int64_t part = 0; part < order.parts; ++part) {
    auto rows = llvm::map_to_vector(square, [&](const Words &words) { return words[part]; });
    for (auto [column, words] : llvm::zip_equal(columns, transposeLanes(b, rows)))
      column.push_back(words);
  }
  return columns;
}

/// The words of each of `count` lanes.
SmallVector<Words> Packing::lanesOf(const Words &words, int64_t count) {
  SmallVector<Words> lanes(count);
  for (auto [lane, own] : llvm::enumerate(lanes))
    for (Value part : words)
      own.push_back(count == 1 ? part : Value(vector::ExtractOp::create(b, part, lane)));
  return lanes;
}

LogicalResult Packing::turnSquares() {
  // As many rows as a row has words.
  const int64_t side = std::max<int64_t>(lanes / order.unit, 1);
  Value whole = f.mul(f.div(part.count, order.rows), order.rows);
  LogicalResult squares = f.forEach(values.zero, whole, side, [&](Value row) {
    Elements::Scope scope(values);
    Value inPanel = f.rem(row, order.rows), panel = f.sub(row, inPanel);
    return forDepth(side * order.unit, [&](Value k, int64_t count) -> LogicalResult {
      Elements::Scope scope(values);
      SmallVector<Words> square;
      for (int64_t lane = 0; lane < side; ++lane) {
        MaybeWords words = readAlongDepth(f.add(firstRow(row), f.i64(lane)), k, count);
        if (failed(words))
          return failure();
        square.push_back(*words);
      }
      Value words = f.offset(panelAt(panel, k), order.word, inPanel);
      const bool isTurned = count != order.unit;
      for (auto [lane, own] : llvm::enumerate(isTurned ? turned(square) : square))
        store(own, f.offset(words, order.word, isTurned ? lane * order.rows : lane));
      return success();
    });
  });
  if (failed(squares) || rows % order.rows == 0)
    return squares;
  return f.when(f.isBelow(whole, part.count),
                [&] { return f.forEach(part.from, part.to, order.unit, [&](Value k) { return packEnd(k, whole); }); });
}

/// As turnSquares, where memory has rows of k's steps: each of `side` units of k gives words of `side` rows.
LogicalResult Packing::turnSteps() {
  int64_t side = 1;
  while (2 * side <= lanes && order.rows % (2 * side) == 0)
    side *= 2;
  Value whole = f.mul(f.div(part.count, side), side);
  auto square = [&](Value k, int64_t units) {
    return f.forEach(values.zero, whole, side, [&](Value row) -> LogicalResult {
      Elements::Scope scope(values);
      SmallVector<Words> steps;
      for (int64_t unit = 0; unit < units; ++unit) {
        MaybeWords words = readAlongRows(firstRow(row), f.add(k, f.i64(unit * order.unit)), side);
        if (failed(words))
          return failure();
        steps.push_back(*words);
      }
      Value words = rowAt(row, k);
      const bool isSquare = units == side && side > 1;
      for (auto [lane, own] : llvm::enumerate(isSquare ? turned(steps) : lanesOf(steps.front(), side)))
        store(own, f.offset(words, order.word, lane * order.wordsOfRow()));
      return success();
    });
  };
  // Rows behind the last square, and zeros behind the last row.
  auto rest = [&](Value k) {
    return f.forEach(whole, part.count, 1, [&](Value row) {
      Elements::Scope scope(values);
      MaybeWords word = readAlongRows(firstRow(row), k, 1);
      if (succeeded(word))
        store(*word, rowAt(row, k));
      return LogicalResult(word);
    });
  };
  const int64_t count = side * order.unit;
  Value end = f.add(part.from, f.mul(f.div(f.sub(part.to, part.from), count), count));
  if (failed(f.forEach(part.from, end, count, [&](Value k) { return square(k, side); })) ||
      failed(f.forEach(end, part.to, order.unit, [&](Value k) { return square(k, 1); })) ||
      (side > 1 && failed(f.forEach(part.from, part.to, order.unit, rest))))
    return failure();
  fillRows();
  return success();
}

void Packing::fillRows() {
  if (rows % order.rows == 0)
    return;
  Value whole = f.mul(f.div(f.add(part.count, f.i64(order.rows - 1)), order.rows), order.rows);
  fillZeros(target, f.mul(part.count, order.wordsOfRow()), f.mul(whole, order.wordsOfRow()));
}

void Packing::fillGranule() {
  const int64_t whole = order.granule / order.unit;
  const Value words = f.div(f.add(f.sub(part.to, part.from), f.i64(order.unit - 1)), order.unit);
  // Those that the last granule has, and those that it lacks of each part.
  Value last = f.mul(f.div(words, whole), whole * order.parts), there = f.rem(words, whole);
  Value missing = f.rem(f.sub(f.i64(whole), there), whole);
  Value panels = f.div(f.add(part.count, f.i64(order.rows - 1)), order.rows);
  // One run of words in each row, or in each panel.
  const int64_t runs = order.isDepthInner ? order.rows : 1, step = order.isDepthInner ? 1 : order.rows;
  (void)f.forEach(values.zero, f.mul(panels, runs), 1, [&](Value run) {
    Value start = f.offset(target, order.word, f.mul(run, order.wordsOfPanel() / runs));
    for (int64_t part = 0; part < order.parts; ++part) {
      Value from = f.add(f.add(last, f.i64(part * whole)), there);
      fillZeros(start, f.mul(from, step), f.mul(f.add(from, missing), step));
    }
    return success();
  });
}
