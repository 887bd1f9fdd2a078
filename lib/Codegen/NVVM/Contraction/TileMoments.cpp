// Moments of a block's rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lane adds up differences from the first row that it sees, and their squares, so that of what is far from 0 and
// close together no digits are lost. Lanes that have rows of the same columns, then the warps of the block in their
// order, are combined by the formula of Chan, Golub and LeVeque, with sums of differences from the first row of both.
//
// Rows beyond the last are those of the last lanes and warps: who has none is combined with by not changing anything.

#include "Codegen/NVVM/Contraction/TileReduction.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace mp;

namespace {

/// So many rows of some columns: one of them, the sum of differences from it, and the squares about their mean.
struct Moments {
  Value shift, differences, squares;
};

/// How many rows moments are of, f32; where `known` is not 0 it is that many, always.
struct RowCount {
  Value rows;
  int64_t known = 0;
};

class TileMoments final : public TileReduction {
public:
  TileMoments(GPUFunction &f, const TileWalk &walk, ArrayRef<unsigned> results)
      : f(f), b(f.b), f32(f.b.getF32Type()), walk(walk), results(results),
        isWhole(walk.product.m % walk.tiles.schedule.getBlockM() == 0) {}

  Values start() override { return Values(walk.phases * kValues, floatConstant(b, withLanes(f32, walk.width), 0)); }

  void add(int64_t phase, Value value, Value isFirst, MutableArrayRef<Value> soFar) override {
    Value &shift = soFar[phase * kValues], &differences = soFar[phase * kValues + 1],
          &squares = soFar[phase * kValues + 2];
    if (isFirst)
      shift = f.when(isFirst, {shift}, [&]() -> FailureOr<Values> { return Values{finiteOf(value)}; })->front();
    Value left = sub(value, shift);
    differences = add(differences, left);
    squares = math::FmaOp::create(b, left, left, squares);
  }

  LogicalResult finish(ValueRange seen, const TilePosition &position) override {
    for (int64_t phase = 0; phase < walk.phases; ++phase) {
      ValueRange own = seen.slice(phase * kValues, kValues);
      RowCount rows = rowsOfLane(position);
      Value mean = mul(own[1], splat(b, inverse(rows), walk.width));
      Moments lanes = {own[0], own[1], sub(own[2], mul(own[1], mean))};
      for (int64_t apart = Chip::kWarp / 2; apart >= walk.lanesOfRow; apart /= 2) {
        auto theirs = [&](Value value) { return shuffleLanes(f, value, apart); };
        RowCount others = rows.known ? rows : RowCount{theirs(rows.rows)};
        lanes = combine(lanes, rows, {theirs(lanes.shift), theirs(lanes.differences), theirs(lanes.squares)}, others);
        rows = sum(rows, others);
      }
      auto store = [&] {
        storeOfWarp(lanes, phase, position);
        return success();
      };
      if (failed(walk.ofRow < Chip::kWarp ? f.when(f.isBelow(f.lane, f.i64(walk.ofRow)), store) : store()))
        return failure();
    }
    f.barrier();
    return forTileColumns(f, walk, position, [&](Value column, Value target) {
      RowCount rows = count(rowsOfWarp(position, f.i64(0)), walk.tiles.schedule.getWarpM());
      Moments all = loadOfWarp(0, column, position);
      for (int64_t warp = 1; warp < walk.tiles.schedule.getWarpsM(); ++warp) {
        const RowCount next = count(rowsOfWarp(position, f.i64(warp)), walk.tiles.schedule.getWarpM());
        all = combine(all, rows, loadOfWarp(warp, column, position), next);
        rows = sum(rows, next);
      }
      Value place = f.add(f.mul(position.blockM, walk.product.n), target);
      Value total = add(mul(all.shift, rows.rows), all.differences);
      for (auto [value, number] : llvm::zip_equal(Values{total, all.shift, all.differences, all.squares}, results))
        LLVM::StoreOp::create(b, value, f.offset(f.result(number), f32, place));
      return success();
    });
  }

private:
  static constexpr int64_t kValues = 3;

  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }

  /// Infinity less itself would be NaN, and so would the sum that is infinite.
  Value finiteOf(Value value) {
    Value nothing = sub(value, value);
    Value isFinite = arith::CmpFOp::create(b, arith::CmpFPredicate::ORD, nothing, nothing);
    return arith::SelectOp::create(b, isFinite, value, floatConstant(b, value.getType(), 0));
  }

  // Counts of rows

