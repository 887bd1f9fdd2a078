// A packed matrix product.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One block of the grid computes block_m x block_n elements of one batch. For each chunk of block_k it packs both
// operands into scratch memory, prologue applied, as panels that tiles read from end to end, and adds the chunk's
// products to its sums, tile by tile in vector registers. Sums stay in the accumulator's type between chunks and every
// element adds its products in the order of k, each by one fma: no block size changes a bit.
//
//   packed lhs   [rows / tile_m][tile_m][block_k], or with transpose_lhs [rows / tile_m][block_k][tile_m]
//   packed rhs   [columns / tile_n][block_k][tile_n]
//   sums         [columns / tile_n][rows / tile_m][tile_m][tile_n]
//
// Tiles at the edge are computed whole, over zeros, and stored in part.

#include "Codegen/CPU/CPUFunction.h"
#include "Codegen/Emit/Product.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mp;

namespace {

/// The sizes of what a block does of a product.
struct Sizing : Product {
  int64_t tileM, tileN, blockM, blockN, blockK;

  Sizing(const Product &product, ContractionScheduleAttr schedule)
      : Product(product), tileM(schedule.getTileM()), tileN(schedule.getTileN()) {
    // No block is larger than the product, rounded up to whole tiles.
    blockM = std::min(schedule.getBlockM(), std::max<int64_t>(llvm::alignTo(m, tileM), tileM));
    blockN = std::min(schedule.getBlockN(), std::max<int64_t>(llvm::alignTo(n, tileN), tileN));
    blockK = std::min(schedule.getBlockK(), std::max<int64_t>(k, 1));
  }

  int64_t blocksM() const { return llvm::divideCeil(m, blockM); }
  int64_t blocksN() const { return llvm::divideCeil(n, blockN); }
  int64_t grid() const { return batch * blocksM() * blocksN(); }
  bool isChunked() const { return k > blockK; }
};

class ContractionEmitter {
public:
  ContractionEmitter(CPUFunction &f, const Product &product, ContractionScheduleAttr schedule)
      : f(f), b(f.b), s(product, schedule), values(f.b), epilogue(f, values, s), acc(registerType(product.acc)),
        width(std::min(schedule.getVector() * 32 / acc.getIntOrFloatBitWidth(), s.tileN)) {}

  FailureOr<int64_t> emit();

private:
  LogicalResult emitChunk(Value from);
  LogicalResult packLhs(Value from, Value to);
  LogicalResult packLhsTransposed(Value from, Value to);
  LogicalResult packRhs(Value from, Value to);
  LogicalResult packRhsTransposed(Value from, Value to);
  LogicalResult emitTile(Value row, Value column, Value from, Value to);
  LogicalResult multiplyTile(Value lhsPanel, Value rhsPanel, Value tile, Value from, Value depth);
  LogicalResult finishTile(Value tile, Value row, Value column);

  /// The lanes that fit an operand's walk along its last dimension, of `size`.
  int64_t lanesAlong(Value operand, int64_t size, int64_t wanted) {
    return values.isEvenAlong(operand, size) ? wanted : 1;
  }
  /// An operand, seen as rows of `size`, at `column` of `row`.
  FailureOr<Value> at(Value operand, Value row, int64_t size, Value column, int64_t lanes) {
    return values.at(operand, values.inRow(row, size, column, lanes, values.isEvenAlong(operand, size)));
  }
  Value loadLanes(Value pointer, int64_t lanes) {
    return LLVM::LoadOp::create(b, withLanes(acc, lanes), pointer, acc.getIntOrFloatBitWidth() / 8);
  }
  void storeLanes(Value lanes, Value pointer) {
    LLVM::StoreOp::create(b, lanes, pointer, acc.getIntOrFloatBitWidth() / 8);
  }
  /// Packs single elements, `get(i)` for i below `filled` and 0 from there to `size`, each at pointer + i.
  LogicalResult packSingly(Value pointer, Value filled, int64_t size, function_ref<FailureOr<Value>(Value)> get);
  void fillZeros(Value pointer, Value from, Value to);

  CPUFunction &f;
  LaneBuilder &b;
  Sizing s;
  Elements values;
  ProductEpilogue epilogue;
  Type acc; ///< of packed operands and of sums: f32 for f16, too
  int64_t width;
  Value batch, firstRow, firstColumn, rows, columns; // of the running block
  Value packedLhs, packedRhs, sums;
};

} // namespace

