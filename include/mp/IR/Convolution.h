// Convolutions of images and their gradients as contractions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_IR_CONVOLUTION_H
#define MP_IR_CONVOLUTION_H

#include "mp/IR/Contraction.h"

namespace mp {

/// One spatial dimension: output pixel p reads, by tap r of the filter, input pixel p * stride + r * dilation - low.
/// What lies beyond the input is 0.
struct Window {
  int64_t input, filter, output;
  int64_t stride = 1, low = 0, dilation = 1;
};

/// Images [N, H, W, C] under filters [K, R, S, C / groups] to images [N, P, Q, K], for any number of spatial
/// dimensions. Filters of group g see channels of group g alone.
struct Convolution {
  int64_t images = 1;
  llvm::SmallVector<Window, 3> windows;
  int64_t channels = 1, filters = 1, groups = 1;

  // Each group is a batch. Types and what is computed are left to whoever asks.

  /// Images x filters -> output: m = N * P * Q, n = K, k = R * S * C.
  Contraction forward() const;
  /// Output x filters -> images: m = N * H * W, n = C, k = R * S * K, taps from the last to the first. A stride leaves
  /// gaps, which are zeros to the whole; classes of pixels have none.
  Contraction dataGradient() const;
  /// Output x images -> filters: m = K, n = R * S * C, k = N * P * Q.
  Contraction filterGradient() const;
};

} // namespace mp

#endif // MP_IR_CONVOLUTION_H
