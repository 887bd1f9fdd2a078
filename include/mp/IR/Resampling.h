// The tables of resized images.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Coordinates and weights are computed once, in f64, by whoever compiles or evaluates: generated code and the evaluator
// read the same numbers.

#ifndef MP_IR_RESAMPLING_H
#define MP_IR_RESAMPLING_H

#include "mp/IR/MP.h"

#include <vector>

namespace mp {

/// Along one dimension: the terms of pixel `o` are `j` from `starts[o]` to below `starts[o + 1]`, each pixel
/// `indices[j]` of what is read times `weights[j]`.
// 2 pixels to 4, linear: starts 0 2 4 6 8, indices 0 1 0 1 0 1 1 1, weights 1 0 .75 .25 .25 .75 1 0.
struct Taps {
  std::vector<int32_t> starts, indices;
  std::vector<double> weights;

  int64_t size() const { return static_cast<int64_t>(starts.size()) - 1; }
  /// Whether all pixels have as many terms.
  bool areAsMany() const;
  /// Whether each pixel has the one of its own number for its only term, with the weight 1.
  bool areOwn() const;
};

/// Of each spatial dimension, the pixels of the result as terms of pixels of the operand. A pixel of a resized image
/// has as many terms as each other. One of a gradient's image has those that read it, in ascending order; where some
/// have few less than others their last is there again, with the weight 0.
llvm::SmallVector<Taps, 3> tapsOf(ResizeOp op);
llvm::SmallVector<Taps, 3> tapsOf(ResizeGradOp op);

} // namespace mp

#endif // MP_IR_RESAMPLING_H
