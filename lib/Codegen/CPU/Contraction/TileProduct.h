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

/// Multiplies a panel of lhs by one of rhs, sums in registers. One class for each instruction. With `isDepthInner` the
/// panels of lhs have rows of k.
class TileProduct {
public:
  virtual ~TileProduct() = default;

  /// What holds a unit of k in a panel.
  virtual mlir::Type word() const = 0;
  /// Words of rhs at a unit of k: those of one vector of columns.
  using WordsOfRhs = llvm::function_ref<mlir::FailureOr<mlir::Value>(mlir::Value unit, int64_t vector)>;
  /// `sums` and the products of `depth` of k, which may end within a unit; of panels of lhs whose depth is
  /// `panelDepth`.
  virtual mlir::FailureOr<llvm::SmallVector<mlir::Value>> multiply(mlir::Value lhs, WordsOfRhs rhs, mlir::Value depth,
                                                                   int64_t panelDepth, mlir::ValueRange sums) = 0;
};

/// By one fma for each product, in the type of the sums.
std::unique_ptr<TileProduct> makeFmaTile(CPUFunction &f, const TileShape &shape, bool isDepthInner);
/// By dot products of pairs of bf16, sums in f32 in vectors of 4, 8 or 16.
std::unique_ptr<TileProduct> makeDotTile(CPUFunction &f, const TileShape &shape, bool isDepthInner);

} // namespace mp

#endif // MP_LIB_CODEGEN_CPU_CONTRACTION_TILEPRODUCT_H
