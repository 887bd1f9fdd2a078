//===- SumsEpilogue.cpp - from a warp's sums to results ------------------------------------------------------===//

#include "Codegen/NVVM/Contraction/SumsEpilogue.h"

#include <numeric>

using namespace mlir;
using namespace mp;

SumsEpilogue::SumsEpilogue(GPUFunction &f, Elements &values, const Product &product, const MatrixTiles &tiles)
    : f(f), product(product), tiles(tiles), epilogue(f, values, product) {}

int64_t SumsEpilogue::chooseWidth() const {
  int64_t bytes = product.acc.getIntOrFloatBitWidth() / 8;
  for (Value yield : f.yields())
    bytes = std::min<int64_t>(bytes, cast<RankedTensorType>(yield.getType()).getElementTypeBitWidth() / 8);
  return epilogue.isEven() ? std::gcd(product.n, Chip::kAccessBytes / std::max<int64_t>(bytes, 2)) : 1;
}

LogicalResult SumsEpilogue::emitSlab(Value slab, Value outer, Value row, Value column) {
  LaneBuilder &b = f.b;
  const int64_t width = chooseWidth(), ofRow = tiles.schedule.getWarpN() / width;
  const int64_t vectors = tiles.slabRows() * ofRow;
  const unsigned accBytes = product.acc.getIntOrFloatBitWidth() / 8;
  return f.forEach(f.i64(0), f.i64(vectors), Chip::kWarp, [&](Value first) {
    Value vector = f.add(first, f.lane);
    Value inRow = f.mul(f.rem(vector, ofRow), width), rowHere = f.div(vector, ofRow);
    auto finish = [&] {
      Value source = f.offset(slab, product.acc, f.add(f.mul(rowHere, tiles.slabPitch()), inRow));
      Value sums = LLVM::LoadOp::create(b, withLanes(product.acc, width), source,
                                        std::min<unsigned>(accBytes * width, Chip::kAccessBytes));
      return epilogue.emit(f.add(f.mul(outer, product.m), f.add(row, rowHere)), f.add(column, inRow), sums, width);
    };
    Value inside;
    if (product.m % tiles.schedule.getBlockM() != 0)
      inside = f.isBelow(f.add(row, rowHere), f.i64(product.m));
    if (product.n % tiles.schedule.getBlockN() != 0) {
      Value isColumn = f.isBelow(f.add(column, inRow), f.i64(product.n));
      inside = inside ? b.createOrFold<arith::AndIOp>(inside, isColumn) : isColumn;
    }
    return inside ? f.when(inside, finish) : finish();
  });
}

LogicalResult SumsEpilogue::emit(WarpProduct &warp, ValueRange sums, Value slab, Value outer, Value row, Value column) {
  const int64_t rows = tiles.slabRows();
  for (int64_t first = 0; first < tiles.schedule.getWarpM(); first += rows) {
    if (first != 0)
      f.barrierOfWarp(); // the slab before has been read
    warp.store(sums, first, rows, slab, tiles.slabPitch());
    f.barrierOfWarp();
    if (failed(emitSlab(slab, outer, f.add(row, f.i64(first)), column)))
      return failure();
  }
  return success();
}
