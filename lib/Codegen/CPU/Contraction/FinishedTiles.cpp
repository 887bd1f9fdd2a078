// What becomes of the sums of a block's tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/CPU/Contraction/FinishedTiles.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

#include <utility>

using namespace mlir;
using namespace mp;

FinishedTiles::FinishedTiles(CPUFunction &f, Elements &values, const Product &product, const Sizing &s, Type acc,
                             int64_t width, const IndexMap *place)
    : f(f), b(f.b), values(values), s(s), ownEpilogue(f, values, product), acc(acc), width(width),
      reductions(f, ownEpilogue, width) {
  if (place)
    rowsInResult.emplace(f, Value(), *place);
}

LogicalResult FinishedTiles::begin(const BlockPlace &block) {
  at = block;
  if (failed(ownEpilogue.prepare()))
    return failure();
  reductions.start(at.blockRow);
  return success();
}

void FinishedTiles::end() {
  // Blocks of the result are counted row by row.
  Value row = at.blockRow, column = at.blockColumn;
  int64_t down = s.blocksM(), across = s.blocksN();
  if (s.isTransposed) {
    std::swap(row, column);
    std::swap(down, across);
  }
  reductions.finish(f.add(f.mul(f.add(f.mul(at.outer, down), row), across), column));
}

void FinishedTiles::prefetchAddends(Value row, Value column) {
  prefetch(row, column, ownEpilogue.addends(), /*isStored=*/false);
}

void FinishedTiles::prefetchResult(Value row, Value column) {
  constexpr int64_t kMostDepth = 128; // products of more take longer than a line from memory does
  if (s.k <= kMostDepth && storesLines && isPlain())
    prefetch(row, column, {{f.result(0), memoryType(elementOf(s.result))}}, /*isStored=*/true);
}

void FinishedTiles::prefetch(Value row, Value column, ArrayRef<std::pair<Value, Type>> tensors, bool isStored) {
  constexpr int64_t kLineBytes = 64;
  if (rowsInResult || s.isTransposed || tensors.empty())
    return;
  Value rowsHere = rowsOfTile(row);
  Value first = f.add(f.add(ownEpilogue.firstRowOf(at.outer), at.firstRow), row);
  Value start = f.add(at.columnAt(f, column), ownEpilogue.firstColumnOf(at.outer));
  const int64_t columnsOfRow = s.sharesRows ? s.batch * s.n : s.n;
  (void)f.forEach(values.zero, rowsHere, 1, [&](Value index) {
    Value element = f.add(f.mul(f.add(first, index), columnsOfRow), start);
    for (auto [pointer, type] : tensors)
      for (int64_t ahead = 0; ahead < s.tileN; ahead += kLineBytes * 8 / type.getIntOrFloatBitWidth())
        LLVM::Prefetch::create(b, f.offset(pointer, type, f.add(element, f.i64(ahead))), isStored, /*hint=*/3,
                               /*cache=*/1);
    return success();
  });
}

Value FinishedTiles::loadLanes(Value pointer, int64_t lanes) {
  return LLVM::LoadOp::create(b, withLanes(acc, lanes), pointer, acc.getIntOrFloatBitWidth() / 8);
}

Value FinishedTiles::rowInResult(Value row) {
  return rowsInResult ? rowsInResult->at(rowsInResult->movedBy(rowsInResult->map.row, row)).column : row;
}

/// The rows that a tile has from `row`, and its columns: a constant where all are whole.
Value FinishedTiles::rowsOfTile(Value row) {
  return s.m % s.tileM == 0 ? f.i64(s.tileM) : f.min(f.sub(at.rows, row), f.i64(s.tileM));
}

Value FinishedTiles::columnsOfTile(Value column) {
  return s.n % s.tileN == 0 ? f.i64(s.tileN) : f.min(f.sub(at.columns, column), f.i64(s.tileN));
}

/// Neighbours of a row that are finished at once.
int64_t FinishedTiles::lanesOfStore() const {
  const int64_t lanes = width * acc.getIntOrFloatBitWidth() / ownEpilogue.leastBits();
  return storesLines && isPlain() && s.tileN % lanes == 0 && s.n % lanes == 0 ? lanes : width;
}

