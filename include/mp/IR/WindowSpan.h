// What a window spans.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_IR_WINDOWSPAN_H
#define MP_IR_WINDOWSPAN_H

#include "mp/IR/Convolution.h"

#include "llvm/Support/CheckedArithmetic.h"

#include <optional>

namespace mp {

/// The pixels that `taps` span, (taps - 1) * dilation + 1; none where that is 2^63 or more.
inline std::optional<int64_t> spanOfTaps(int64_t taps, int64_t dilation) {
  return llvm::checkedMulAdd<int64_t>(taps - 1, dilation, 1);
}

/// The pixels that so many results read whose windows span `span` pixels; none where that is 2^63 or more.
inline std::optional<int64_t> spanOfResults(int64_t results, int64_t stride, int64_t span) {
  return llvm::checkedMulAdd(results - 1, stride, span);
}

/// The pixels that a window of an op spans, whose verifier has seen that they can be counted.
inline int64_t spanOf(const Window &window) { return *spanOfTaps(window.filter, window.dilation); }

/// Whether every tap of every window is a pixel of the image.
inline bool areWithinImage(const Window &window) {
  return window.low == 0 && *spanOfResults(window.output, window.stride, spanOf(window)) <= window.input;
}

} // namespace mp

#endif // MP_IR_WINDOWSPAN_H
