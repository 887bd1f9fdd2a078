// Products of matrices in a block's own memory.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_CPU_ATTENTION_SCRATCHPRODUCT_H
#define MP_LIB_CODEGEN_CPU_ATTENTION_SCRATCHPRODUCT_H

#include "Codegen/CPU/CPUFunction.h"

namespace mp {

/// A matrix of f32 in scratch memory, whose columns are side by side and whose rows are `stride` apart. What is behind
/// its last row or column, up to whole tiles, is memory that may have any content.
struct ScratchMatrix {
  mlir::Value pointer;
  int64_t stride;

  mlir::Value indexOf(CPUFunction &f, mlir::Value row, mlir::Value column) const {
    return f.add(f.mul(row, stride), column);
  }
};

/// A left factor: a scratch matrix, or its transpose.
struct ScratchFactor {
  mlir::Value pointer;
  int64_t rowStride, depthStride;

  static ScratchFactor of(const ScratchMatrix &matrix) { return {matrix.pointer, matrix.stride, 1}; }
  static ScratchFactor transposeOf(const ScratchMatrix &matrix) { return {matrix.pointer, 1, matrix.stride}; }
};

/// Multiplies in register tiles of `tile` rows and `tileVectors` vectors of `vector` columns, one fma for each product
/// in the order of k.
class ScratchProduct {
public:
  ScratchProduct(CPUFunction &f, AttentionScheduleAttr schedule)
      : f(f), b(f.b), tile(schedule.getTile()), tileVectors(schedule.getTileVectors()), vector(schedule.getVector()) {}

  /// How many of what there are; rows are taken in whole tiles and columns in whole vectors.
  struct Size {
    mlir::Value rows, columns, depth;
  };
  /// The products, or with `adds` what `sums` has and the products.
  mlir::LogicalResult emit(const ScratchFactor &lhs, const ScratchMatrix &rhs, const ScratchMatrix &sums,
                           const Size &size, bool adds);

private:
  mlir::LogicalResult emitTile(const ScratchFactor &lhs, const ScratchMatrix &rhs, const ScratchMatrix &sums,
                               mlir::Value row, mlir::Value column, int64_t vectors, mlir::Value depth, bool adds);

  CPUFunction &f;
  LaneBuilder &b;
  const int64_t tile, tileVectors, vector;
};

} // namespace mp

#endif // MP_LIB_CODEGEN_CPU_ATTENTION_SCRATCHPRODUCT_H
