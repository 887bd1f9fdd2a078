// What becomes of the sums of a block's tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_CPU_CONTRACTION_FINISHEDTILES_H
#define MP_LIB_CODEGEN_CPU_CONTRACTION_FINISHEDTILES_H

#include "Codegen/CPU/Contraction/Blocks.h"
#include "Codegen/CPU/Contraction/TileReductions.h"
#include "Codegen/Emit/MappedOperand.h"

#include <optional>

namespace mp {

/// The end of tiles: bias and maps behind, stores, and what is reduced of that. Tiles at edges store a part, and those
/// of a product whose operands are in each other's place store their columns as rows.
class FinishedTiles {
public:
  /// Sums are of `acc`, `width` lanes of them at once. `place` says where rows are in the result; there is none where
  /// they are in their order.
  FinishedTiles(CPUFunction &f, Elements &values, const Product &product, const Sizing &s, mlir::Type acc,
                int64_t width, const IndexMap *place);

  ProductEpilogue &epilogue() { return ownEpilogue; }
  /// Sets memory aside.
  llvm::LogicalResult prepare() { return reductions.prepare(s.n); }

  /// A block begins, and has ended.
  llvm::LogicalResult begin(const BlockPlace &block);
  void end();
  /// Asks for what the epilogue of the tile at a row and column of the block will read: lines of rows that are far
  /// apart, which nothing fetches ahead.
  void prefetchAddends(mlir::Value row, mlir::Value column);
  /// Asks for the lines of the result that the tile will store, for a product of so few k that they would be waited
  /// for.
  void prefetchResult(mlir::Value row, mlir::Value column);
  /// Finishes the rows from `row` of the tile whose sums lie at `tile`, and that begins `early` rows before.
  llvm::LogicalResult finish(mlir::Value tile, mlir::Value row, mlir::Value early, mlir::Value column);

  /// Has narrow results stored by the line where sums are all that is stored, and rows of less than a vector at once.
  void storeLines() { storesLines = true; }
  /// Whether tiles may come row by row: what is reduced of them is so down their columns.
  bool mayHaveRowsOutside() const { return reductions.empty(); }
  bool hasAddends() const { return !ownEpilogue.addends().empty(); }

private:
  void prefetch(mlir::Value row, mlir::Value column, llvm::ArrayRef<std::pair<mlir::Value, mlir::Type>> tensors,
                bool isStored);
  bool isPlain() const { return reductions.empty() && ownEpilogue.isPlain(); }
  int64_t lanesOfStore() const;
  mlir::Value rowsOfTile(mlir::Value row);
  mlir::Value columnsOfTile(mlir::Value column);
  mlir::Value rowInResult(mlir::Value row);
  llvm::LogicalResult finishTransposed(mlir::Value tile, mlir::Value row, mlir::Value column);
  mlir::Value loadLanes(mlir::Value pointer, int64_t lanes);

  CPUFunction &f;
  LaneBuilder &b;
  Elements &values;
  const Sizing &s;
  ProductEpilogue ownEpilogue;
  const mlir::Type acc;
  const int64_t width;
  bool storesLines = false;
  TileReductions reductions;
  std::optional<MappedOperand> rowsInResult;
  BlockPlace at;
};

} // namespace mp

#endif // MP_LIB_CODEGEN_CPU_CONTRACTION_FINISHEDTILES_H
