// Maps that transpose matrices, on a GPU.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block computes a tile of 32 * vector rows and columns of the result. A warp reads a row of an operand's tile at
// once, as `vector` neighbours in each lane, 128 bytes of the widest type; later it reads a column of that from shared
// memory and writes a row of the result, in the same way:
//
//   operand  row c of the tile   -> shared[c][0 ...]    lanes have neighbours
//   result   row r of the tile   <- shared[0 ...][r]    lanes are `vector` rows apart
//
// Rows of shared memory are one element longer than the tile, an odd number: so no two lanes that read a column need
// different words of one bank.

#include "Codegen/NVVM/TransposingMap.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mp;

namespace {

class TransposingMap {
public:
  TransposingMap(GPUFunction &f, const Nest &results, const TransposedNest &nest, MapScheduleAttr schedule)
      : f(f), b(f.b), results(results), nest(nest), tile(schedule.getTile()), vector(schedule.getVector()),
        warps(f.threads / Chip::kWarp), values(f.makeElements()) {}

  /// The tile of number `block`.
  LogicalResult emit(Value block);

private:
  /// A transpose and its tile in shared memory.
  struct Transposed {
    Value input, result, shared;
    bool isEven; ///< rows of its operand can be read in vectors
  };

  LogicalResult prepare(NestBody &body);
  void locateBlock(Value block);
  LogicalResult readTiles();
  LogicalResult writeRow(NestBody &body, Value row);
  Value transposed(const Transposed &each, Value row, int64_t first, int64_t width);
  /// Rows of the tile that this warp takes, one after another.
  Value ownRow(int64_t step) { return f.add(warp, f.i64(step * warps)); }
  Type memoryTypeOf(const Transposed &each) { return memoryType(typeOf(each.result).getElementType()); }
  Value addressOf(const Transposed &each, Value row, Value column, int64_t rowStep, int64_t columnStep) {
    Value first = f.offset(each.shared, memoryTypeOf(each), f.add(f.mul(row, tile + 1), column));
    return f.offset(first, memoryTypeOf(each), rowStep * (tile + 1) + columnStep);
  }

  GPUFunction &f;
  LaneBuilder &b;
  const Nest &results;
  const TransposedNest &nest;
  const int64_t tile, vector, warps;
  Elements values;
  SmallVector<Transposed> all;
  bool isEven = false; ///< rows of the results can be computed in vectors
  Value warp, inRow;   ///< the lane's first element of a row
  Value batch, firstRow, firstColumn;
};

} // namespace

LogicalResult TransposingMap::prepare(NestBody &body) {
  for (const Transposed &each : all)
    if (failed(values.prepare(each.input)))
      return failure();
  return body.prepare();
}

void TransposingMap::locateBlock(Value block) {
  const int64_t tilesOfRow = llvm::divideCeil(nest.columns, tile);
  const int64_t tiles = llvm::divideCeil(nest.rows, tile) * tilesOfRow;
  Value inMatrix = nest.batch == 1 ? block : f.rem(block, tiles);
  batch = nest.batch == 1 ? values.zero : f.div(block, tiles);
  firstRow = f.mul(f.div(inMatrix, tilesOfRow), tile);
  firstColumn = f.mul(f.rem(inMatrix, tilesOfRow), tile);
  warp = f.div(f.thread, Chip::kWarp);
  inRow = f.mul(f.lane, vector);
}

/// What lies beyond an edge is read at the edge instead: nothing that is written comes from it. All is read before
/// anything is stored, so that all reads are under way at once.
LogicalResult TransposingMap::readTiles() {
  Elements::Scope scope(values);
  SmallVector<Value> read;
  Value column = f.min(f.add(firstRow, inRow), f.i64(nest.rows - vector));
  for (const Transposed &each : all)
    for (int64_t step = 0; step < tile / warps; ++step) {
      Value row = f.min(f.add(firstColumn, ownRow(step)), f.i64(nest.columns - 1));
      row = f.add(f.mul(batch, nest.columns), row);
      const int64_t width = each.isEven ? vector : 1;
      for (int64_t lane = 0; lane < vector; lane += width) {
        FailureOr<Value> value =
            values.at(each.input, values.inRow(row, nest.rows, f.add(column, f.i64(lane)), width, each.isEven));
        if (failed(value))
          return failure();
        Value inMemory = toMemory(b, *value, typeOf(each.input).getElementType());
        for (int64_t part = 0; part < width; ++part)
          read.push_back(width == 1 ? inMemory : Value(vector::ExtractOp::create(b, inMemory, part)));
      }
    }
  ArrayRef<Value> rest = read;
  for (const Transposed &each : all)
    for (int64_t step = 0; step < tile / warps; ++step)
      for (int64_t lane = 0; lane < vector; ++lane, rest = rest.drop_front())
        LLVM::StoreOp::create(b, rest.front(), addressOf(each, ownRow(step), inRow, 0, lane),
                              memoryTypeOf(each).getIntOrFloatBitWidth() / 8);
  return success();
}

