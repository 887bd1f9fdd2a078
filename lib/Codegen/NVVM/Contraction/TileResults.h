// What a block says of its tile as a whole.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_NVVM_CONTRACTION_TILERESULTS_H
#define MP_LIB_CODEGEN_NVVM_CONTRACTION_TILERESULTS_H

#include "Codegen/Emit/Product.h"
#include "Codegen/NVVM/GPUFunction.h"
#include "mp/Analysis/MatrixTiles.h"

namespace mp {

/// Where a warp's tile is.
struct TilePosition {
  mlir::Value ring;                  ///< shared memory that is free once all warps are done with it
  mlir::Value outer;                 ///< the number of the product, of all parts and batches
  mlir::Value blockM, blockN;        ///< the block in the grid of that product
  mlir::Value firstRow, firstColumn; ///< of the block's tile
  mlir::Value warp, warpM;           ///< the warp in the block, and its row of warps
  mlir::Value warpRow, warpColumn;   ///< of the warp's tile in the block's
  int64_t blocksM = 1, blocksN = 1;  ///< of the grid
};

/// The results of mp.sum_row_blocks and mp.nonfinite_tiles. While its warp walks its tile, each lane keeps what it saw
/// of every op; then lanes are combined by shuffles, and warps, in their order, through shared memory.
///
/// A lane that walks rows of vectors meets the same columns again after `phases` vectors.
class TileResults {
public:
  /// `width` columns are a vector.
  TileResults(GPUFunction &f, llvm::ArrayRef<ProductEpilogue::ReducedTile> ops, const Product &product,
              const MatrixTiles &tiles, int64_t width);

  using Values = llvm::SmallVector<mlir::Value>;

  /// Emits an error where an op asks for other tiles than the schedule has.
  llvm::LogicalResult verify();
  int64_t phases() const { return phaseCount; }
  /// What a lane has seen of nothing.
  Values start();
  /// Adds what the op reads in a vector of phase `phase`.
  void add(size_t op, int64_t phase, mlir::Value value, llvm::MutableArrayRef<mlir::Value> soFar);
  /// Combines and stores. All warps of the block come here.
  llvm::LogicalResult finish(mlir::ValueRange seen, const TilePosition &position);

private:
  size_t countOf(size_t op) const;
  llvm::LogicalResult finishSums(SumRowBlocksOp op, unsigned result, mlir::ValueRange seen,
                                 const TilePosition &position);
  llvm::LogicalResult finishFlag(unsigned result, mlir::Value seen, const TilePosition &position);
  mlir::Value combineLanes(mlir::Value lanes, int64_t members);

  GPUFunction &f;
  LaneBuilder &b;
  llvm::ArrayRef<ProductEpilogue::ReducedTile> ops;
  const Product &product;
  const MatrixTiles &tiles;
  const int64_t width, ofRow; ///< columns of a vector, vectors of a row of the warp's tile
  const int64_t phaseCount;
};

} // namespace mp

#endif // MP_LIB_CODEGEN_NVVM_CONTRACTION_TILERESULTS_H