LogicalResult FinishedTiles::finish(Value tile, Value row, Value early, Value column) {
  if (s.isTransposed)
    return finishTransposed(tile, row, column);
  const int64_t lanes = ownEpilogue.isEven() ? lanesOfStore() : 1;
  Value rowsHere = rowsOfTile(row), columnsHere = columnsOfTile(column);
  Value firstOfTile = f.add(f.add(ownEpilogue.firstRowOf(at.outer), at.firstRow), row);
  Value firstInRow = f.add(ownEpilogue.firstColumnOf(at.outer), at.columnAt(f, column));
  auto finish = [&](Value index, Value j, int64_t count, ProductEpilogue::OnTile onTile) {
    Value sumsAt = f.offset(tile, acc, f.add(f.mul(f.add(index, early), s.tileN), j));
    return ownEpilogue.emit(rowInResult(f.add(firstOfTile, index)), f.add(firstInRow, j), loadLanes(sumsAt, count),
                            count, onTile);
  };
  const bool hasRest = s.n % lanes != 0;
  // Of a single lane LLVM 22 stores the 32 bits that 16 are made of.
  if (storesLines && s.n > 1 && s.n < width && isPlain())
    return f.forEach(values.zero, rowsHere, 1, [&](Value index) {
      Value sumsAt = f.offset(tile, acc, f.mul(f.add(index, early), s.tileN));
      ownEpilogue.storeFirst(rowInResult(f.add(firstOfTile, index)), firstInRow, loadLanes(sumsAt, width), s.n);
      return success();
    });
  if (reductions.empty())
    return f.forEach(values.zero, rowsHere, 1, [&](Value index) {
      Elements::Scope scope(values);
      return f.forLanes(values.zero, columnsHere, lanes, hasRest,
                        [&](Value j, int64_t count) { return finish(index, j, count, {}); });
    });

  // Reductions know columns of the product.
  Value start = at.columnAt(f, column);
  auto reduce = [&](Value first, int64_t vectors, int64_t lanesOfEach) {
    return reductions.emit({row, rowsHere, f.add(start, first), vectors, lanesOfEach},
                           [&](Value index, Value j, int64_t count, ProductEpilogue::OnTile onTile) {
                             Elements::Scope scope(values);
                             return finish(index, f.sub(j, start), count, onTile);
                           });
  };
  auto reduceWhole = [&] { return reduce(values.zero, s.tileN / width, width); };
  auto reducePart = [&] {
    return f.forLanes(values.zero, columnsHere, lanes, hasRest,
                      [&](Value j, int64_t count) { return reduce(j, 1, count); });
  };
  if (lanes != width)
    return reducePart();
  if (s.n % s.tileN == 0)
    return reduceWhole();
  Value isWhole = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, columnsHere, f.i64(s.tileN));
  return f.either(isWhole, reduceWhole, reducePart);
}

/// The same of a transposed product: each of its columns is a row of the result.
LogicalResult FinishedTiles::finishTransposed(Value tile, Value row, Value column) {
  Value rowsHere = rowsOfTile(row), columnsHere = columnsOfTile(column);
  Value firstInRow = f.add(f.add(ownEpilogue.firstColumnOf(at.outer), at.firstRow), row);
  Value firstOfTile = f.add(f.add(ownEpilogue.firstRowOf(at.outer), at.firstColumn), column);
  return f.forEach(values.zero, columnsHere, 1, [&](Value j) {
    Value resultRow = rowInResult(f.add(firstOfTile, j));
    auto finish = [&](Value index, Value, int64_t, ProductEpilogue::OnTile onTile) {
      Elements::Scope scope(values);
      Value sum = loadLanes(f.offset(tile, acc, f.add(f.mul(index, s.tileN), j)), 1);
      return ownEpilogue.emit(resultRow, f.add(firstInRow, index), sum, 1, onTile);
    };
    if (!reductions.empty())
      return reductions.emit({row, rowsHere, j, 1, 1}, finish);
    return f.forEach(values.zero, rowsHere, 1, [&](Value index) { return finish(index, j, 1, {}); });
  });
}