/// `width` of the lane's elements of row `row` of a result's tile.
Value TransposingMap::transposed(const Transposed &each, Value row, int64_t first, int64_t width) {
  SmallVector<Value> lanes;
  Type inMemory = memoryTypeOf(each);
  for (int64_t lane = first; lane < first + width; ++lane)
    lanes.push_back(
        LLVM::LoadOp::create(b, inMemory, addressOf(each, inRow, row, lane, 0), inMemory.getIntOrFloatBitWidth() / 8));
  Value together =
      width == 1 ? lanes.front() : Value(vector::FromElementsOp::create(b, VectorType::get({width}, inMemory), lanes));
  return toRegister(b, together, typeOf(each.result).getElementType());
}

LogicalResult TransposingMap::writeRow(NestBody &body, Value row) {
  Value rowHere = f.add(firstRow, row), columnHere = f.add(firstColumn, inRow);
  auto write = [&] {
    Elements::Scope scope(values);
    const int64_t width = isEven ? vector : 1;
    Value rowOfAll = f.add(f.mul(batch, nest.rows), rowHere);
    for (int64_t lane = 0; lane < vector; lane += width) {
      const Lanes here = values.inRow(rowOfAll, nest.columns, f.add(columnHere, f.i64(lane)), width, isEven);
      for (const Transposed &each : all)
        values.bindLanes(each.result, transposed(each, row, lane, width), here);
      if (failed(body.emit(here)))
        return failure();
    }
    return success();
  };
  Value inside;
  if (nest.rows % tile != 0)
    inside = f.isBelow(rowHere, f.i64(nest.rows));
  if (nest.columns % tile != 0) {
    Value isColumn = f.isBelow(columnHere, f.i64(nest.columns));
    inside = inside ? b.createOrFold<arith::AndIOp>(inside, isColumn) : isColumn;
  }
  return inside ? f.when(inside, write) : write();
}

LogicalResult TransposingMap::emit(Value block) {
  f.bindInputs(values);
  for (TransposeOp op : nest.transposes) {
    Type element = memoryType(typeOf(op.getInput()).getElementType());
    all.push_back({op.getInput(), op.getResult(), f.allocateShared(element, tile * (tile + 1)),
                   values.isEvenAlong(op.getInput(), nest.rows)});
    values.bindLanes(op.getResult(), values.zero, {}); // it is known only in a row
  }
  isEven = llvm::all_of(results.results,
                        [&](unsigned index) { return values.isEvenAlong(f.yields()[index], nest.columns); });
  NestBody body(f, values, results);
  if (failed(prepare(body)))
    return failure();
  locateBlock(block);
  if (failed(readTiles()))
    return failure();
  f.barrier();
  for (int64_t step = 0; step < tile / warps; ++step)
    if (failed(writeRow(body, ownRow(step))))
      return failure();
  return success();
}

LogicalResult mp::emitTransposedNest(GPUFunction &f, const Nest &results, const TransposedNest &nest,
                                     MapScheduleAttr schedule, Value block) {
  const int64_t vector = schedule.getVector(), tile = schedule.getTile(), warps = f.threads / Chip::kWarp;
  if (tile != Chip::kWarp * vector || tile % warps != 0 || nest.rows % vector != 0 || nest.columns % vector != 0)
    return f.kernel.emitOpError("has tiles of ") << tile << " in " << warps << " warps and vectors of " << vector
                                                 << " for matrices of " << nest.rows << " x " << nest.columns;
  return f.releasingShared([&] { return TransposingMap(f, results, nest, schedule).emit(block); });
}
