// Which rows a product's result has.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_ANALYSIS_PRODUCTROWS_H
#define MP_ANALYSIS_PRODUCTROWS_H

#include "mp/IR/Contraction.h"

namespace mp {

/// Whether the rows of a product, block by block, are those of its result as one matrix: not those of parts, of
/// batches, or of classes of pixels, each of which begins anew.
bool areRowsOfOneMatrix(const Contraction &product);

/// The classes of rows that code computes one after the other; none where it computes the whole. A GPU has code of its
/// own for each: of many it computes the whole, with what is nowhere.
llvm::ArrayRef<Contraction::Class> classesInCode(const Contraction &product, bool isForGPU);

/// The product of a class of rows alone, which has no classes.
Contraction productOf(const Contraction &product, const Contraction::Class &rows);

} // namespace mp

#endif // MP_ANALYSIS_PRODUCTROWS_H
