// What a window spans, and how much padding it needs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_IR_PADDING_H
#define MP_LIB_IR_PADDING_H

#include "llvm/Support/CheckedArithmetic.h"

#include <algorithm>
#include <utility>

namespace mp {

/// The pixels that `taps` span, (taps - 1) * dilation + 1; none where that is 2^63 or more.
inline std::optional<int64_t> spanOfTaps(int64_t taps, int64_t dilation) {
  return llvm::checkedMulAdd<int64_t>(taps - 1, dilation, 1);
}

/// Low and high padding with which a result has ceil(image / stride) pixels, the odd one high; none where that is 2^63
/// or more. 32 pixels, span 3, stride 2: (0, 1).
inline std::optional<std::pair<int64_t, int64_t>> padToSame(int64_t image, int64_t span, int64_t stride) {
  const int64_t result = image / stride + (image % stride != 0);
  const std::optional<int64_t> end = llvm::checkedMulAdd(result - 1, stride, span); // one beyond the last pixel read
  if (!end)
    return std::nullopt;
  const int64_t total = std::max<int64_t>(0, *end - image);
  return std::pair(total / 2, total - total / 2);
}

} // namespace mp

#endif // MP_LIB_IR_PADDING_H
