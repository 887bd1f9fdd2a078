// How many pixels are pooled together.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_ANALYSIS_POOLEDPIXELS_H
#define MP_ANALYSIS_POOLEDPIXELS_H

#include <cstdint>

namespace mp {

/// Pixels of an image, from a multiple of their number, that have whole windows and share none with others, and the
/// pixels of what pooling gives of them: whole lines of windows, or an image.
///
///   4 x 6 pixels by windows of 2 x 2, without padding    12 of them give 3
///   5 x 6                                                30 give 6: the last line belongs to the image alone
struct PooledPixels {
  int64_t image, result;

  /// Whether each block of a product, whose rows are pixels and whose columns are channels, has whole windows and all
  /// channels.
  bool areWholeIn(int64_t blockRows, int64_t blockColumns, int64_t rows, int64_t columns) const;
};

} // namespace mp

#endif // MP_ANALYSIS_POOLEDPIXELS_H
