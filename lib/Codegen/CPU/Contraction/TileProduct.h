// The register tile of a product.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_CPU_CONTRACTION_TILEPRODUCT_H
#define MP_LIB_CODEGEN_CPU_CONTRACTION_TILEPRODUCT_H

#include "Codegen/CPU/Contraction/Packing.h"
#include "Codegen/Emit/Product.h"

namespace mp {

/// What every tile knows: `rows` x `columns` sums in vectors of `width`, row after row.
struct TileShape {
  mlir::Type sum;
  int64_t rows, columns, width;

  int64_t vectorsOfRow() const { return columns / width; }
};

/// What one run over a chunk of k multiplies.
struct TileOperands {
  mlir::Value lhs;   ///< a panel, or rows in memory
  mlir::Value rhs;   ///< a panel; null where rhs is streamed
  mlir::Value depth; ///< of k, which may end within a unit
  int64_t lhsDepth;  ///< from one row of lhs to the next, where it has rows of k
  /// Of an lhs whose k are pixels: where it has the first row of the tile at a k of the chunk, beside the others.
  std::function<mlir::Value(mlir::Value k)> lhsAt = {};
  /// Of an lhs of pixels: where a row of the tile is, and how far from there its elements of a k of the chunk are.
  std::function<mlir::Value(int64_t row)> lhsRow = {};
  std::function<mlir::Value(mlir::Value k)> lhsAlongDepth = {};
  int64_t together = 1; ///< of k, which divide the chunk's, whose elements follow each other
  /// Of an rhs of pixels in panels: where it has each register's columns of the tile from a k of the chunk, and words
  /// from one row to the next.
  std::function<llvm::SmallVector<mlir::Value>(mlir::Value k)> rhsRegisters = {};
  int64_t rhsStep = 0;
  /// The words of rhs at a unit of k: those of one vector of columns.
  llvm::function_ref<mlir::FailureOr<mlir::Value>(mlir::Value unit, int64_t vector)> wordsOfRhs;
  /// Of k in runs, rows of pixels or the channels of a tap, of which the chunk has whole ones: the units of each, and
  /// what is told of its first, and gives how many of its units are multiplied: all or none.
  int64_t unitsOfRow = 0;
  std::function<mlir::Value(mlir::Value unit)> beginRow = {};
};

/// Where the sums are, rows x columns of them, before and after.
struct TileSums {
  mlir::Value pointer;
  mlir::Value isFirst; ///< whether nothing is there yet; null where that is so in every case
};

/// Multiplies a panel of lhs by one of rhs, sums in registers. One class for each instruction.
class TileProduct {
public:
  virtual ~TileProduct() = default;

  /// What holds a unit of k in a panel.
  virtual mlir::Type word() const = 0;
  /// Adds the products of all of `operands` to the sums.
  virtual llvm::LogicalResult multiply(const TileOperands &operands, const TileSums &sums) = 0;
  /// Lanes of sums rounded to `type`, in registers, as roundTo does it.
  mlir::Value roundSums(LaneBuilder &b, mlir::Value sums, mlir::Type type) const;

protected:
  /// Whether no sum is subnormal, where there is a conversion to bf16 that flushes those.
  virtual bool flushesSums() const { return false; }
};

/// A tile whose sums are vectors.
class VectorTile : public TileProduct {
public:
  llvm::LogicalResult multiply(const TileOperands &operands, const TileSums &sums) final;

protected:
  VectorTile(CPUFunction &f, const TileShape &shape) : f(f), b(f.b), shape(shape) {}

  /// `sums` and the products.
  virtual mlir::FailureOr<llvm::SmallVector<mlir::Value>> addProducts(const TileOperands &operands,
                                                                      mlir::ValueRange sums) = 0;

  /// `sums` and what `step` adds to them for each of so many units of k, `together` of them at once.
  using Step = llvm::function_ref<mlir::FailureOr<llvm::SmallVector<mlir::Value>>(mlir::Value unit, mlir::ValueRange)>;
  mlir::FailureOr<llvm::SmallVector<mlir::Value>> forUnits(const TileOperands &operands, mlir::Value count,
                                                           int64_t together, mlir::ValueRange sums, Step step);
  mlir::Value load(mlir::Type element, mlir::Value pointer, int64_t lanes);

  CPUFunction &f;
  LaneBuilder &b;
  const TileShape shape;
};

/// By one fma for each product, in the type of the sums. With `isDepthInner` the panels of lhs have rows of k.
std::unique_ptr<TileProduct> makeFmaTile(CPUFunction &f, const TileShape &shape, bool isDepthInner);
/// By dot products of pairs of bf16, sums in f32 in vectors of 4, 8 or 16.
std::unique_ptr<TileProduct> makeDotTile(CPUFunction &f, const TileShape &shape, bool isDepthInner);
/// By AMX's tiles of `element`, bf16 or f16, sums in f32; panels of lhs have rows of k, and all are whole in 32 of k.
/// The parts that the schedule splits an operand into lie beside each other in a panel, for each 32 of k.
std::unique_ptr<TileProduct> makeAmxTile(CPUFunction &f, const TileShape &shape, mlir::Type element,
                                         ContractionScheduleAttr schedule);

} // namespace mp

#endif // MP_LIB_CODEGEN_CPU_CONTRACTION_TILEPRODUCT_H
