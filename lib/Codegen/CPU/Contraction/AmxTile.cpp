// The register tile of a product, by AMX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tile register holds 16 rows of 64 bytes. One instruction adds, to 16 x 16 sums, the products of 16 rows of lhs by
// 32 of k and of 16 pairs of k of rhs by 16 columns: Intel's Architecture Instruction Set Extensions, "TDPBF16PS" and
// "TDPFP16PS". A level without tiles computes the same in vectors, so that its panels, loops and sums are tested where
// there is no such unit.

#include "Codegen/CPU/Contraction/TileProduct.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mp;

namespace {

constexpr int64_t kTileRows = 16, kTileColumns = 16, kTileDepth = 32, kPair = 2, kTileBytes = 64;

/// A tile, as what computes with it has it.
using Tile = SmallVector<Value>;

/// The operations on tiles. Pointers are to memory whose rows are `stride` words of 4 bytes apart.
class TileUnit {
public:
  virtual ~TileUnit() = default;

  /// How many values a tile of so many rows is.
  virtual size_t countValues(int64_t rows) const = 0;
  virtual Tile zero(int64_t rows) = 0;
  virtual Tile load(Value pointer, int64_t rows, int64_t stride) = 0;
  virtual void store(const Tile &tile, Value pointer, int64_t rows, int64_t stride) = 0;
  /// `sums`, of so many rows, and the products.
  virtual Tile dot(const Tile &sums, const Tile &lhs, const Tile &rhs, int64_t rows) = 0;
};

/// The registers. LLVM configures them where a function begins to use them.
class AmxUnit final : public TileUnit {
public:
  AmxUnit(CPUFunction &f, Type element)
      : b(f.b), f(f), tile(LLVM::LLVMX86AMXType::get(b.getContext())), isF16(element.isF16()) {}

  size_t countValues(int64_t) const override { return 1; }
  Tile zero(int64_t rows) override { return {call("tilezero", tile, {i16(rows), i16(kTileBytes)})}; }
  Tile load(Value pointer, int64_t rows, int64_t stride) override {
    return {call("tileloadd64", tile, {i16(rows), i16(kTileBytes), pointer, f.i64(4 * stride)})};
  }
  void store(const Tile &value, Value pointer, int64_t rows, int64_t stride) override {
    call("tilestored64", {}, {i16(rows), i16(kTileBytes), pointer, f.i64(4 * stride), value.front()});
  }
  Tile dot(const Tile &sums, const Tile &lhs, const Tile &rhs, int64_t rows) override {
    return {call(isF16 ? "tdpfp16ps" : "tdpbf16ps", tile,
                 {i16(rows), i16(kTileBytes), i16(kTileBytes), sums.front(), lhs.front(), rhs.front()})};
  }

private:
  Value i16(int64_t value) { return intConstant(b, b.getI16Type(), value); }
  Value call(StringRef name, Type result, ValueRange operands) {
    auto intrinsic = b.getStringAttr("llvm.x86." + name + ".internal");
    if (result)
      return LLVM::CallIntrinsicOp::create(b, result, intrinsic, operands).getResult(0);
    LLVM::CallIntrinsicOp::create(b, intrinsic, operands);
    return {};
  }

  LaneBuilder &b;
  CPUFunction &f;
  Type tile;
  const bool isF16;
};

/// The same in a vector for each row of a tile: two sums over the even and the odd of k, joined at the end, as the
/// units have them. Those flush f32 subnormals, which this does not.
class VectorUnit final : public TileUnit {
public:
  VectorUnit(CPUFunction &f, Type element)
      : b(f.b), f(f), element(element), sum(b.getF32Type()), lanes(withLanes(sum, kTileColumns)) {}

  size_t countValues(int64_t rows) const override { return rows; }
  Tile zero(int64_t rows) override { return Tile(rows, floatConstant(b, lanes, 0)); }
  Tile load(Value pointer, int64_t rows, int64_t stride) override {
    Tile tile;
    for (int64_t row = 0; row < rows; ++row)
      tile.push_back(LLVM::LoadOp::create(b, lanes, f.offset(pointer, sum, row * stride), 4));
    return tile;
  }
  void store(const Tile &value, Value pointer, int64_t, int64_t stride) override {
    for (auto [row, sums] : llvm::enumerate(value))
      LLVM::StoreOp::create(b, sums, f.offset(pointer, sum, row * stride), 4);
  }
  Tile dot(const Tile &sums, const Tile &lhs, const Tile &rhs, int64_t rows) override {
    Tile next;
    for (int64_t row = 0; row < rows; ++row) {
      Value even = floatConstant(b, lanes, 0), odd = even;
      for (int64_t pair = 0; pair < kTileDepth / kPair; ++pair) {
        Value bits = arith::BitcastOp::create(b, integerTwin(lanes), lhs[row]);
        Value both = splat(b, vector::ExtractOp::create(b, bits, pair), kTileColumns);
        Value pairs = arith::BitcastOp::create(b, integerTwin(lanes), rhs[pair]);
        even = math::FmaOp::create(b, half(both, false), half(pairs, false), even);
        odd = math::FmaOp::create(b, half(both, true), half(pairs, true), odd);
      }
      next.push_back(arith::AddFOp::create(b, sums[row], arith::AddFOp::create(b, even, odd)));
    }
    return next;
  }

private:
  /// The lower or upper 16 bits of each lane, as a number.
  Value half(Value bits, bool isUpper) {
    Type i16 = withLanes(b.getI16Type(), kTileColumns);
    if (isUpper)
      bits = arith::ShRUIOp::create(b, bits, intConstant(b, bits.getType(), 16));
    Value narrow = arith::TruncIOp::create(b, i16, bits);
    Value number = arith::BitcastOp::create(b, withLanes(element, kTileColumns), narrow);
    return arith::ExtFOp::create(b, lanes, number);
  }

