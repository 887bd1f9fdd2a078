// Wmma m16n16k16.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which lane holds which element is the hardware's secret: fragments are loaded and stored by wmma alone.

#include "Codegen/NVVM/Contraction/WarpProduct.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace mp;

namespace {

class Wmma : public WarpProduct {
public:
  Wmma(GPUFunction &f, const WarpTile &warp) : WarpProduct(f, warp), lhs(f, warp.tiles.lhs), rhs(f, warp.tiles.rhs) {}

  Values load(Value lhsStage, Value rhsStage, int64_t number) override;
  void multiply(ValueRange loaded, MutableArrayRef<Value> sums) override;
  void store(ValueRange sums, int64_t first, int64_t count, Value epilogueTile, int64_t pitch) override;

private:
  static constexpr int64_t kSize = 16, kSums = 8, kWords = 8;

  void loadBlock(Values &loaded, const SharedTile &tile, TileAddress &address, Value stage, Value first, int64_t block,
                 int64_t number, NVVM::MMAFrag operand);
  LLVM::LLVMStructType eight(Type type) {
    return LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(8, type));
  }
  int64_t valuesOfBlock() const { return kSums / sumsOfValue(); }
  NVVM::MMATypes sumType() const { return warp.acc.isF16() ? NVVM::MMATypes::f16 : NVVM::MMATypes::f32; }
  Value stride(int64_t elements) { return intConstant(b, b.getI32Type(), elements); }
  // lhs is stored by rows where k changes along a row, rhs where the columns do.
  NVVM::MMALayout lhsLayout() { return warp.tiles.lhs.outerMajor ? NVVM::MMALayout::col : NVVM::MMALayout::row; }
  NVVM::MMALayout rhsLayout() { return warp.tiles.rhs.outerMajor ? NVVM::MMALayout::row : NVVM::MMALayout::col; }

  TileAddress lhs, rhs;
};

} // namespace

void Wmma::loadBlock(Values &loaded, const SharedTile &tile, TileAddress &address, Value stage, Value first,
                     int64_t block, int64_t number, NVVM::MMAFrag operand) {
  const bool isLhs = operand == NVVM::MMAFrag::a;
  Value zero = f.i64(0);
  Value pointer = tile.outerMajor ? address.at(stage, zero, kSize * number, f.add(first, f.i64(kSize * block)))
                                  : address.atStep(stage, first, kSize * block, zero, kSize * number);
  Value fragment =
      NVVM::WMMALoadOp::create(b, eight(VectorType::get({2}, b.getF16Type())), pointer, stride(tile.pitch), kSize,
                               kSize, kSize, isLhs ? lhsLayout() : rhsLayout(), NVVM::MMATypes::f16, operand);
  for (int64_t word = 0; word < kWords; ++word)
    loaded.push_back(LLVM::ExtractValueOp::create(b, fragment, word));
}

WarpProduct::Values Wmma::load(Value lhsStage, Value rhsStage, int64_t number) {
  Values loaded;
  for (int64_t block = 0; block < warp.rows() / kSize; ++block)
    loadBlock(loaded, warp.tiles.lhs, lhs, lhsStage, warp.row, block, number, NVVM::MMAFrag::a);
  for (int64_t block = 0; block < warp.columns() / kSize; ++block)
    loadBlock(loaded, warp.tiles.rhs, rhs, rhsStage, warp.column, block, number, NVVM::MMAFrag::b);
  return loaded;
}

void Wmma::multiply(ValueRange loaded, MutableArrayRef<Value> sums) {
  const int64_t blocksM = warp.rows() / kSize, blocksN = warp.columns() / kSize;
  for (int64_t i = 0; i < blocksM; ++i)
    for (int64_t j = 0; j < blocksN; ++j) {
      MutableArrayRef<Value> own = sums.slice((i * blocksN + j) * valuesOfBlock(), valuesOfBlock());
      SmallVector<Value> operands(loaded.slice(i * kWords, kWords));
      llvm::append_range(operands, loaded.slice((blocksM + j) * kWords, kWords));
      llvm::append_range(operands, own);
      // The second type is that of the sums.
      Value result = NVVM::WMMAMmaOp::create(b, structOf(kSums), kSize, kSize, kSize, lhsLayout(), rhsLayout(),
                                             NVVM::MMATypes::f16, sumType(), operands);
      for (int64_t value = 0; value < valuesOfBlock(); ++value)
        own[value] = LLVM::ExtractValueOp::create(b, result, value);
    }
}

void Wmma::store(ValueRange sums, int64_t first, int64_t count, Value epilogueTile, int64_t pitch) {
  const int64_t blocksN = warp.columns() / kSize;
  for (int64_t i = first / kSize; i < (first + count) / kSize; ++i)
    for (int64_t j = 0; j < blocksN; ++j) {
      Value target = f.offset(epilogueTile, warp.acc, (i * kSize - first) * pitch + j * kSize);
      NVVM::WMMAStoreOp::create(b, target, kSize, kSize, kSize, NVVM::MMALayout::row, sumType(),
                                sums.slice((i * blocksN + j) * valuesOfBlock(), valuesOfBlock()), stride(pitch));
    }
}

std::unique_ptr<WarpProduct> mp::makeWmma(GPUFunction &f, const WarpTile &warp) {
  return std::make_unique<Wmma>(f, warp);
}
