// From a warp's sums to results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_NVVM_CONTRACTION_SUMSEPILOGUE_H
#define MP_LIB_CODEGEN_NVVM_CONTRACTION_SUMSEPILOGUE_H

#include "Codegen/Emit/MappedOperand.h"
#include "Codegen/NVVM/Contraction/PooledTile.h"
#include "Codegen/NVVM/Contraction/TileResults.h"
#include "Codegen/NVVM/Contraction/WarpProduct.h"

namespace mp {

/// Hands the sums of a warp to a ProductEpilogue, neighbours of a row at once: as many as fill an access of 16 bytes of
/// the narrowest result, where rows are aligned to that.
class SumsEpilogue {
public:
  /// `place` says where rows are in the result; there is none where they are in their order. Rows that lie by the
  /// windows of `pooled`, unless that is null, are pooled and not stored.
  SumsEpilogue(GPUFunction &f, Elements &values, const Product &product, const MatrixTiles &tiles,
               const IndexMap *place, const Pooled *pooled);

  /// What is to pass through shared memory when sums are finished: what they are rounded to where that is half as much,
  /// which lanes can do that have pairs of neighbours. What is pooled comes back to the place of its sums, as wide as
  /// it may be.
  static mlir::Type findPassed(const Product &product, const MatrixTiles &tiles, const Pooled *pooled);

  llvm::LogicalResult prepare();
  /// `epilogueTile` is the warp's shared memory.
  llvm::LogicalResult emit(WarpProduct &warp, mlir::ValueRange sums, mlir::Value epilogueTile,
                           const TilePosition &position);

private:
  using Values = llvm::SmallVector<mlir::Value>;

  /// An epilogue tile: the shared memory that it is in, and its product, first row and first column of the product.
  struct Tile {
    mlir::Value memory, outer, row, column;
  };
  /// Where a vector is in its epilogue tile; for results of the tile ops (TileReduction.h) its phase, and whether it is
  /// the lane's first of that.
  struct Vector {
    mlir::Value row, column;
    int64_t phase;
    mlir::Value isFirst;
  };

  /// Finishes the rows of an epilogue tile. Gives what the tile ops have so far.
  mlir::FailureOr<Values> emitTile(const Tile &tile, bool isFirst, mlir::ValueRange soFar);
  /// The same of `count` vectors of each lane, in the order of the tile, from `first` of the warp's first lane.
  mlir::FailureOr<Values> emitVectors(mlir::Value first, int64_t count, bool isFirst, const Tile &tile,
                                      mlir::ValueRange soFar);
  /// How many vectors that is: several, so that what is read for one does not wait for what is written of another,
  /// where no sums wait in registers, which then have room for them.
  int64_t vectorsAtOnce() const;
  mlir::FailureOr<ProductEpilogue::Computed> compute(const Vector &at, const Tile &tile, Values &seen);
  /// Whether the product has such a vector; null where it does.
  mlir::Value isInside(const Vector &at, const Tile &tile);
  /// What passes through shared memory in the place of the sums, two to a value. `column` is the warp's first.
  mlir::FailureOr<Values> finishPairs(WarpProduct &warp, mlir::ValueRange sums, mlir::Value outer, mlir::Value column);

  GPUFunction &f;
  Elements &values;
  const Product &product;
  const MatrixTiles &tiles;
  ProductEpilogue epilogue;
  std::optional<MappedOperand> rowsInResult;
  int64_t width = 1; ///< neighbours at once
  std::optional<TileResults> results;
  std::optional<PooledTile> pooled;
};

} // namespace mp

#endif // MP_LIB_CODEGEN_NVVM_CONTRACTION_SUMSEPILOGUE_H
