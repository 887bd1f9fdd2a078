// How the lanes of a warp multiply.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One class for each generation of matrix instructions: what a lane reads of a stage, how the warp multiplies it, and
// where the sums of a lane belong. The rest of a contraction asks these three questions and knows no instruction.

#ifndef MP_LIB_CODEGEN_NVVM_CONTRACTION_WARPPRODUCT_H
#define MP_LIB_CODEGEN_NVVM_CONTRACTION_WARPPRODUCT_H

#include "Codegen/Emit/Product.h"
#include "Codegen/NVVM/Contraction/TileAddress.h"

namespace mp {

/// What a warp multiplies and where its tile is.
struct WarpTile {
  const MatrixTiles &tiles;
  mlir::Type element, acc; ///< of operands and of sums
  /// The first row and column of the warp's tile in the block.
  mlir::Value row, column;

  int64_t rows() const { return tiles.schedule.getWarpM(); }
  int64_t columns() const { return tiles.schedule.getWarpN(); }
};

class WarpProduct {
public:
  virtual ~WarpProduct() = default;

  using Values = llvm::SmallVector<mlir::Value>;
  /// Sums of nothing, in the order in which a lane has them. Those of f16 stand in pairs.
  Values zeros();
  /// What this lane holds of both operands at depth `number` of a stage: k in [number * depth, (number + 1) * depth).
  virtual Values load(mlir::Value lhsStage, mlir::Value rhsStage, int64_t number) = 0;
  /// Adds the products of `loaded` to `sums`.
  virtual void multiply(mlir::ValueRange loaded, llvm::MutableArrayRef<mlir::Value> sums) = 0;
  /// Makes of the sums of a lane what passes through shared memory in their place, where that has 16 bits: `finish`
  /// gets the pairs of one column of the warp's tile and its neighbour, and where that is. Of instructions with pairs
  /// alone.
  using FinishPairs = llvm::function_ref<mlir::FailureOr<Values>(mlir::ValueRange pairs, mlir::Value column)>;
  virtual mlir::FailureOr<Values> finishPairs(mlir::ValueRange sums, FinishPairs finish);
  /// Stores rows [first, first + count) of the warp's tile to `epilogueTile`, `pitch` elements from row to row. Both
  /// are multiples of 16.
  virtual void store(mlir::ValueRange sums, int64_t first, int64_t count, mlir::Value epilogueTile, int64_t pitch) = 0;

protected:
  WarpProduct(GPUFunction &f, const WarpTile &warp) : f(f), b(f.b), warp(warp) {}

  /// Sums that one value holds, and its type.
  int64_t sumsOfValue() const { return warp.acc.isF16() ? 2 : 1; }
  mlir::Type valueType() const { return withLanes(warp.acc, sumsOfValue()); }
  /// What an instruction that makes `sums` sums of a lane gives.
  mlir::LLVM::LLVMStructType structOf(int64_t sums) const {
    return mlir::LLVM::LLVMStructType::getLiteral(f.b.getContext(),
                                                  llvm::SmallVector<mlir::Type>(sums / sumsOfValue(), valueType()));
  }
  /// The address of an element of an epilogue tile.
  mlir::Value epilogueAt(mlir::Value epilogueTile, mlir::Value row, int64_t rowStep, mlir::Value column,
                         int64_t columnStep, int64_t pitch);

  GPUFunction &f;
  LaneBuilder &b;
  const WarpTile warp;
};

/// wmma m16n16k16 of f16 (sm_70).
std::unique_ptr<WarpProduct> makeWmma(GPUFunction &f, const WarpTile &warp);
/// mma.sync m16n8k8 of f16, fragments by ldmatrix (sm_75).
std::unique_ptr<WarpProduct> makeMma16x8x8(GPUFunction &f, const WarpTile &warp);
/// mma.sync m16n8k16 of f16 and bf16, fragments by ldmatrix (sm_80).
std::unique_ptr<WarpProduct> makeMma16x8x16(GPUFunction &f, const WarpTile &warp);
/// mma.sync m16n8k8 of f32 rounded to tf32 (sm_80).
std::unique_ptr<WarpProduct> makeMma16x8x8TF32(GPUFunction &f, const WarpTile &warp);
/// A multiplication and an addition at a time, f32 and f64 (every chip).
std::unique_ptr<WarpProduct> makeFma(GPUFunction &f, const WarpTile &warp);

/// The one that the schedule names.
std::unique_ptr<WarpProduct> makeWarpProduct(GPUFunction &f, const WarpTile &warp);

} // namespace mp

#endif // MP_LIB_CODEGEN_NVVM_CONTRACTION_WARPPRODUCT_H
