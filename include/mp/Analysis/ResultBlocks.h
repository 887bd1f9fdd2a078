// The blocks in which a product's result is made, and what its kernel makes of each.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block reduces and pools what it has in registers, or in memory of its own. What moves reductions there, what checks
// kernels and what makes code of them agree by asking here.

#ifndef MP_ANALYSIS_RESULTBLOCKS_H
#define MP_ANALYSIS_RESULTBLOCKS_H

#include "mp/IR/MP.h"

#include <optional>

namespace mp {

/// The rows and columns of its result that a block of a product has.
struct ResultBlock {
  int64_t rows, columns;
  bool isTransposed = false; ///< rows of the result are columns of what the block computes
};

/// None where the schedule is not one of a product.
std::optional<ResultBlock> findResultBlock(mlir::Attribute schedule);

/// Whether the blocks of the kernel of a product have what its reductions of tiles, and its pooling, are of. Emits an
/// error where they do not, and where an op reduces tiles and does not say which.
llvm::LogicalResult verifyResultBlocks(KernelOp kernel);

} // namespace mp

#endif // MP_ANALYSIS_RESULTBLOCKS_H
