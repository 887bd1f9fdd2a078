// What a block reduces its tile to.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_NVVM_CONTRACTION_TILEREDUCTION_H
#define MP_LIB_CODEGEN_NVVM_CONTRACTION_TILEREDUCTION_H

#include "Codegen/Emit/Product.h"
#include "Codegen/NVVM/GPUFunction.h"
#include "mp/Analysis/MatrixTiles.h"

#include <memory>

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

/// How the lanes of a warp walk its tile: by rows of vectors, each lane `rowsApart` rows from one of its vectors to the
/// next of the same columns, which it meets again after `phases` vectors.
struct TileWalk {
  /// `width` columns are a vector.
  TileWalk(const Product &product, const MatrixTiles &tiles, int64_t width)
      : product(product), tiles(tiles), width(width), ofRow(tiles.schedule.getWarpN() / width),
        phases(std::max<int64_t>(ofRow / Chip::kWarp, 1)), lanesOfRow(std::min(ofRow, Chip::kWarp)),
        rowsApart(Chip::kWarp / lanesOfRow) {}

  const Product &product;
  const MatrixTiles &tiles;
  const int64_t width, ofRow; ///< columns of a vector, vectors of a row of the warp's tile
  const int64_t phases, lanesOfRow, rowsApart;
};

/// While its warp walks its tile, each lane keeps what it saw of the op; then lanes are combined by shuffles, and
/// warps, in their order, through shared memory.
class TileReduction {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  virtual ~TileReduction() = default;

  /// What a lane has seen of nothing.
  virtual Values start() = 0;
  /// Adds a vector of phase `phase`, which is one of the first that the lane sees where `isFirst` holds.
  virtual void add(int64_t phase, mlir::Value value, mlir::Value isFirst, llvm::MutableArrayRef<mlir::Value> soFar) = 0;
  /// Combines and stores. All warps of the block come here, and nobody uses the ring any more.
  virtual llvm::LogicalResult finish(mlir::ValueRange seen, const TilePosition &position) = 0;
};

/// `mp.sum_row_blocks` with result `result` of the kernel.
std::unique_ptr<TileReduction> makeTileSums(GPUFunction &f, const TileWalk &walk, unsigned result);
/// `mp.row_block_moments`.
std::unique_ptr<TileReduction> makeTileMoments(GPUFunction &f, const TileWalk &walk, llvm::ArrayRef<unsigned> results);
/// `mp.nonfinite_tiles`.
std::unique_ptr<TileReduction> makeTileFlags(GPUFunction &f, unsigned result);

/// Each lane of `value` as the lane of the warp has it whose number differs in the bits of `apart`.
mlir::Value shuffleLanes(GPUFunction &f, mlir::Value value, int64_t apart);

/// emit(column of the block's tile, of the product), each column by one thread, as far as the product has columns.
llvm::LogicalResult forTileColumns(GPUFunction &f, const TileWalk &walk, const TilePosition &position,
                                   llvm::function_ref<llvm::LogicalResult(mlir::Value, mlir::Value)> emit);

} // namespace mp

#endif // MP_LIB_CODEGEN_NVVM_CONTRACTION_TILEREDUCTION_H