FailureOr<int64_t> ContractionEmitter::emit() {
  f.bindInputs(values);
  packedLhs = f.allocate(acc, s.blockM * s.blockK);
  packedRhs = f.allocate(acc, s.blockN * s.blockK);
  sums = f.allocate(acc, s.isChunked() ? s.blockM * s.blockN : s.tileM * s.tileN);
  if (failed(values.prepare(s.op->getOperands())) || failed(epilogue.prepare()))
    return failure();

  const int64_t blocksN = s.blocksN(), blocksM = s.blocksM();
  batch = s.batch == 1 ? values.zero : f.div(f.block, std::max<int64_t>(blocksN * blocksM, 1));
  if (s.grid() == 0)
    return 0;
  firstColumn = f.mul(f.rem(f.block, blocksN), s.blockN);
  firstRow = f.mul(f.rem(f.div(f.block, blocksN), blocksM), s.blockM);
  rows = f.min(f.sub(f.i64(s.m), firstRow), f.i64(s.blockM));
  columns = f.min(f.sub(f.i64(s.n), firstColumn), f.i64(s.blockN));

  // A product over no k is one chunk of nothing.
  Value depth = f.i64(std::max<int64_t>(s.k, 1));
  if (failed(f.forEach(values.zero, depth, s.blockK, [&](Value from) { return emitChunk(from); })))
    return failure();
  return s.grid();
}

LogicalResult ContractionEmitter::emitChunk(Value from) {
  Value to = f.min(f.add(from, f.i64(s.blockK)), f.i64(s.k));
  if (failed(s.lhsMap.isAlongDepth() ? packLhs(from, to) : packLhsTransposed(from, to)) ||
      failed(s.rhsMap.isAlongDepth() ? packRhsTransposed(from, to) : packRhs(from, to)))
    return failure();
  // The panel of rhs stays in the first cache while the panels of lhs pass by.
  return f.forEach(values.zero, columns, s.tileN, [&](Value column) {
    return f.forEach(values.zero, rows, s.tileM, [&](Value row) { return emitTile(row, column, from, to); });
  });
}

// Packing

LogicalResult ContractionEmitter::packSingly(Value pointer, Value filled, int64_t size,
                                             function_ref<FailureOr<Value>(Value)> get) {
  LogicalResult done = f.forEach(values.zero, filled, 1, [&](Value index) {
    Elements::Scope scope(values);
    FailureOr<Value> value = get(index);
    if (succeeded(value))
      storeLanes(*value, f.offset(pointer, acc, index));
    return LogicalResult(value);
  });
  fillZeros(pointer, filled, f.i64(size));
  return done;
}

void ContractionEmitter::fillZeros(Value pointer, Value from, Value to) {
  (void)f.forEach(from, to, 1, [&](Value index) {
    storeLanes(floatConstant(b, acc, 0), f.offset(pointer, acc, index));
    return success();
  });
}

LogicalResult ContractionEmitter::packLhs(Value from, Value to) {
  const int64_t lanes = lanesAlong(s.lhs, s.k, width);
  const bool hasRest = s.k % lanes != 0 || s.blockK % lanes != 0;
  Value firstOfBatch = f.add(f.mul(batch, s.m), firstRow);
  LogicalResult filled = f.forEach(values.zero, rows, 1, [&](Value row) {
    Elements::Scope scope(values);
    // Panel after panel and row after row: row r of the block starts at r * block_k.
    Value target = f.offset(packedLhs, acc, f.sub(f.mul(row, s.blockK), from));
    Value source = f.add(firstOfBatch, row);
    return f.forLanes(from, to, lanes, hasRest, [&](Value k, int64_t count) {
      Elements::Scope scope(values);
      FailureOr<Value> value = at(s.lhs, source, s.k, k, count);
      if (succeeded(value))
        storeLanes(*value, f.offset(target, acc, k));
      return LogicalResult(value);
    });
  });
  if (failed(filled) || s.m % s.tileM == 0)
    return filled;
  Value whole = f.mul(f.div(f.add(rows, f.i64(s.tileM - 1)), s.tileM), s.tileM);
  fillZeros(packedLhs, f.mul(rows, s.blockK), f.mul(whole, s.blockK));
  return success();
}

