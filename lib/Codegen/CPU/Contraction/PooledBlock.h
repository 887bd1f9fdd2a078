// Blocks of a product that are pooled.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_CPU_CONTRACTION_POOLEDBLOCK_H
#define MP_LIB_CODEGEN_CPU_CONTRACTION_POOLEDBLOCK_H

#include "Codegen/CPU/CPUFunction.h"
#include "mp/Analysis/Pooled.h"

namespace mp {

/// The pixels of a block, in scratch memory, and what is made of them once all are there.
class PooledBlock {
public:
  /// Blocks of so many rows.
  PooledBlock(CPUFunction &f, const Pooled &pooled, int64_t blockRows, int64_t vector);

  /// What is pooled.
  mlir::Value image() const { return pooled.image(); }
  /// The results of the kernel that are made of it.
  llvm::ArrayRef<unsigned> results() const { return pooled.results; }
  /// Where a block that begins with row `first` of the product has the image, had it the whole of it.
  mlir::Value begin(mlir::Value first);
  /// Stores the results of a block of `rows` rows from `first`, whose image lies at `memory`.
  llvm::LogicalResult emit(mlir::Value memory, mlir::Value first, mlir::Value rows);

private:
  CPUFunction &f;
  const Pooled pooled;
  const int64_t channels, vector;
  const mlir::Type element; ///< in memory
  const mlir::Value kept;
};

} // namespace mp

#endif // MP_LIB_CODEGEN_CPU_CONTRACTION_POOLEDBLOCK_H
