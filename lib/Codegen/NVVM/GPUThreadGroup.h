// Lanes of a warp, or a block, as a thread group.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_NVVM_GPUTHREADGROUP_H
#define MP_LIB_CODEGEN_NVVM_GPUTHREADGROUP_H

#include "Codegen/Emit/ThreadGroup.h"
#include "Codegen/NVVM/GPUFunction.h"

namespace mp {

/// `members` neighbouring threads: a power of two up to a warp, or the whole block. Thread t takes `vector` columns
/// from t * vector, from (t + members) * vector, ...; then its lanes are combined, then the lanes of its warp by
/// shuffles, then the warps in order, through shared memory.
class GPUThreadGroup : public ThreadGroup {
public:
  GPUThreadGroup(GPUFunction &f, int64_t members, int64_t vector);

  mlir::Value number; ///< of this thread group among the block's

  mlir::FailureOr<llvm::SmallVector<mlir::Value>> reduce(mlir::Value from, mlir::Value to, int64_t granule, bool isEven,
                                                         llvm::ArrayRef<Combination> combinations,
                                                         LanesAt get) override;
  llvm::SmallVector<mlir::Value> combine(llvm::ArrayRef<mlir::Value> own, Merge merge) override;
  mlir::LogicalResult forColumns(int64_t columns, bool isEven,
                                 llvm::function_ref<mlir::LogicalResult(mlir::Value, int64_t)> body) override;
  mlir::LogicalResult once(llvm::function_ref<mlir::LogicalResult()> body) override;

  /// body(number, isValid) for the numbers [from, from + count) below `total`, each by one of the block's thread
  /// groups; see ThreadBlock::forEach.
  mlir::LogicalResult forEach(mlir::Value from, int64_t count, int64_t total,
                              llvm::function_ref<mlir::LogicalResult(mlir::Value number, mlir::Value isValid)> body);

private:
  bool isBlock() const { return members == f.threads; }
  llvm::SmallVector<mlir::Value> combineWarps(llvm::ArrayRef<mlir::Value> own, Merge merge);

  GPUFunction &f;
  LaneBuilder &b;
  const int64_t vector;
};

class GPUThreadBlock : public ThreadBlock {
public:
  GPUThreadBlock(GPUFunction &f, int64_t vector) : f(f), vector(vector) {}

  mlir::Value allocate(mlir::Type element, int64_t elements) override { return f.allocateShared(element, elements); }
  std::unique_ptr<ThreadGroup> makeGroup(int64_t results, int64_t terms) override;
  mlir::LogicalResult forEach(ThreadGroup &group, int64_t count,
                              llvm::function_ref<mlir::LogicalResult(mlir::Value, mlir::Value)> body) override;
  mlir::Value findFirstSet(mlir::ValueRange flags) override;
  void bindInputsOf(Elements &elements, mlir::ValueRange values) override;
  mlir::LogicalResult emitNest(const Nest &nest, NestBody &body) override;
  void synchronize() override { f.barrier(); }

private:
  mlir::Value findFirstSetOfFew(mlir::ValueRange flags);
  mlir::Value leastOf(mlir::Value own);

  GPUFunction &f;
  const int64_t vector;
  llvm::DenseSet<mlir::Value> singles; ///< inputs of one element that were bound anew
};

/// Block `block` of a nest that is cut into blocks of `size` elements: neighbouring threads take neighbouring vectors.
/// `elements`, unless it is null, are how many the nest has, which must walk evenly.
mlir::LogicalResult emitNestOnGPU(GPUFunction &f, const Nest &nest, NestBody &body, int64_t vector, int64_t size,
                                  mlir::Value block, mlir::Value elements = {});

} // namespace mp

#endif // MP_LIB_CODEGEN_NVVM_GPUTHREADGROUP_H
