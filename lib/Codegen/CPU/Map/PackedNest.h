// Matrices that a map packs as it makes them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_CPU_MAP_PACKEDNEST_H
#define MP_LIB_CODEGEN_CPU_MAP_PACKEDNEST_H

#include "Codegen/CPU/CPUFunction.h"
#include "Codegen/Emit/Nests.h"

namespace mp {

/// The packed results of a nest. A block makes whole rows of the matrices, which lie in its scratch memory or among its
/// results while it packs them: an optimizer's weights are read from memory once, however many layouts they have.
class PackedNest {
public:
  /// Blocks of the nest have a multiple of so many elements: no panel's row, or word, is of two of them.
  static int64_t granule(KernelFunction &f, const Nest &nest);

  /// `vector` lanes move at once.
  PackedNest(CPUFunction &f, const Nest &nest, int64_t vector) : f(f), nest(nest), vector(vector) {}

  /// Has `body` store what is packed, of a block of `size` elements from element `from`.
  void keepInputs(NestBody &body, int64_t size, mlir::Value from);
  /// Packs elements [from, to), which are stored.
  llvm::LogicalResult emit(mlir::Value from, mlir::Value to);

private:
  llvm::LogicalResult emitPack(unsigned result, mlir::Value firstRow, mlir::Value endRow);

  CPUFunction &f;
  const Nest &nest;
  const int64_t vector;
  llvm::DenseMap<mlir::Value, mlir::Value> pointers; ///< of what is packed, as if all of it were there
};

} // namespace mp

#endif // MP_LIB_CODEGEN_CPU_MAP_PACKEDNEST_H