LogicalResult ContractionEmitter::packLhsTransposed(Value from, Value to) {
  const int64_t lanes = lanesAlong(s.lhs, s.m, s.tileM);
  Value whole = f.mul(f.div(rows, s.tileM), s.tileM);
  return f.forEach(from, to, 1, [&](Value k) {
    Elements::Scope scope(values);
    Value source = f.add(f.mul(batch, s.k), k);
    auto targetOf = [&](Value row) { // the first row of a panel
      Value inPanel = f.mul(f.sub(k, from), s.tileM);
      return f.offset(packedLhs, acc, f.add(f.mul(row, s.blockK), inPanel));
    };
    LogicalResult panels = f.forEach(values.zero, whole, s.tileM, [&](Value panel) {
      Value target = targetOf(panel);
      return f.forLanes(values.zero, f.i64(s.tileM), lanes, false, [&](Value row, int64_t count) {
        Elements::Scope scope(values);
        Value column = f.add(f.add(firstRow, panel), row);
        FailureOr<Value> value = at(s.lhs, source, s.m, column, count);
        if (succeeded(value))
          storeLanes(*value, f.offset(target, acc, row));
        return LogicalResult(value);
      });
    });
    if (failed(panels) || s.m % s.tileM == 0)
      return panels;
    Value isPartial = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, whole, rows);
    return f.when(isPartial, [&] {
      Elements::Scope scope(values);
      return packSingly(targetOf(whole), f.sub(rows, whole), s.tileM, [&](Value row) {
        Value column = f.add(f.add(firstRow, whole), row);
        return at(s.lhs, source, s.m, column, 1);
      });
    });
  });
}

LogicalResult ContractionEmitter::packRhs(Value from, Value to) {
  const int64_t lanes = lanesAlong(s.rhs, s.n, width);
  Value whole = f.mul(f.div(columns, s.tileN), s.tileN);
  return f.forEach(from, to, 1, [&](Value k) {
    Elements::Scope scope(values);
    Value source = s.rhsMap.batch.empty() ? k : f.add(f.mul(batch, s.k), k);
    auto targetOf = [&](Value column) { // the first column of a panel
      Value inPanel = f.mul(f.sub(k, from), s.tileN);
      return f.offset(packedRhs, acc, f.add(f.mul(column, s.blockK), inPanel));
    };
    LogicalResult panels = f.forEach(values.zero, whole, s.tileN, [&](Value panel) {
      Value target = targetOf(panel), start = f.add(firstColumn, panel);
      return f.forLanes(values.zero, f.i64(s.tileN), lanes, false, [&](Value column, int64_t count) {
        Elements::Scope scope(values);
        FailureOr<Value> value = at(s.rhs, source, s.n, f.add(start, column), count);
        if (succeeded(value))
          storeLanes(*value, f.offset(target, acc, column));
        return LogicalResult(value);
      });
    });
    if (failed(panels) || s.n % s.tileN == 0)
      return panels;
    Value isPartial = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, whole, columns);
    return f.when(isPartial, [&] {
      Elements::Scope scope(values);
      return packSingly(targetOf(whole), f.sub(columns, whole), s.tileN, [&](Value column) {
        return at(s.rhs, source, s.n, f.add(f.add(firstColumn, whole), column), 1);
      });
    });
  });
}

LogicalResult ContractionEmitter::packRhsTransposed(Value from, Value to) {
  const int64_t lanes = lanesAlong(s.rhs, s.k, width);
  const bool hasRest = s.k % lanes != 0 || s.blockK % lanes != 0;
  Value whole = f.mul(f.div(columns, s.tileN), s.tileN);
  Value firstOfBatch = s.rhsMap.batch.empty() ? firstColumn : f.add(f.mul(batch, s.n), firstColumn);
  auto targetOf = [&](Value panel, Value k) {
    return f.offset(packedRhs, acc, f.add(f.mul(panel, s.blockK), f.mul(f.sub(k, from), s.tileN)));
  };
  // Squares of `lanes` columns and as many k are transposed in registers.
  LogicalResult squares = f.forEach(values.zero, whole, lanes, [&](Value column) {
    Elements::Scope scope(values);
    Value inPanel = f.rem(column, s.tileN), panel = f.sub(column, inPanel);
    SmallVector<Value> sources;
    for (int64_t lane = 0; lane < lanes; ++lane)
      sources.push_back(f.add(f.add(firstOfBatch, column), f.i64(lane)));
    return f.forLanes(from, to, lanes, hasRest, [&](Value k, int64_t count) -> LogicalResult {
      Elements::Scope scope(values);
      SmallVector<Value> square;
      for (Value source : sources) {
        FailureOr<Value> value = at(s.rhs, source, s.k, k, count);
        if (failed(value))
          return failure();
        square.push_back(*value);
      }
      Value target = f.offset(targetOf(panel, k), acc, inPanel);
      if (count == 1) {
        for (auto [lane, value] : llvm::enumerate(square))
          storeLanes(value, f.offset(target, acc, lane));
        return success();
      }
      for (auto [step, value] : llvm::enumerate(transposeLanes(b, square)))
        storeLanes(value, f.offset(target, acc, step * s.tileN));
      return success();
    });
  });
  if (failed(squares) || s.n % s.tileN == 0)
    return squares;
  Value isPartial = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, whole, columns);
  return f.when(isPartial, [&] {
    return f.forEach(from, to, 1, [&](Value k) {
      Elements::Scope scope(values);
      return packSingly(targetOf(whole, k), f.sub(columns, whole), s.tileN, [&](Value column) {
        Value source = f.add(f.add(firstOfBatch, whole), column);
        return at(s.rhs, source, s.k, k, 1);
      });
    });
  });
}

