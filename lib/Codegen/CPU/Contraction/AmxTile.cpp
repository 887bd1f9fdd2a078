// The register tile of a product, by AMX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tile register holds 16 rows of 64 bytes. One instruction adds, to 16 x 16 sums, the products of 16 rows of lhs by
// 32 of k and of 16 pairs of k of rhs by 16 columns: Intel's Architecture Instruction Set Extensions, "TDPBF16PS" and
// "TDPFP16PS". A level without tiles computes the same in vectors, so that its panels, loops and sums are tested where
// there is no such unit.
//
// Where operands are split into bf16, the products of their parts are added to the same sums for each 32 of k, the
// smallest first. Infinity times parts of a finite number is infinity of either sign, or NaN: where a sum is NaN and
// the products of the largest parts alone give infinity or NaN, that is the sum.

#include "Codegen/CPU/Contraction/TileProduct.h"
#include "mp/Analysis/RegisterTiles.h"
#include "mp/IR/TileRegisters.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mp;

namespace {

constexpr int64_t kPair = 2, kTileBytes = 4 * kTileColumns;

/// A tile, as what computes with it has it.
using Tile = SmallVector<Value>;

/// The operations on tiles. Pointers are to memory whose rows are `stride` words of 4 bytes apart.
class TileUnit {
public:
  virtual ~TileUnit() = default;

  /// Whether products of parts are one loop, not one after the other in the code.
  virtual bool loopsOverParts() const = 0;
  /// Whether sums that are subnormal are 0.
  virtual bool flushes() const = 0;
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

  bool loopsOverParts() const override { return false; }
  bool flushes() const override { return true; }
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

  bool flushes() const override { return false; }
  bool loopsOverParts() const override { return true; } // LLVM takes minutes for nine times this code
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
  AmxTile(CPUFunction &f, const TileShape &shape, ArrayRef<PartProduct> products, int64_t parts,
          std::unique_ptr<TileUnit> unit)
      : f(f), b(f.b), shape(shape), products(products), parts(parts), unit(std::move(unit)), pairWord(b.getI32Type()) {
    const int64_t tiles = llvm::divideCeil(shape.rows, kTileRows);
    for (int64_t tile = 0; tile < tiles; ++tile) {
      firstOfTile.push_back(llvm::divideCeil(tile * shape.rows, tiles));
      rowsOfTile.push_back(llvm::divideCeil((tile + 1) * shape.rows, tiles) - firstOfTile.back());
    }
    if (parts > 1) {
      sumsOfAll = f.allocate(shape.sum, shape.rows * shape.columns);
      sumsOfLargest = f.allocate(shape.sum, shape.rows * shape.columns);
    }
  }

  Type word() const override { return pairWord; }
  LogicalResult multiply(const TileOperands &operands, const TileSums &sums) override;

private:
  bool flushesSums() const override { return unit->flushes(); }

  static constexpr int64_t kWords = kTileDepth / kPair;

  int64_t columnTiles() const { return shape.columns / kTileColumns; }
  /// function(tile of rows, tile of columns) for each tile of sums.
  template <typename Function> void forEachTile(Function function) {
    for (size_t row = 0; row < rowsOfTile.size(); ++row)
      for (int64_t column = 0; column < columnTiles(); ++column)
        function(row, column);
  }
  Value sumsAt(Value pointer, size_t row, int64_t column) {
    return f.offset(pointer, shape.sum, firstOfTile[row] * shape.columns + column * kTileColumns);
  }
  SmallVector<Value> startingSums(const TileSums &sums, bool isFirst);
  LogicalResult addProducts(const TileOperands &operands, const TileSums &sums, ArrayRef<PartProduct> added, Value to);
  LogicalResult addFrom(ValueRange start, const TileOperands &operands, ArrayRef<PartProduct> added, Value to);
  Value partOf(ArrayRef<PartProduct> added, int64_t PartProduct::*side, Value index);
  LogicalResult forSums(function_ref<void(Value)> body);
  Value loadVector(Value pointer, Value index);
  void storeVector(Value lanes, Value pointer, Value index);
  Value isNaN(Value lanes) { return arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, lanes, lanes); }
  Value hasNaN(Value pointer);
  void takeNonfinite(Value to, Value from);

  CPUFunction &f;
  LaneBuilder &b;
  const TileShape shape;
  const ArrayRef<PartProduct> products; ///< for each 32 of k
  const int64_t parts;                  ///< of each element of a panel
  std::unique_ptr<TileUnit> unit;
  Type pairWord;
  SmallVector<int64_t> firstOfTile, rowsOfTile; ///< as even as can be where 16 does not divide them
  Value sumsOfAll, sumsOfLargest;               ///< of a chunk, where there are parts
};

} // namespace

