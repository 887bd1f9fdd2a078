// What a block reduces its tile to.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/NVVM/Contraction/TileReduction.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mp;

Value mp::shuffleLanes(GPUFunction &f, Value value, int64_t apart) {
  const int64_t width = laneCount(value.getType());
  if (width == 1)
    return f.shuffleXor(value, apart);
  TileReduction::Values others;
  for (int64_t lane = 0; lane < width; ++lane)
    others.push_back(f.shuffleXor(vector::ExtractOp::create(f.b, value, lane), apart));
  return vector::FromElementsOp::create(f.b, cast<VectorType>(value.getType()), others);
}

LogicalResult mp::forTileColumns(GPUFunction &f, const TileWalk &walk, const TilePosition &position,
                                 function_ref<LogicalResult(Value, Value)> emit) {
  return f.forEach(f.thread, f.i64(walk.tiles.schedule.getBlockN()), f.threads, [&](Value column) {
    Value target = f.add(position.firstColumn, column);
    return f.when(f.isBelow(target, f.i64(walk.product.n)), [&] { return emit(column, target); });
  });
}
