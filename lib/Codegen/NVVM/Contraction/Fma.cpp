// Products without matrix instructions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lanes of a warp stand as 4 x 8; in k after k each multiplies its rows by its columns, every sum by one fma. A
// lane reads `group` neighbours with one access of 16 bytes, and neighbouring lanes read neighbouring groups:
//
//   rows     group * lane / 8, again after 4 * group rows, ...
//   columns  group * (lane % 8), again after 8 * group columns, ...

#include "Codegen/NVVM/Contraction/WarpProduct.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mp;

namespace {

class Fma : public WarpProduct {
public:
  Fma(GPUFunction &f, const WarpTile &warp)
      : WarpProduct(f, warp), lhs(f, warp.tiles.lhs), rhs(f, warp.tiles.rhs),
        group(Chip::kAccessBytes * 8 / warp.acc.getIntOrFloatBitWidth()),
        row(f.mul(f.div(f.lane, kLaneColumns), group)), column(f.mul(f.rem(f.lane, kLaneColumns), group)) {}

  Values load(Value lhsStage, Value rhsStage, int64_t number) override;
  void multiply(ValueRange loaded, MutableArrayRef<Value> sums) override;
  void store(ValueRange sums, int64_t first, int64_t count, Value epilogueTile, int64_t pitch) override;

private:
  static constexpr int64_t kLaneRows = 4, kLaneColumns = 8;

  void loadGroups(Values &loaded, TileAddress &address, Value stage, int64_t number, Value first, int64_t apart,
                  int64_t groups);
  int64_t rowsOfLane() const { return warp.rows() / kLaneRows; }
  int64_t columnsOfLane() const { return warp.columns() / kLaneColumns; }

  TileAddress lhs, rhs;
  const int64_t group;
  Value row, column; ///< the lane's first in the warp's tile
};

} // namespace

void Fma::loadGroups(Values &loaded, TileAddress &address, Value stage, int64_t number, Value first, int64_t apart,
                     int64_t groups) {
  for (int64_t index = 0; index < groups; ++index) {
    Value pointer = address.atStep(stage, f.i64(0), number, first, index * apart);
    Value lanes = LLVM::LoadOp::create(b, VectorType::get({group}, warp.acc), pointer, Chip::kAccessBytes);
    for (int64_t lane = 0; lane < group; ++lane)
      loaded.push_back(vector::ExtractOp::create(b, lanes, lane));
  }
}

WarpProduct::Values Fma::load(Value lhsStage, Value rhsStage, int64_t number) {
  Values loaded;
  loadGroups(loaded, lhs, lhsStage, number, f.add(warp.row, row), kLaneRows * group, rowsOfLane() / group);
  loadGroups(loaded, rhs, rhsStage, number, f.add(warp.column, column), kLaneColumns * group, columnsOfLane() / group);
  return loaded;
}

void Fma::multiply(ValueRange loaded, MutableArrayRef<Value> sums) {
  ValueRange rows = loaded.take_front(rowsOfLane()), columns = loaded.drop_front(rowsOfLane());
  for (int64_t i = 0; i < rowsOfLane(); ++i)
    for (int64_t j = 0; j < columnsOfLane(); ++j) {
      Value &sum = sums[i * columnsOfLane() + j];
      sum = math::FmaOp::create(b, rows[i], columns[j], sum);
    }
}

void Fma::store(ValueRange sums, int64_t first, int64_t count, Value epilogueTile, int64_t pitch) {
  const int64_t rowsOfGroups = kLaneRows * group;
  for (int64_t i = 0; i < rowsOfLane(); ++i) {
    const int64_t own = i / group * rowsOfGroups + i % group; // without the lane's part
    if (own < first || own >= first + count)
      continue;
    for (int64_t j = 0; j < columnsOfLane(); j += group) {
      Value lanes = vector::FromElementsOp::create(b, VectorType::get({group}, warp.acc),
                                                   sums.slice(i * columnsOfLane() + j, group));
      Value target = epilogueAt(epilogueTile, row, own - first, column, j * kLaneColumns, pitch);
      LLVM::StoreOp::create(b, lanes, target, Chip::kAccessBytes);
    }
  }
}

std::unique_ptr<WarpProduct> mp::makeFma(GPUFunction &f, const WarpTile &warp) {
  return std::make_unique<Fma>(f, warp);
}
