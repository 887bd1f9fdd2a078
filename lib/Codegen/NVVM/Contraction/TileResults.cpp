// What a block says of its tile as a whole.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/NVVM/Contraction/TileResults.h"

#include "Codegen/Emit/Reduce.h"
#include "mp/IR/Tiles.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mp;

TileResults::TileResults(GPUFunction &f, ArrayRef<ProductEpilogue::ReducedTile> ops, const Product &product,
                         const MatrixTiles &tiles, int64_t width)
    : f(f), b(f.b), ops(ops), product(product), tiles(tiles), width(width), ofRow(tiles.schedule.getWarpN() / width),
      phaseCount(ops.empty() ? 1 : std::max<int64_t>(ofRow / Chip::kWarp, 1)) {}

LogicalResult TileResults::verify() {
  const int64_t rows = tiles.schedule.getBlockM(), columns = tiles.schedule.getBlockN();
  for (const ProductEpilogue::ReducedTile &tile : ops) {
    if (!isa<SumRowBlocksOp, NonfiniteTilesOp>(tile.op))
      return tile.op->emitOpError("is of the tiles of a product, which are those of a CPU");
    if (product.parts > 1)
      return tile.op->emitOpError("reads a product whose k is in parts");
    if (auto sums = dyn_cast<SumRowBlocksOp>(tile.op);
        sums && (static_cast<int64_t>(sums.getBlock()) != rows || product.batch > 1))
      return sums.emitOpError("takes blocks of ") << sums.getBlock() << " rows, its product has tiles of " << rows;
    if (auto flags = dyn_cast<NonfiniteTilesOp>(tile.op);
        flags && (static_cast<int64_t>(flags.getRows()) != rows || static_cast<int64_t>(flags.getColumns()) != columns))
      return flags.emitOpError("takes tiles of ") << flags.getRows() << " x " << flags.getColumns()
                                                  << ", its product has tiles of " << rows << " x " << columns;
    // Each block stores one flag, or a row of sums: fewer would be left over, more would be beyond the end.
    const int64_t found = cast<RankedTensorType>(tile.op->getResult(0).getType()).getDimSize(0);
    const int64_t made =
        isa<SumRowBlocksOp>(tile.op) ? countBlocks(product.m, rows) : product.countTiles(rows, columns);
    if (found != made)
      return tile.op->emitOpError("has ") << found << " results, its product has " << made << " tiles for them";
  }
  return success();
}

size_t TileResults::countOf(size_t op) const { return isa<SumRowBlocksOp>(ops[op].op) ? phaseCount : 1; }

TileResults::Values TileResults::start() {
  Values nothing;
  for (const ProductEpilogue::ReducedTile &tile : ops)
    if (isa<SumRowBlocksOp>(tile.op))
      nothing.append(phaseCount, floatConstant(b, withLanes(b.getF32Type(), width), 0));
    else
      nothing.push_back(f.b.createOrFold<arith::ConstantOp>(b.getI32IntegerAttr(0)));
  return nothing;
}

void TileResults::add(size_t op, int64_t phase, Value value, MutableArrayRef<Value> soFar) {
  size_t first = 0;
  for (size_t before = 0; before < op; ++before)
    first += countOf(before);
  if (isa<SumRowBlocksOp>(ops[op].op)) {
    soFar[first + phase] = arith::AddFOp::create(b, soFar[first + phase], value);
    return;
  }
  auto either = [&](Value x, Value y) -> Value { return arith::OrIOp::create(b, x, y); };
  soFar[first] = either(soFar[first], mp::combineLanes(b, isNonfinite(b, value), either));
}

/// Each of `width` lanes added up over the threads whose numbers differ in multiples of `members`.
Value TileResults::combineLanes(Value lanes, int64_t members) {
  Type element = laneType(lanes.getType());
  for (int64_t apart = Chip::kWarp / 2; apart >= members; apart /= 2) {
    Values others;
    for (int64_t lane = 0; lane < width; ++lane) {
      Value own = width == 1 ? lanes : Value(vector::ExtractOp::create(b, lanes, lane));
      others.push_back(f.shuffleXor(own, apart));
    }
    Value theirs =
        width == 1 ? others.front() : Value(vector::FromElementsOp::create(b, VectorType::get(width, element), others));
    lanes = arith::AddFOp::create(b, lanes, theirs);
  }
  return lanes;
}