/// The sums that a loop over a chunk begins with: 0, or those in memory.
SmallVector<Value> AmxTile::startingSums(const TileSums &sums, bool isFirst) {
  SmallVector<Value> start;
  forEachTile([&](size_t row, int64_t column) {
    llvm::append_range(start, isFirst ? unit->zero(rowsOfTile[row])
                                      : unit->load(sumsAt(sums.pointer, row, column), rowsOfTile[row], shape.columns));
  });
  return start;
}

/// The part that product `index` of `added` has on one side: found in a constant of two bits for each.
Value AmxTile::partOf(ArrayRef<PartProduct> added, int64_t PartProduct::*side, Value index) {
  int64_t table = 0;
  for (auto [number, product] : llvm::enumerate(added))
    table |= product.*side << (2 * number);
  Value shifted = arith::ShRUIOp::create(b, f.i64(table), f.mul(index, 2));
  return arith::AndIOp::create(b, shifted, f.i64(3));
}

/// Stores `sums` and the `added` products of parts, for each 32 of k in their order, to `to`. Which chunk is the first
/// is known at run time, and registers are not chosen between: a loop begins with zeros, another with what is in
/// memory.
LogicalResult AmxTile::addProducts(const TileOperands &operands, const TileSums &sums, ArrayRef<PartProduct> added,
                                   Value to) {
  auto from = [&](bool isFirst) { return addFrom(startingSums(sums, isFirst), operands, added, to); };
  if (!sums.isFirst)
    return from(true);
  return f.either(sums.isFirst, [&] { return from(true); }, [&] { return from(false); });
}

/// Stores `start` and the products.
LogicalResult AmxTile::addFrom(ValueRange start, const TileOperands &operands, ArrayRef<PartProduct> added, Value to) {
  const int64_t lhsStride = operands.lhsDepth * parts / kPair;
  const auto loops = static_cast<int64_t>(unit->loopsOverParts() ? added.size() : 1);
  // Where each tile's rows of lhs begin.
  auto rows = llvm::map_to_vector(firstOfTile, [&](int64_t row) {
    return operands.lhsRow ? operands.lhsRow(row) : f.offset(operands.lhs, pairWord, row * lhsStride);
  });
  Value granules = f.div(f.add(operands.depth, f.i64(kTileDepth - 1)), kTileDepth);
  auto step = [&](Value index, ValueRange soFar) -> FailureOr<SmallVector<Value>> {
    Value number = f.div(index, loops), granule = f.mul(number, kWords * parts);
    Value alongLhs = operands.lhsAlongDepth ? f.div(operands.lhsAlongDepth(f.mul(number, kTileDepth)), kPair) : granule;
    const bool isOfPixels = static_cast<bool>(operands.rhsRegisters);
    SmallVector<Value> registers;
    if (isOfPixels)
      registers = operands.rhsRegisters(f.mul(number, kTileDepth));
    Value rhsAt = isOfPixels ? Value() : f.offset(operands.rhs, pairWord, f.mul(granule, shape.columns));
    SmallVector<Tile> lhs, next(rowsOfTile.size() * columnTiles());
    forEachTile([&](size_t row, int64_t column) {
      const size_t values = unit->countValues(rowsOfTile[row]);
      next[row * columnTiles() + column] = Tile(soFar.take_front(values));
      soFar = soFar.drop_front(values);
    });
    auto add = [&](Value lhsPart, Value rhsPart, bool hasLhs) {
      Value inLhs = f.add(alongLhs, f.mul(lhsPart, kWords));
      auto loadRhs = [&](int64_t column) {
        if (isOfPixels)
          return unit->load(registers[column], kWords, operands.rhsStep);
        Value words = f.offset(rhsAt, pairWord, f.mul(rhsPart, kWords * shape.columns));
        return unit->load(f.offset(words, pairWord, column * kTileColumns), kWords, shape.columns);
      };
      // Four rows of tiles leave no registers for a column of lhs.
      if (const auto ofRows = std::ssize(rowsOfTile); !hasLhs || ofRows * columnTiles() + ofRows + 1 > kTileRegisters)
        lhs.assign(rowsOfTile.size(), {});
      // A tile is loaded where it is first multiplied: products run meanwhile.
      for (int64_t column = 0; column < columnTiles(); ++column) {
        const Tile rhs = loadRhs(column);
        for (auto [row, count] : llvm::enumerate(rowsOfTile)) {
          if (lhs[row].empty())
            lhs[row] = unit->load(f.offset(rows[row], pairWord, inLhs), count, lhsStride);
          Tile &own = next[row * columnTiles() + column];
          own = unit->dot(own, lhs[row], rhs, count);
        }
      }
    };
    if (loops > 1) {
      Value product = f.rem(index, loops);
      add(partOf(added, &PartProduct::lhs, product), partOf(added, &PartProduct::rhs, product), false);
    } else {
      for (auto [number, product] : llvm::enumerate(added))
        add(f.i64(product.lhs), f.i64(product.rhs), number > 0 && added[number - 1].lhs == product.lhs);
    }
    SmallVector<Value> values;
    for (const Tile &own : next)
      llvm::append_range(values, own);
    return values;
  };
  FailureOr<SmallVector<Value>> end = f.forEach(f.i64(0), f.mul(granules, loops), 1, start, step, /*staysRolled=*/true);
  if (failed(end))
    return failure();
  ArrayRef<Value> rest = *end;
  forEachTile([&](size_t row, int64_t column) {
    const size_t values = unit->countValues(rowsOfTile[row]);
    unit->store(Tile(rest.take_front(values)), sumsAt(to, row, column), rowsOfTile[row], shape.columns);
    rest = rest.drop_front(values);
  });
  return success();
}

