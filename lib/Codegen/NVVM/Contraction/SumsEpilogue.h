//===- SumsEpilogue.h - from a warp's sums to results ---------------------------------------------*- C++ -*-===//

#ifndef MP_CODEGEN_NVVM_CONTRACTION_SUMSEPILOGUE_H
#define MP_CODEGEN_NVVM_CONTRACTION_SUMSEPILOGUE_H

#include "Codegen/NVVM/Contraction/WarpProduct.h"

namespace mp {

/// Hands the sums of a warp to a ProductEpilogue, neighbours of a row at once: as many as fill an access of 16 bytes of
/// the narrowest result, where rows are aligned to that.
class SumsEpilogue {
public:
  SumsEpilogue(GPUFunction &f, Elements &values, const Product &product, const MatrixTiles &tiles);

  llvm::LogicalResult prepare() { return epilogue.prepare(); }
  /// `slab` is the warp's shared memory; `row` and `column` those of its tile in product `outer`, of all parts and
  /// batches.
  llvm::LogicalResult emit(WarpProduct &warp, mlir::ValueRange sums, mlir::Value slab, mlir::Value outer,
                           mlir::Value row, mlir::Value column);

private:
  int64_t chooseWidth() const;
  /// Finishes the rows of a slab.
  llvm::LogicalResult emitSlab(mlir::Value slab, mlir::Value outer, mlir::Value row, mlir::Value column);

  GPUFunction &f;
  const Product &product;
  const MatrixTiles &tiles;
  ProductEpilogue epilogue;
};

} // namespace mp

#endif // MP_CODEGEN_NVVM_CONTRACTION_SUMSEPILOGUE_H
