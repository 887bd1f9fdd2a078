// What steps of k add to where elements lie, looked up.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_NVVM_CONTRACTION_STEPTABLE_H
#define MP_LIB_CODEGEN_NVVM_CONTRACTION_STEPTABLE_H

#include "Codegen/NVVM/GPUFunction.h"

namespace mp {

/// A distance and bits for each stretch of k, the same for all elements whose k lies in it: one load instead of the
/// divisions that would find them. They are constants in global memory, of which there may be any number: the few lines
/// that blocks read stay in the first cache, which copies of whole accesses to shared memory go around.
class StepTable {
public:
  struct Entry {
    int64_t distance; ///< in bytes
    uint32_t bits;
  };
  /// `stretches` of a table in each step. `isOneAccess` saves an instruction. An entry is then read with a word that is
  /// nobody's, whose register ptxas gives to others: they wait for memory in the turn that loads for the next.
  StepTable(GPUFunction &f, llvm::ArrayRef<Entry> entries, int64_t stretches, bool isOneAccess);

  /// Step 0 begins with that stretch, an i64.
  void startAt(mlir::Value stretch);
  struct Found {
    mlir::Value distance; ///< i64
    mlir::Value bits;     ///< i32
  };
  /// The entry `further` stretches behind the first of a step, an i32.
  Found find(mlir::Value step, int64_t further);

private:
  GPUFunction &f;
  int64_t stretches;
  bool isOneAccess;
  mlir::Value table, start;
};

} // namespace mp

#endif // MP_LIB_CODEGEN_NVVM_CONTRACTION_STEPTABLE_H
