// Reductions of a product's tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_CPU_CONTRACTION_TILEREDUCTIONS_H
#define MP_LIB_CODEGEN_CPU_CONTRACTION_TILEREDUCTIONS_H

#include "Codegen/CPU/CPUFunction.h"
#include "Codegen/Emit/Product.h"

#include <memory>

namespace mp {

/// Some columns of a tile that are finished together: so many vectors of so many lanes, from `column` of the product.
struct TileColumns {
  mlir::Value row, rows; ///< the tile's first row in its block, and how many it has
  mlir::Value column;
  int64_t vectors, lanes;
};

/// An op that reduces what a block stores: down the rows of a tile in registers, a vector of columns apart from the
/// next, then over the tiles of the block in memory.
class TileReduction {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  virtual ~TileReduction() = default;

  /// Nothing was seen yet of the block in this row of blocks.
  virtual void start(mlir::Value blockRow) = 0;
  /// What is known of a tile's first row, lanes that are `value`.
  virtual Values first(mlir::Value value) = 0;
  /// What is known with one more row.
  virtual Values next(mlir::ValueRange known, mlir::Value value) = 0;
  /// Adds what is known of all rows of one vector of columns, `where`.
  virtual void keep(mlir::ValueRange known, const TileColumns &where) = 0;
  /// The block, of this number, has been seen.
  virtual void finish(mlir::Value block) = 0;
};

/// `mp.nonfinite_tiles`, of values that come at most `width` lanes at once.
std::unique_ptr<TileReduction> makeTileCheck(CPUFunction &f, const ProductEpilogue::ReducedTile &tile, int64_t width);
/// `mp.row_block_moments` of a product of so many columns.
std::unique_ptr<TileReduction> makeTileMoments(CPUFunction &f, const ProductEpilogue::ReducedTile &tile,
                                               int64_t columns);

/// All of a product.
class TileReductions {
public:
  /// Of values that come `width` lanes at once.
  TileReductions(CPUFunction &f, const ProductEpilogue &epilogue, int64_t width)
      : f(f), epilogue(epilogue), width(width) {}

  /// Sets memory aside, for a product of so many columns. Emits an error for an op that there is no code for.
  llvm::LogicalResult prepare(int64_t columns);
  bool empty() const { return epilogue.tileOps().empty(); }

  void start(mlir::Value blockRow);
  /// finish(row of the tile, column, lanes, what gets each op's value) for all rows of these columns.
  using Finish = llvm::function_ref<llvm::LogicalResult(mlir::Value row, mlir::Value column, int64_t lanes,
                                                        ProductEpilogue::OnTile onTile)>;
  llvm::LogicalResult emit(const TileColumns &columns, Finish finish);
  void finish(mlir::Value block);

private:
  CPUFunction &f;
  const ProductEpilogue &epilogue;
  const int64_t width;
  llvm::SmallVector<std::unique_ptr<TileReduction>, 2> reductions;
};

} // namespace mp

#endif // MP_LIB_CODEGEN_CPU_CONTRACTION_TILEREDUCTIONS_H
