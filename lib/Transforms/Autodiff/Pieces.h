// Sums of tensors that are pieces of one, with zeros around them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_TRANSFORMS_AUTODIFF_PIECES_H
#define MP_LIB_TRANSFORMS_AUTODIFF_PIECES_H

#include "mp/IR/MP.h"

namespace mp {

/// Whether `op` puts zeros around and between elements, as the gradient of a slice is.
bool placesPiece(mlir::Operation *op);

/// The sum of `pads`, ops that place pieces in one tensor. Pieces side by side are put together once, and those that
/// overlap are added where they do: ops and bytes grow with the number of pieces, not with its square.
mlir::Value sumPieces(mlir::OpBuilder &builder, mlir::Location loc, llvm::ArrayRef<PadOp> pads);

} // namespace mp

#endif // MP_LIB_TRANSFORMS_AUTODIFF_PIECES_H