  LaneBuilder &b;
  CPUFunction &f;
  Type element, sum, lanes;
};

class AmxTile final : public TileProduct {
public:
  AmxTile(CPUFunction &f, const TileShape &shape, std::unique_ptr<TileUnit> unit)
      : f(f), shape(shape), unit(std::move(unit)), pairWord(f.b.getI32Type()) {
    for (int64_t row = 0; row < shape.rows; row += kTileRows)
      rowsOfTile.push_back(std::min(kTileRows, shape.rows - row));
  }

  Type word() const override { return pairWord; }
  LogicalResult multiply(const TileOperands &operands, const TileSums &sums) override;

private:
  int64_t columnTiles() const { return shape.columns / kTileColumns; }
  /// function(tile of rows, tile of columns) for each tile of sums.
  template <typename Function> void forEachTile(Function function) {
    for (size_t row = 0; row < rowsOfTile.size(); ++row)
      for (int64_t column = 0; column < columnTiles(); ++column)
        function(row, column);
  }
  Value sumsAt(Value pointer, size_t row, int64_t column) {
    return f.offset(pointer, shape.sum, row * kTileRows * shape.columns + column * kTileColumns);
  }
  SmallVector<Value> loadSums(const TileSums &sums);

  CPUFunction &f;
  const TileShape shape;
  std::unique_ptr<TileUnit> unit;
  Type pairWord;
  SmallVector<int64_t> rowsOfTile; ///< the last has fewer where 16 does not divide them
};

} // namespace

/// Those of a first chunk are made 0 in memory: which it is is known at run time, and registers are not chosen between.
SmallVector<Value> AmxTile::loadSums(const TileSums &sums) {
  SmallVector<Value> start;
  if (sums.isFirst)
    (void)f.when(sums.isFirst, [&] {
      forEachTile([&](size_t row, int64_t column) {
        unit->store(unit->zero(rowsOfTile[row]), sumsAt(sums.pointer, row, column), rowsOfTile[row], shape.columns);
      });
      return success();
    });
  forEachTile([&](size_t row, int64_t column) {
    llvm::append_range(start, sums.isFirst
                                  ? unit->load(sumsAt(sums.pointer, row, column), rowsOfTile[row], shape.columns)
                                  : unit->zero(rowsOfTile[row]));
  });
  return start;
}

LogicalResult AmxTile::multiply(const TileOperands &operands, const TileSums &sums) {
  constexpr int64_t kWords = kTileDepth / kPair;
  Value granules = f.div(f.add(operands.depth, f.i64(kTileDepth - 1)), kTileDepth);
  const int64_t lhsStride = operands.panelDepth / kPair;
  auto step = [&](Value granule, ValueRange soFar) -> FailureOr<SmallVector<Value>> {
    Value lhsAt = f.offset(operands.lhs, pairWord, f.mul(granule, kWords));
    Value rhsAt = f.offset(operands.rhs, pairWord, f.mul(granule, kWords * shape.columns));
    SmallVector<Tile> lhs, sums(rowsOfTile.size() * columnTiles());
    for (auto [row, rows] : llvm::enumerate(rowsOfTile))
      lhs.push_back(unit->load(f.offset(lhsAt, pairWord, row * kTileRows * lhsStride), rows, lhsStride));
    forEachTile([&](size_t row, int64_t column) {
      const size_t values = unit->countValues(rowsOfTile[row]);
      sums[row * columnTiles() + column] = Tile(soFar.take_front(values));
      soFar = soFar.drop_front(values);
    });
    // A tile of rhs is in its register for one column alone.
    for (int64_t column = 0; column < columnTiles(); ++column) {
      const Tile rhs = unit->load(f.offset(rhsAt, pairWord, column * kTileColumns), kWords, shape.columns);
      for (auto [row, rows] : llvm::enumerate(rowsOfTile)) {
        Tile &own = sums[row * columnTiles() + column];
        own = unit->dot(own, lhs[row], rhs, rows);
      }
    }
    SmallVector<Value> next;
    for (const Tile &own : sums)
      llvm::append_range(next, own);
    return next;
  };
  FailureOr<SmallVector<Value>> end = f.forEach(f.i64(0), granules, 1, loadSums(sums), step, /*staysRolled=*/true);
  if (failed(end))
    return failure();
  ArrayRef<Value> rest = *end;
  forEachTile([&](size_t row, int64_t column) {
    const size_t values = unit->countValues(rowsOfTile[row]);
    unit->store(Tile(rest.take_front(values)), sumsAt(sums.pointer, row, column), rowsOfTile[row], shape.columns);
    rest = rest.drop_front(values);
  });
  return success();
}

std::unique_ptr<TileProduct> mp::makeAmxTile(CPUFunction &f, const TileShape &shape, Type element) {
  const bool hasUnit = element.isF16() ? f.target.tilesF16 : f.target.tilesBF16;
  std::unique_ptr<TileUnit> unit;
  if (hasUnit)
    unit = std::make_unique<AmxUnit>(f, element);
  else
    unit = std::make_unique<VectorUnit>(f, element);
  return std::make_unique<AmxTile>(f, shape, std::move(unit));
}
