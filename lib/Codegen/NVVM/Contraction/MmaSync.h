// What generations with ldmatrix and mma.sync share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Eight rows of 16 bytes are a word in each lane: lane l has word l % 4 of row l / 4 (PTX ISA, "Matrix fragments for
// mma"). ldmatrix reads four such matrices at once, which here are the quarters of 16 outer elements by 32 bytes of k:
// 16 elements of f16 and bf16, 8 of f32. Where k is not along the rows of the tile it reads columns of 16-bit elements.

#ifndef MP_LIB_CODEGEN_NVVM_CONTRACTION_MMASYNC_H
#define MP_LIB_CODEGEN_NVVM_CONTRACTION_MMASYNC_H

#include "Codegen/NVVM/Contraction/WarpProduct.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

namespace mp {

/// The quarters of 16 outer elements by 32 bytes of k, as words of a lane.
class QuarterLoader {
public:
  /// `first` is the warp's first outer element in the tile. Words are in the order (outer half, k half) 00 10 01 11
  /// with `outerFirst`, else 00 01 10 11.
  QuarterLoader(GPUFunction &f, const SharedTile &tile, mlir::Value first, bool outerFirst);

  /// The four words of outer elements 16 * block and up, at depth `number` of a stage.
  llvm::SmallVector<mlir::Value, 4> load(mlir::Value stage, int64_t block, int64_t number);

private:
  /// Columns of 32-bit elements, one by one.
  llvm::SmallVector<mlir::Value, 4> loadSingly(mlir::Value stage, int64_t block, int64_t number);

  GPUFunction &f;
  TileAddress address;
  bool isTransposed, isSingle, outerFirst;
  int64_t half;            ///< of what is loaded at once, in elements of k
  mlir::Value row, column; ///< of what this lane's address names
};

/// mma.sync with tiles of 16 x 8 sums: a lane has rows l / 4 and l / 4 + 8, columns 2 (l % 4) and 2 (l % 4) + 1.
class MmaSync : public WarpProduct {
public:
  MmaSync(GPUFunction &f, const WarpTile &warp);

  Values load(mlir::Value lhsStage, mlir::Value rhsStage, int64_t number) override;
  void multiply(mlir::ValueRange loaded, llvm::MutableArrayRef<mlir::Value> sums) final;
  mlir::FailureOr<Values> finishPairs(mlir::ValueRange sums, FinishPairs finish) final;
  void store(mlir::ValueRange sums, int64_t first, int64_t count, mlir::Value epilogueTile, int64_t pitch) final;

protected:
  static constexpr int64_t kRows = 16, kColumns = 8, kSums = 4, kWords = 4;

  /// sums += lhs * rhs for one tile: `lhs` are the quarters 00 10 01 11 of 16 rows, `rhs` the k halves of 8 columns.
  virtual void multiplyTile(mlir::ValueRange lhs, mlir::ValueRange rhs, llvm::MutableArrayRef<mlir::Value> sums) = 0;
  /// One mma.sync of depth `k` on operands of `type`.
  void mma(mlir::NVVM::MMATypes type, mlir::ValueRange lhs, mlir::ValueRange rhs, int64_t k,
           llvm::MutableArrayRef<mlir::Value> sums);

private:
  int64_t valuesOfTile() const { return kSums / sumsOfValue(); }
  mlir::Value columnOfLane() { return f.mul(f.rem(f.lane, 4), 2); }
  int64_t blocksM() const { return warp.rows() / 16; }
  int64_t blocksN() const { return warp.columns() / 16; }

  QuarterLoader lhs, rhs;
};

} // namespace mp

#endif // MP_LIB_CODEGEN_NVVM_CONTRACTION_MMASYNC_H
