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

  llvm::LogicalResult prepare();
  /// `epilogueTile` is the warp's shared memory.
  llvm::LogicalResult emit(WarpProduct &warp, mlir::ValueRange sums, mlir::Value epilogueTile,
                           const TilePosition &position);

private:
  using Values = llvm::SmallVector<mlir::Value>;

  /// A vector of an epilogue tile, for the results of the tile ops (TileReduction.h).
  struct Vector {
    mlir::Value number;
    int64_t phase;
    mlir::Value isFirst;
  };

  /// Finishes the rows of an epilogue tile, from `row` of the product. Gives what the tile ops have so far.
  mlir::FailureOr<Values> emitTile(mlir::Value epilogueTile, bool isFirst, mlir::Value outer, mlir::Value row,
                                   mlir::Value column, mlir::ValueRange soFar);
  mlir::FailureOr<Values> emitVector(const Vector &at, mlir::Value epilogueTile, mlir::Value outer, mlir::Value row,
                                     mlir::Value column, mlir::ValueRange soFar);

  GPUFunction &f;
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
