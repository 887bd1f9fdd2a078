// What generations with ldmatrix and mma.sync share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/NVVM/Contraction/MmaSync.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mp;

static constexpr int64_t kOuter = 16, kMatrixRows = 8, kMatrixRowBytes = 16, kWordsOfRow = 4;

QuarterLoader::QuarterLoader(GPUFunction &f, const SharedTile &tile, Value first, bool outerFirst)
    : f(f), address(f, tile), isTransposed(tile.outerMajor), isSingle(tile.outerMajor && tile.elementBytes == 4),
      outerFirst(outerFirst), half(kMatrixRowBytes / tile.elementBytes) {
  if (isSingle) {
    row = f.rem(f.lane, kWordsOfRow);
    column = f.add(first, f.div(f.lane, kWordsOfRow));
    return;
  }
  // Lanes 8 q to 8 q + 7 name the rows of quarter q.
  Value low = f.rem(f.div(f.lane, kMatrixRows), 2), high = f.div(f.lane, 2 * kMatrixRows);
  Value outerHalf = f.mul(outerFirst ? low : high, kMatrixRows), kHalf = f.mul(outerFirst ? high : low, half);
  Value inMatrix = f.rem(f.lane, kMatrixRows), outer = f.add(first, outerHalf);
  row = f.add(isTransposed ? kHalf : outer, inMatrix);
  column = isTransposed ? outer : kHalf;
}

SmallVector<Value, 4> QuarterLoader::loadSingly(Value stage, int64_t block, int64_t number) {
  SmallVector<Value, 4> quarters;
  for (int64_t quarter = 0; quarter < 4; ++quarter) {
    const int64_t low = quarter % 2, high = quarter / 2;
    const int64_t outer = kOuter * block + kMatrixRows * (outerFirst ? low : high);
    const int64_t k = half * (2 * number + (outerFirst ? high : low));
    Value pointer = address.atStep(stage, row, k, column, outer);
    quarters.push_back(LLVM::LoadOp::create(f.b, f.b.getI32Type(), pointer, 4));
  }
  return quarters;
}

SmallVector<Value, 4> QuarterLoader::load(Value stage, int64_t block, int64_t number) {
  if (isSingle)
    return loadSingly(stage, block, number);
  LaneBuilder &b = f.b;
  const int64_t outer = kOuter * block, k = 2 * half * number;
  Value pointer = address.atStep(stage, row, isTransposed ? k : outer, column, isTransposed ? outer : k);
  Type i32 = b.getI32Type();
  auto four = LLVM::LLVMStructType::getLiteral(b.getContext(), {i32, i32, i32, i32});
  auto layout = isTransposed ? NVVM::MMALayout::col : NVVM::MMALayout::row;
  auto shape = NVVM::LdStMatrixShapeAttr::get(b.getContext(), 8, 8);
  Value words = NVVM::LdMatrixOp::create(b, four, pointer, 4, layout, shape, NVVM::LdStMatrixEltType::B16);
  SmallVector<Value, 4> quarters;
  for (int64_t word = 0; word < 4; ++word)
    quarters.push_back(LLVM::ExtractValueOp::create(b, words, word));
  return quarters;
}

MmaSync::MmaSync(GPUFunction &f, const WarpTile &warp)
    : WarpProduct(f, warp), lhs(f, warp.tiles.lhs, warp.row, /*outerFirst=*/true),
      rhs(f, warp.tiles.rhs, warp.column, /*outerFirst=*/false) {}

WarpProduct::Values MmaSync::load(Value lhsStage, Value rhsStage, int64_t number) {
  Values loaded;
  for (int64_t block = 0; block < blocksM(); ++block)
    llvm::append_range(loaded, lhs.load(lhsStage, block, number));
  for (int64_t block = 0; block < blocksN(); ++block)
    llvm::append_range(loaded, rhs.load(rhsStage, block, number));
  return loaded;
}

void MmaSync::multiply(ValueRange loaded, MutableArrayRef<Value> sums) {
  const int64_t tilesN = warp.columns() / kColumns;
  ValueRange allLhs = loaded.take_front(blocksM() * kWords), allRhs = loaded.drop_front(blocksM() * kWords);
  for (int64_t i = 0; i < blocksM(); ++i)
    for (int64_t next = 0; next < tilesN; ++next) {
      // There and back, so that neighbours in time share an operand.
      const int64_t j = i % 2 == 0 ? next : tilesN - 1 - next;
      multiplyTile(allLhs.slice(i * kWords, kWords), allRhs.slice(j * 2, 2),
                   sums.slice((i * tilesN + j) * valuesOfTile(), valuesOfTile()));
    }
}

void MmaSync::mma(NVVM::MMATypes type, ValueRange lhs, ValueRange rhs, int64_t k, MutableArrayRef<Value> sums) {
  // f16 stands in pairs, all else in words.
  auto operands = [&](ValueRange words) {
    SmallVector<Value> typed(words);
    if (type == NVVM::MMATypes::f16)
      for (Value &word : typed)
        word = LLVM::BitcastOp::create(b, VectorType::get({2}, b.getF16Type()), word);
    return typed;
  };
  Value result = NVVM::MmaOp::create(b, structOf(kSums), operands(lhs), operands(rhs), ValueRange(sums),
                                     {kRows, kColumns, k}, std::nullopt, std::nullopt, std::array{type, type},
                                     std::array{NVVM::MMALayout::row, NVVM::MMALayout::col});
  for (int64_t value = 0; value < valuesOfTile(); ++value)
    sums[value] = LLVM::ExtractValueOp::create(b, result, value);
}

FailureOr<WarpProduct::Values> MmaSync::finishPairs(ValueRange sums, FinishPairs finish) {
  const int64_t tilesN = warp.columns() / kColumns, ofTile = kSums / 2;
  auto pair = VectorType::get({2}, warp.acc);
  Values finished(sums.size() / 2);
  for (int64_t j = 0; j < tilesN; ++j) {
    Values pairs;
    for (int64_t at = j; at < blocksM() * tilesN; at += tilesN)
      for (int64_t half = 0; half < ofTile; ++half)
        pairs.push_back(vector::FromElementsOp::create(b, pair, sums.slice(at * kSums + 2 * half, 2)));
    FailureOr<Values> own = finish(pairs, f.add(columnOfLane(), f.i64(j * kColumns)));
    if (failed(own))
      return failure();
    for (auto [number, value] : llvm::enumerate(*own))
      finished[(number / ofTile * tilesN + j) * ofTile + number % ofTile] = value;
  }
  return finished;
}

void MmaSync::store(ValueRange sums, int64_t first, int64_t count, Value epilogueTile, int64_t pitch) {
  const int64_t tilesN = warp.columns() / kColumns, bytes = warp.tiles.passed.getIntOrFloatBitWidth() / 8;
  const int64_t ofHalf = bytes == 2 ? 1 : 2; // pairs of 16 bits are values
  Value row = f.div(f.lane, 4), column = columnOfLane();
  for (int64_t i = first / kRows; i < (first + count) / kRows; ++i)
    for (int64_t j = 0; j < tilesN; ++j)
      for (int64_t half = 0; half < 2; ++half) {
        ValueRange pair = sums.slice(((i * tilesN + j) * 2 + half) * ofHalf, ofHalf);
        Value lanes =
            ofHalf == 1 ? pair.front() : Value(vector::FromElementsOp::create(b, VectorType::get({2}, warp.acc), pair));
        Value target = epilogueAt(epilogueTile, row, i * kRows - first + 8 * half, column, j * kColumns, pitch);
        LLVM::StoreOp::create(b, lanes, target, 2 * bytes);
      }
}
