// Rows of a product that are pooled.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_NVVM_CONTRACTION_POOLEDTILE_H
#define MP_LIB_CODEGEN_NVVM_CONTRACTION_POOLEDTILE_H

#include "Codegen/Emit/Product.h"
#include "Codegen/NVVM/GPUFunction.h"
#include "mp/Analysis/MatrixTiles.h"
#include "mp/Analysis/Pooled.h"

namespace mp {

/// Pools rows that lie by window in an epilogue tile, each a value where its sum was, and what follows.
///
/// To the pooling op such a tile is images of one line, a window each: an op of its own, on what no kernel holds, is
/// asked for their winners, which are then those of the kernel's op.
class PooledTile {
public:
  PooledTile(GPUFunction &f, Elements &values, const Pooled &pooled, const Product &product, const MatrixTiles &tiles);

  /// Builds what is needed once.
  llvm::LogicalResult prepare();
  /// Whether several neighbours of a row can be finished at once.
  bool isEven() { return even; }
  /// Finishes an epilogue tile whose first row and column of the product these are, `width` columns at once. All lanes
  /// of its warp are here, and all of its values.
  llvm::LogicalResult emit(mlir::Value epilogueTile, mlir::Value row, mlir::Value column, int64_t width);

private:
  llvm::LogicalResult emitVector(mlir::Value vector, mlir::Value row, mlir::Value column, int64_t width);

  GPUFunction &f;
  Elements &values;
  const Pooled &pooled;
  const Product &product;
  const MatrixTiles &tiles;
  const int64_t pixels, windows; ///< of a window, of an epilogue tile
  mlir::Block apart;             ///< where the op of a tile's own is
  mlir::Operation *op = nullptr;
  bool even;
};

} // namespace mp

#endif // MP_LIB_CODEGEN_NVVM_CONTRACTION_POOLEDTILE_H
