// Moments of a product's blocks of rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Down a tile, differences from its first row are added up, and their squares: of what is far from 0 and close together
// no digits are lost, and of a tile of t rows the squares are at most t + 1 times those about its mean. Tiles are
// combined in order by the formula of Chan, Golub and LeVeque, with sums of differences from the block's first row.

#include "Codegen/CPU/Contraction/TileReductions.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace mp;

namespace {

class TileMoments final : public TileReduction {
public:
  TileMoments(CPUFunction &f, const ProductEpilogue::ReducedTile &tile, int64_t columns)
      : f(f), b(f.b), f32(f.b.getF32Type()), results(tile.results), columns(columns) {}

  void start(Value blockRow) override { firstOfRow = f.mul(blockRow, columns); }

  /// The shift, then sums of what is left without it, and of its squares.
  Values first(Value value) override {
    // Infinity less itself would be NaN, and so would the sum that is infinite.
    Value nothing = sub(value, value);
    Value isFinite = arith::CmpFOp::create(b, arith::CmpFPredicate::ORD, nothing, nothing);
    Value shift = arith::SelectOp::create(b, isFinite, value, floatConstant(b, value.getType(), 0));
    Value left = sub(value, shift);
    return {shift, left, mul(left, left)};
  }

  Values next(ValueRange known, Value value) override {
    Value left = sub(value, known[0]);
    return {known[0], add(known[1], left), add(known[2], mul(left, left))};
  }

  void keep(ValueRange known, const TileColumns &where) override {
    const unsigned alignment = 4;
    auto number = [&](Value rows) -> Value { return arith::SIToFPOp::create(b, f32, rows); };
    auto inLanes = [&](Value x) { return splat(b, x, where.lanes); };
    Value rows = number(where.rows), before = number(where.row);
    Value ownMean = div(known[1], inLanes(rows)), ownSquares = sub(known[2], mul(known[1], ownMean));

    SmallVector<Value> places = llvm::map_to_vector(
        results, [&](unsigned number) { return f.offset(f.result(number), f32, f.add(firstOfRow, where.column)); });
    auto combine = [&]() -> FailureOr<SmallVector<Value>> {
      auto load = [&](Value place) { return LLVM::LoadOp::create(b, known[0].getType(), place, alignment); };
      Value shift = load(places[1]), differences = load(places[2]), squares = load(places[3]);
      Value moved = sub(known[0], shift);
      Value apart = sub(add(moved, ownMean), div(differences, inLanes(before)));
      Value weight = div(mul(before, rows), add(before, rows));
      Value between = mul(mul(apart, apart), inLanes(weight));
      return SmallVector<Value>{shift, add(differences, add(mul(moved, inLanes(rows)), known[1])),
                                add(add(squares, ownSquares), between)};
    };
    Value isLater = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, where.row, f.i64(0));
    FailureOr<SmallVector<Value>> all = f.when(isLater, {known[0], known[1], ownSquares}, combine);
    Value sum = add(mul((*all)[0], inLanes(add(before, rows))), (*all)[1]);
    all->insert(all->begin(), sum);
    for (auto [value, place] : llvm::zip_equal(*all, places))
      LLVM::StoreOp::create(b, value, place, alignment);
  }

  void finish(Value) override {}

private:
  Value add(Value x, Value y) { return arith::AddFOp::create(b, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, x, y); }
  Value div(Value x, Value y) { return arith::DivFOp::create(b, x, y); }

  CPUFunction &f;
  LaneBuilder &b;
  Type f32;
  const ArrayRef<unsigned> results; ///< sums, shifts, differences, squares
  const int64_t columns;
  Value firstOfRow; ///< where those of the block's row begin in each
};

} // namespace

std::unique_ptr<TileReduction> mp::makeTileMoments(CPUFunction &f, const ProductEpilogue::ReducedTile &tile,
                                                   int64_t columns) {
  return std::make_unique<TileMoments>(f, tile, columns);
}
