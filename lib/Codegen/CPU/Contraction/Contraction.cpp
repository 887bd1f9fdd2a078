// A packed matrix product.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One block of the grid computes block_m x block_n elements of one batch. For each chunk of block_k it packs both
// operands into scratch memory, prologue applied, as panels that tiles read from end to end, and adds the chunk's
// products to its sums, tile by tile in vector registers. Sums stay in the accumulator's type between chunks and every
// element adds its products in the order of k: no block size changes a bit.
//
//   packed lhs   a panel for each tile_m rows
//   packed rhs   a panel for each tile_n columns
//   sums         [columns / tile_n][rows / tile_m][tile_m][tile_n]
//
// Tiles at the edge are computed whole, over zeros, and stored in part.

#include "Codegen/CPU/Contraction/TileProduct.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

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

/// The tile of the fastest instruction that multiplies these operands.
std::unique_ptr<TileProduct> makeTile(CPUFunction &f, const TileShape &shape, const Product &product) {
  const bool isVector = llvm::is_contained({4, 8, 16}, shape.width);
  if (f.target.dotsBF16 && product.element.isBF16() && isVector)
    return makeDotTile(f, shape, product);
  return makeFmaTile(f, shape, product);
}

class ContractionEmitter {
public:
  ContractionEmitter(CPUFunction &f, const Product &product, ContractionScheduleAttr schedule)
      : f(f), b(f.b), s(product, schedule), values(f.b), epilogue(f, values, s), acc(registerType(product.acc)),
        width(std::min(schedule.getVector() * 32 / acc.getIntOrFloatBitWidth(), s.tileN)),
        tileProduct(makeTile(f, {acc, s.tileM, s.tileN, width}, s)), lhsOrder(tileProduct->lhsOrder()),
        rhsOrder(tileProduct->rhsOrder()) {
    lhsOrder.depth = rhsOrder.depth = s.blockK = llvm::alignTo(s.blockK, lhsOrder.unit);
  }

  FailureOr<int64_t> emit();

private:
  LogicalResult emitChunk(Value from);
  LogicalResult emitTile(Value row, Value column, Value from, Value to);
  LogicalResult multiplyTile(Value lhsPanel, Value rhsPanel, Value tile, Value from, Value depth);
  LogicalResult finishTile(Value tile, Value row, Value column);

  Value loadLanes(Value pointer, int64_t lanes) {
    return LLVM::LoadOp::create(b, withLanes(acc, lanes), pointer, acc.getIntOrFloatBitWidth() / 8);
  }
  Value allocatePanels(const PanelOrder &order, int64_t rows) {
    return f.allocate(order.word, rows * order.wordsOfRow());
  }

  CPUFunction &f;
  LaneBuilder &b;
  Sizing s;
  Elements values;
  ProductEpilogue epilogue;
  Type acc; ///< of sums: f32 for f16, too
  int64_t width;
  std::unique_ptr<TileProduct> tileProduct;
  PanelOrder lhsOrder, rhsOrder;
  std::optional<Packing> lhs, rhs;
  Value batch, firstRow, firstColumn, rows, columns; // of the running block
  Value packedLhs, packedRhs, sums;
};

} // namespace

FailureOr<int64_t> ContractionEmitter::emit() {
  f.bindInputs(values);
  packedLhs = allocatePanels(lhsOrder, s.blockM);
  packedRhs = allocatePanels(rhsOrder, s.blockN);
  sums = f.allocate(acc, s.isChunked() ? s.blockM * s.blockN : s.tileM * s.tileN);
  if (failed(values.prepare(s.op->getOperands())) || failed(epilogue.prepare()))
    return failure();
  // A step of k is as wide as a panel, a row of memory as an access.
  const int64_t lhsLanes = s.lhsMap.isAlongDepth() ? width : s.tileM;
  lhs.emplace(f, values, s.lhs, s.lhsMap, s.m, s.k, lhsOrder, lhsLanes);
  rhs.emplace(f, values, s.rhs, s.rhsMap, s.n, s.k, rhsOrder, width);

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
  if (failed(lhs->emit(packedLhs, {batch, firstRow, rows, from, to})) ||
      failed(rhs->emit(packedRhs, {batch, firstColumn, columns, from, to})))
    return failure();
  // The panel of rhs stays in the first cache while the panels of lhs pass by.
  return f.forEach(values.zero, columns, s.tileN, [&](Value column) {
    return f.forEach(values.zero, rows, s.tileM, [&](Value row) { return emitTile(row, column, from, to); });
  });
}

LogicalResult ContractionEmitter::emitTile(Value row, Value column, Value from, Value to) {
  Value lhsPanel = f.offset(packedLhs, lhsOrder.word, f.mul(row, lhsOrder.wordsOfRow()));
  Value rhsPanel = f.offset(packedRhs, rhsOrder.word, f.mul(column, rhsOrder.wordsOfRow()));
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
  Value isFirst = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, from, values.zero);
  Value zeros = floatConstant(b, withLanes(acc, width), 0);
  SmallVector<Value> start;
  for (int64_t index = 0; index < s.tileM * s.tileN / width; ++index) {
    if (!s.isChunked()) {
      start.push_back(zeros);
      continue;
    }
    Value before = loadLanes(f.offset(tile, acc, index * width), width);
    start.push_back(arith::SelectOp::create(b, isFirst, zeros, before));
  }
  FailureOr<SmallVector<Value>> end = tileProduct->multiply(lhsPanel, rhsPanel, depth, s.blockK, start);
  if (failed(end))
    return failure();
  for (auto [index, lanes] : llvm::enumerate(*end))
    LLVM::StoreOp::create(b, lanes, f.offset(tile, acc, index * width), acc.getIntOrFloatBitWidth() / 8);
  return success();
}

LogicalResult ContractionEmitter::finishTile(Value tile, Value row, Value column) {
  const int64_t lanes = epilogue.isEven() ? width : 1;
  Value rowsHere = f.min(f.sub(rows, row), f.i64(s.tileM));
  Value start = f.add(firstColumn, column), end = f.min(f.add(start, f.i64(s.tileN)), f.i64(s.n));
  Value firstOfTile = f.add(f.add(epilogue.firstRowOf(batch), firstRow), row);
  Value firstOfBatch = epilogue.firstColumnOf(batch);

  return f.forEach(values.zero, rowsHere, 1, [&](Value index) {
    Elements::Scope scope(values);
    Value target = f.add(firstOfTile, index);
    Value sumsAt = f.offset(tile, acc, f.sub(f.mul(index, s.tileN), start));
    return f.forLanes(start, end, lanes, s.n % lanes != 0, [&](Value j, int64_t count) {
      return epilogue.emit(target, f.add(j, firstOfBatch), loadLanes(f.offset(sumsAt, acc, j), count), count);
    });
  });
}

FailureOr<int64_t> mp::emitContraction(CPUFunction &f, ContractionScheduleAttr schedule) {
  FailureOr<Product> product = findProduct(f);
  if (failed(product))
    return failure();
  if (product->hasParts)
    return product->op->emitOpError("has no native code: it is for GPUs");
  return ContractionEmitter(f, *product, schedule).emit();
}
