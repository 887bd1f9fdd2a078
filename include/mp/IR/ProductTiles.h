// What ops say of the tiles in which products are made.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_IR_PRODUCTTILES_H
#define MP_IR_PRODUCTTILES_H

#include "mlir/IR/OpDefinition.h"

#include <optional>

namespace mlir {
class ImplicitLocOpBuilder;
} // namespace mlir

namespace mp {

/// Rows and columns of a matrix; those at its end may be fewer.
struct ResultTile {
  int64_t rows;
  std::optional<int64_t> columns; ///< none where a tile has all, and a result is a row
};

/// Has the ops say it.
void attachProductTiles(mlir::MLIRContext *context);

} // namespace mp

#include "mp/IR/MPTiles.h.inc"

#endif // MP_IR_PRODUCTTILES_H
