// Where a product's operand has its elements, in code.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_CODEGEN_EMIT_MAPPEDOPERAND_H
#define MP_LIB_CODEGEN_EMIT_MAPPEDOPERAND_H

#include "Codegen/Emit/KernelFunction.h"
#include "mp/IR/IndexMap.h"

namespace mp {

/// An operand, seen as rows of its last dimension, and the map that finds elements there.
class MappedOperand {
public:
  MappedOperand(KernelFunction &f, mlir::Value tensor, const IndexMap &map);

  /// `column` of `row`, counted over the whole tensor. `isThere` says whether the map has an element; it is null where
  /// that is certain. Where there is none, row and column are those of the first element.
  struct Element {
    mlir::Value row, column, isThere;
  };
  Element find(mlir::Value batch, mlir::Value row, mlir::Value k);

  const mlir::Value tensor;
  const IndexMap map;
  const int64_t columns; ///< of a row in memory

private:
  Element findInMatrix(mlir::Value batch, mlir::Value row, mlir::Value k);

  KernelFunction &f;
};

} // namespace mp

#endif // MP_LIB_CODEGEN_EMIT_MAPPEDOPERAND_H
