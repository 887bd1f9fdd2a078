// Finite checks of a product's tiles.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_CPU_CONTRACTION_TILECHECKS_H
#define MP_LIB_CODEGEN_CPU_CONTRACTION_TILECHECKS_H

#include "Codegen/CPU/CPUFunction.h"
#include "Codegen/Emit/Product.h"

namespace mp {

/// The ops `mp.nonfinite_tiles` behind a product, where a tile is a block: for each of them so many lanes in scratch
/// memory, which are NaN once a value was not finite.
class TileChecks {
public:
  /// Of values that come `width` lanes at once.
  TileChecks(CPUFunction &f, const ProductEpilogue &epilogue, int64_t width)
      : f(f), b(f.b), epilogue(epilogue), width(width) {}

  /// Sets memory aside. Emits an error for ops of tiles that are no checks.
  llvm::LogicalResult prepare();
  bool empty() const { return epilogue.tileOps().empty(); }

  /// Nothing was seen yet in this block.
  void start();
  /// `value`, of check `number`, is seen: lanes of it, or what was gathered of several.
  void note(size_t number, mlir::Value value);
  /// Stores the flags of the block.
  void finish(mlir::Value block);

  /// Before the first value of `vectors` vectors of each check, to be gathered apart: the vectors of the first check,
  /// of the second, ...
  llvm::SmallVector<mlir::Value> none(int64_t vectors);
  /// `soFar`, and NaN where `value` is not finite.
  mlir::Value gathered(mlir::Value soFar, mlir::Value value);

private:
  mlir::Type lanesOf(mlir::Operation *op) const;
  mlir::Value lanesAt(size_t number);

  CPUFunction &f;
  LaneBuilder &b;
  const ProductEpilogue &epilogue;
  const int64_t width;
  mlir::Value lanes;
};

} // namespace mp

#endif // MP_LIB_CODEGEN_CPU_CONTRACTION_TILECHECKS_H
