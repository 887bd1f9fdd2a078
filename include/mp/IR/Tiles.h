// How many tiles cover a tensor.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asked wherever results have one element, or one row, for each tile, and wherever a launch has a block for each: both
// are the same number only where both ask here.

#ifndef MP_IR_TILES_H
#define MP_IR_TILES_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>

namespace mp {

/// Blocks of `block` elements or rows that cover `size`; the last may be smaller.
int64_t countBlocks(int64_t size, int64_t block);

/// Parts of `depth` that cover a contraction over `k`: at least one, which sums nothing where k is 0.
int64_t countParts(int64_t k, int64_t depth);

/// Tiles of `rows` x `columns` that cover the matrices of the last two dimensions of `shape`. No tile is of two
/// matrices: [2 x 5 x 7] in tiles of 4 x 4 are 8, and [10 x 7] are 6.
int64_t countTiles(llvm::ArrayRef<int64_t> shape, int64_t rows, int64_t columns);

} // namespace mp

#endif // MP_IR_TILES_H