LogicalResult TileResults::finishSums(SumRowBlocksOp op, unsigned result, ValueRange seen,
                                      const TilePosition &position) {
  const int64_t columns = tiles.schedule.getBlockN(), warps = tiles.schedule.getWarpsM();
  Type f32 = b.getF32Type();
  // A row of sums for each row of warps.
  Value own = f.add(f.mul(position.warpM, columns), position.warpColumn);
  for (auto [phase, lanes] : llvm::enumerate(seen)) {
    Value combined = combineLanes(lanes, std::min(ofRow, Chip::kWarp));
    Value column = f.mul(f.add(f.lane, f.i64(static_cast<int64_t>(phase) * Chip::kWarp)), width);
    auto store = [&] {
      LLVM::StoreOp::create(b, combined, f.offset(position.ring, f32, f.add(own, column)), 4 * width);
      return success();
    };
    if (failed(ofRow < Chip::kWarp ? f.when(f.isBelow(f.lane, f.i64(ofRow)), store) : store()))
      return failure();
  }
  f.barrier();
  return f.forEach(f.thread, f.i64(columns), f.threads, [&](Value column) {
    Value target = f.add(position.firstColumn, column);
    return f.when(f.isBelow(target, f.i64(product.n)), [&] {
      Value sum;
      for (int64_t warp = 0; warp < warps; ++warp) {
        Value at = f.offset(position.ring, f32, f.add(column, f.i64(warp * columns)));
        Value next = LLVM::LoadOp::create(b, f32, at);
        sum = sum ? Value(arith::AddFOp::create(b, sum, next)) : next;
      }
      LLVM::StoreOp::create(b, sum, f.offset(f.result(result), f32, f.add(f.mul(position.blockM, product.n), target)));
      return success();
    });
  });
}

LogicalResult TileResults::finishFlag(unsigned result, Value seen, const TilePosition &position) {
  Type i32 = b.getI32Type();
  for (int64_t apart = Chip::kWarp / 2; apart > 0; apart /= 2)
    seen = arith::OrIOp::create(b, seen, f.shuffleXor(seen, apart));
  auto isFirst = [&](Value number) {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, number, f.i64(0)).getResult();
  };
  (void)f.when(isFirst(f.lane), [&] {
    LLVM::StoreOp::create(b, seen, f.offset(position.ring, i32, position.warp));
    return success();
  });
  f.barrier();
  return f.when(isFirst(f.thread), [&] {
    Value flag;
    for (int64_t warp = 0; warp < f.threads / Chip::kWarp; ++warp) {
      Value next = LLVM::LoadOp::create(b, i32, f.offset(position.ring, i32, warp));
      flag = flag ? Value(arith::OrIOp::create(b, flag, next)) : next;
    }
    Value row = f.add(f.mul(position.outer, position.blocksM), position.blockM);
    Value tile = f.add(f.mul(row, position.blocksN), position.blockN);
    LLVM::StoreOp::create(b, flag, f.offset(f.result(result), i32, tile));
    return success();
  });
}

LogicalResult TileResults::finish(ValueRange seen, const TilePosition &position) {
  size_t first = 0;
  for (auto [number, tile] : llvm::enumerate(ops)) {
    // Epilogue tiles and the sums of the op before have been read.
    f.barrier();
    ValueRange own = seen.slice(first, countOf(number));
    auto sums = dyn_cast<SumRowBlocksOp>(tile.op);
    if (failed(sums ? finishSums(sums, tile.results.front(), own, position)
                    : finishFlag(tile.results.front(), own.front(), position)))
      return failure();
    first += countOf(number);
  }
  return success();
}