LogicalResult AmxTile::multiply(const TileOperands &operands, const TileSums &sums) {
  if (parts == 1)
    return addProducts(operands, sums, products, sums.pointer);
  // What was there before is read again where a sum is NaN.
  if (failed(addProducts(operands, sums, products, sumsOfAll)))
    return failure();
  const LogicalResult repaired = f.when(hasNaN(sumsOfAll), [&] {
    const LogicalResult added = addProducts(operands, sums, products.take_back(), sumsOfLargest);
    takeNonfinite(sumsOfAll, sumsOfLargest);
    return added;
  });
  return failed(repaired)
             ? repaired
             : forSums([&](Value index) { storeVector(loadVector(sumsOfAll, index), sums.pointer, index); });
}

/// body(index of the first) for each vector of sums.
LogicalResult AmxTile::forSums(function_ref<void(Value)> body) {
  return f.forEach(f.i64(0), f.i64(shape.rows * shape.columns), kTileColumns, [&](Value index) {
    body(index);
    return success();
  });
}

Value AmxTile::loadVector(Value pointer, Value index) {
  return LLVM::LoadOp::create(b, withLanes(shape.sum, kTileColumns), f.offset(pointer, shape.sum, index), 4);
}
void AmxTile::storeVector(Value lanes, Value pointer, Value index) {
  LLVM::StoreOp::create(b, lanes, f.offset(pointer, shape.sum, index), 4);
}

/// Whether one of the sums at `pointer` is NaN.
Value AmxTile::hasNaN(Value pointer) {
  Type flags = withLanes(b.getI1Type(), kTileColumns);
  Value none = intConstant(b, flags, 0);
  FailureOr<SmallVector<Value>> found =
      f.forEach(f.i64(0), f.i64(shape.rows * shape.columns), kTileColumns, none,
                [&](Value index, ValueRange soFar) -> FailureOr<SmallVector<Value>> {
                  return SmallVector<Value>{arith::OrIOp::create(b, soFar.front(), isNaN(loadVector(pointer, index)))};
                });
  Value bits = LLVM::BitcastOp::create(b, b.getIntegerType(kTileColumns), found->front());
  return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, bits, intConstant(b, bits.getType(), 0));
}

/// Replaces sums at `to` that are NaN by those at `from` that are infinite or NaN.
void AmxTile::takeNonfinite(Value to, Value from) {
  (void)forSums([&](Value index) {
    Value all = loadVector(to, index), largest = loadVector(from, index);
    Value isTaken = arith::AndIOp::create(b, isNaN(all), isNaN(arith::SubFOp::create(b, largest, largest)));
    storeVector(arith::SelectOp::create(b, isTaken, largest, all), to, index);
  });
}

std::unique_ptr<TileProduct> mp::makeAmxTile(CPUFunction &f, const TileShape &shape, Type element,
                                             ContractionScheduleAttr schedule) {
  const bool hasUnit = element.isF16() ? f.target.tilesF16 : f.target.tilesBF16;
  std::unique_ptr<TileUnit> unit;
  if (hasUnit)
    unit = std::make_unique<AmxUnit>(f, element);
  else
    unit = std::make_unique<VectorUnit>(f, element);
  return std::make_unique<AmxTile>(f, shape, productsOfParts(schedule), schedule.getParts(), std::move(unit));
}