  RowCount count(Value rows, int64_t known) {
    if (isWhole)
      return {floatConstant(b, f32, static_cast<double>(known)), known};
    return {arith::SIToFPOp::create(b, f32, rows)};
  }
  RowCount sum(const RowCount &x, const RowCount &y) {
    const int64_t known = x.known + y.known;
    return x.known ? RowCount{floatConstant(b, f32, static_cast<double>(known)), known} : RowCount{add(x.rows, y.rows)};
  }
  /// Of a warp in this row of warps, i64.
  Value rowsOfWarp(const TilePosition &position, Value warpM) {
    if (isWhole)
      return Value();
    const int64_t rows = walk.tiles.schedule.getWarpM();
    Value left = f.sub(f.i64(walk.product.m), f.add(position.firstRow, f.mul(warpM, rows)));
    return f.max(f.min(left, f.i64(rows)), f.i64(0));
  }
  /// Of those, every so many are this lane's.
  RowCount rowsOfLane(const TilePosition &position) {
    const int64_t apart = walk.rowsApart;
    Value rows = rowsOfWarp(position, position.warpM);
    if (rows)
      rows = f.div(f.sub(f.add(rows, f.i64(apart - 1)), f.div(f.lane, walk.lanesOfRow)), apart);
    return count(rows, walk.tiles.schedule.getWarpM() / apart);
  }
  /// 1 / rows, of no rows 1.
  Value inverse(const RowCount &count) {
    Value one = floatConstant(b, f32, 1);
    if (count.known)
      return floatConstant(b, f32, 1 / static_cast<double>(count.known));
    return arith::DivFOp::create(b, one, arith::MaximumFOp::create(b, count.rows, one));
  }

  /// Of both, the rows of `x` before those of `y`: where `x` has none, neither has `y`.
  Moments combine(const Moments &x, const RowCount &ofX, const Moments &y, const RowCount &ofY) {
    auto lanes = [&](Value scalar) { return splat(b, scalar, laneCount(x.shift.getType())); };
    Value moved = sub(y.shift, x.shift);
    Value apart = sub(add(moved, mul(y.differences, lanes(inverse(ofY)))), mul(x.differences, lanes(inverse(ofX))));
    Value weight = mul(mul(ofX.rows, ofY.rows), inverse(sum(ofX, ofY)));
    Moments both = {x.shift, add(x.differences, add(mul(moved, lanes(ofY.rows)), y.differences)),
                    add(add(x.squares, y.squares), mul(mul(apart, apart), lanes(weight)))};
    if (ofY.known)
      return both;
    Value isMore = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, ofY.rows, floatConstant(b, f32, 0));
    auto where = [&](Value more, Value none) { return arith::SelectOp::create(b, isMore, more, none); };
    return {x.shift, where(both.differences, x.differences), where(both.squares, x.squares)};
  }

  // What warps leave for each other: a row of each value for each row of warps

  Value placeOf(int64_t value, Value warpM, Value column, const TilePosition &position) {
    const int64_t columns = walk.tiles.schedule.getBlockN(), warps = walk.tiles.schedule.getWarpsM();
    Value row = f.mul(f.add(warpM, f.i64(value * warps)), columns);
    return f.offset(position.ring, f32, f.add(row, column));
  }
  void storeOfWarp(const Moments &own, int64_t phase, const TilePosition &position) {
    Value column = f.add(position.warpColumn, f.mul(f.add(f.lane, f.i64(phase * Chip::kWarp)), walk.width));
    for (auto [number, value] : llvm::enumerate(Values{own.shift, own.differences, own.squares}))
      LLVM::StoreOp::create(b, value, placeOf(static_cast<int64_t>(number), position.warpM, column, position),
                            4 * walk.width);
  }
  Moments loadOfWarp(int64_t warpM, Value column, const TilePosition &position) {
    auto load = [&](int64_t value) {
      return LLVM::LoadOp::create(b, f32, placeOf(value, f.i64(warpM), column, position));
    };
    return {load(0), load(1), load(2)};
  }

  GPUFunction &f;
  LaneBuilder &b;
  Type f32;
  const TileWalk &walk;
  const ArrayRef<unsigned> results; ///< sums, shifts, differences, squares
  const bool isWhole;               ///< no block has rows beyond the last
};

} // namespace

std::unique_ptr<TileReduction> mp::makeTileMoments(GPUFunction &f, const TileWalk &walk, ArrayRef<unsigned> results) {
  return std::make_unique<TileMoments>(f, walk, results);
}