// Tiles

LogicalResult ContractionEmitter::emitTile(Value row, Value column, Value from, Value to) {
  Value lhsPanel = f.offset(packedLhs, acc, f.mul(row, s.blockK));
  Value rhsPanel = f.offset(packedRhs, acc, f.mul(column, s.blockK));
  Value tile = sums;
  if (s.isChunked())
    tile = f.offset(sums, acc, f.add(f.mul(column, s.blockM), f.mul(row, s.tileN)));
  if (failed(multiplyTile(lhsPanel, rhsPanel, tile, from, f.sub(to, from))))
    return failure();
  if (!s.isChunked())
    return finishTile(tile, row, column);
  Value isLast = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, to, f.i64(s.k));
  return f.when(isLast, [&] { return finishTile(tile, row, column); });
}

LogicalResult ContractionEmitter::multiplyTile(Value lhsPanel, Value rhsPanel, Value tile, Value from, Value depth) {
  const int64_t vectors = s.tileN / width;
  const bool isKMajor = s.lhsMap.isAlongDepth();
  const int64_t rowStep = isKMajor ? s.blockK : 1, depthStep = isKMajor ? 1 : s.tileM;

  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, from, values.zero);
  Value zeros = floatConstant(b, withLanes(acc, width), 0);
  SmallVector<Value> start;
  for (int64_t index = 0; index < s.tileM * vectors; ++index) {
    if (!s.isChunked()) {
      start.push_back(zeros);
      continue;
    }
    Value before = loadLanes(f.offset(tile, acc, index * width), width);
    start.push_back(arith::SelectOp::create(b, isFirst, zeros, before));
  }

  auto step = [&](Value k, ValueRange soFar) -> FailureOr<SmallVector<Value>> {
    Value rhsAt = f.offset(rhsPanel, acc, f.mul(k, s.tileN));
    SmallVector<Value> rhs, next;
    for (int64_t vector = 0; vector < vectors; ++vector)
      rhs.push_back(loadLanes(f.offset(rhsAt, acc, vector * width), width));
    Value lhsAt = f.offset(lhsPanel, acc, f.mul(k, depthStep));
    for (int64_t row = 0; row < s.tileM; ++row) {
      Value lhs = splat(b, loadLanes(f.offset(lhsAt, acc, row * rowStep), 1), width);
      for (int64_t vector = 0; vector < vectors; ++vector)
        next.push_back(math::FmaOp::create(b, lhs, rhs[vector], soFar[row * vectors + vector]));
    }
    return next;
  };
  FailureOr<SmallVector<Value>> end = f.forEach(values.zero, depth, 1, start, step);
  if (failed(end))
    return failure();
  for (auto [index, lanes] : llvm::enumerate(*end))
    storeLanes(lanes, f.offset(tile, acc, index * width));
  return success();
}

LogicalResult ContractionEmitter::finishTile(Value tile, Value row, Value column) {
  const int64_t lanes = epilogue.isEven() ? width : 1;
  Value rowsHere = f.min(f.sub(rows, row), f.i64(s.tileM));
  Value start = f.add(firstColumn, column), end = f.min(f.add(start, f.i64(s.tileN)), f.i64(s.n));
  Value firstOfTile = f.add(f.add(f.mul(batch, s.m), firstRow), row);

  return f.forEach(values.zero, rowsHere, 1, [&](Value index) {
    Elements::Scope scope(values);
    Value target = f.add(firstOfTile, index);
    Value sumsAt = f.offset(tile, acc, f.sub(f.mul(index, s.tileN), start));
    return f.forLanes(start, end, lanes, s.n % lanes != 0, [&](Value j, int64_t count) {
      return epilogue.emit(target, j, loadLanes(f.offset(sumsAt, acc, j), count), count);
    });
  });
}

FailureOr<int64_t> mp::emitContraction(CPUFunction &f, ContractionScheduleAttr schedule) {
  FailureOr<Product> product = findProduct(f);
  if (failed(product))
    return failure();
  if (product->parts != 1)
    return product->op->emitOpError("has no native code: it is for GPUs");
  return ContractionEmitter(f, *product, schedule).emit();
}
