// What a block says of its tile as a whole.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_NVVM_CONTRACTION_TILERESULTS_H
#define MP_LIB_CODEGEN_NVVM_CONTRACTION_TILERESULTS_H

#include "Codegen/NVVM/Contraction/TileReduction.h"

namespace mp {

/// All ops that reduce a product's tiles.
class TileResults {
public:
  /// `width` columns are a vector.
  TileResults(GPUFunction &f, const Product &product, const MatrixTiles &tiles, int64_t width);

  using Values = TileReduction::Values;

  /// Emits an error for an op that there is no code for.
  llvm::LogicalResult prepare(llvm::ArrayRef<ProductEpilogue::ReducedTile> ops);
  int64_t phases() const { return reductions.empty() ? 1 : walk.phases; }
  /// What a lane has seen of nothing.
  Values start();
  /// Adds what the op reads in a vector of phase `phase`, one of the first of the lane where `isFirst` holds; null for
  /// nowhere.
  void add(size_t op, int64_t phase, mlir::Value value, mlir::Value isFirst, llvm::MutableArrayRef<mlir::Value> soFar);
  /// Combines and stores. All warps of the block come here.
  llvm::LogicalResult finish(mlir::ValueRange seen, const TilePosition &position);

private:
  GPUFunction &f;
  const TileWalk walk;
  llvm::SmallVector<std::unique_ptr<TileReduction>, 2> reductions;
  llvm::SmallVector<size_t, 2> counts; ///< of values that each keeps
};

} // namespace mp

#endif // MP_LIB_CODEGEN_NVVM_CONTRACTION_TILERESULTS_H
