// The loop nests of a map kernel.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_EMIT_NESTS_H
#define MP_LIB_CODEGEN_EMIT_NESTS_H

#include "Codegen/Emit/KernelFunction.h"

namespace mp {

/// The results of one shape: one loop nest over `elements`. `packs` are results that are packed of values of that
/// shape.
struct Nest {
  llvm::SmallVector<unsigned> results, packs;
  int64_t elements = 1;
};

/// The nests of a kernel, in the order in which the shapes first appear among the results.
llvm::SmallVector<Nest> findNests(KernelFunction &f);

/// emit(nest, block of the nest) for every nest, each in so many blocks. Gives the number of blocks.
mlir::FailureOr<int64_t> forNests(KernelFunction &f, llvm::function_ref<int64_t(const Nest &nest)> countBlocks,
                                  llvm::function_ref<mlir::LogicalResult(const Nest &nest, mlir::Value block)> emit);

/// What a nest does at some elements. `values` must have its inputs bound.
class NestBody {
public:
  NestBody(KernelFunction &f, Elements &values, const Nest &nest);

  /// Elements in which every operand walks evenly; a divisor of `nest.elements`.
  int64_t run = 0;

  /// Has `value`, of the nest's shape, stored at `pointer`, too, where nothing that the nest reads lies.
  void keep(mlir::Value value, mlir::Value pointer);

  /// Builds what the nest needs once.
  mlir::LogicalResult prepare() { return values.prepare(yields); }
  /// The results at each of these, which are all read before any is written.
  mlir::LogicalResult emit(llvm::ArrayRef<Lanes> lanes);

  mlir::Value zero() const { return values.zero; }

private:
  KernelFunction &f;
  Elements &values;
  const Nest &nest;
  void walk(mlir::Value value);

  llvm::SmallVector<mlir::Value> yields;
  llvm::SmallVector<std::pair<mlir::Value, mlir::Value>> kept;
};

} // namespace mp

#endif // MP_LIB_CODEGEN_EMIT_NESTS_H
