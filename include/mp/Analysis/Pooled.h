// Products whose results are pooled where they are made.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of a convolution are the pixels of its result, image by image and line by line. A block of them that has
// whole windows can be pooled as soon as it is computed, while a cache holds it, and what was pooled is in no memory
// that others read.

#ifndef MP_ANALYSIS_POOLED_H
#define MP_ANALYSIS_POOLED_H

#include "mp/Analysis/PooledPixels.h"
#include "mp/IR/MP.h"

#include <optional>

namespace mp {

PooledPixels pixelsOfWindows(llvm::ArrayRef<Window> windows);

/// The pooling of a kernel, of a value that the kernel makes or of an input, and what is made of its results.
struct Pooled {
  PoolingOpInterface op;
  PooledPixels pixels;
  llvm::SmallVector<unsigned> results; ///< of the kernel, by number

  mlir::Value image() const { return op->getOperand(0); }
};

/// None where a kernel has no pooling, or several.
std::optional<Pooled> findPooled(KernelOp kernel);
/// The same of what the kernel itself makes, as a product's does; not of an input in front of a product.
std::optional<Pooled> findPooledWithin(KernelOp kernel);

/// Whether blocks of a product may pool `image`, its result, by some schedule.
bool mayPoolResult(const Contraction &product, mlir::Value image);
/// Whether each block of a product by this schedule has all of what it takes to pool the product's result.
bool mayPoolInBlocks(const Contraction &product, ContractionScheduleAttr schedule, const Pooled &pooled);

/// The pixels of a product's result by windows: those of one window follow each other, and those that no window has are
/// not there. None where windows overlap or are padded, or rows do not say which pixels they are.
///
///   5 x 5 pixels by windows of 2 x 2: rows (0, 0), (0, 1), (1, 0), (1, 1), (0, 2), (0, 3), (1, 2), ... (3, 3)
std::optional<Contraction::Class> findRowsByWindow(const Contraction &product, const Pooled &pooled);
/// The pixels of a window.
int64_t countPixels(const Pooled &pooled);
/// The same on a GPU, whose warps pool rows by window, some of them at once.
bool mayPoolInBlocks(const Contraction &product, MmaScheduleAttr schedule, const Pooled &pooled);

} // namespace mp

#endif // MP_ANALYSIS_POOLED_H
