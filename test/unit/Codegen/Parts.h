// The bf16 that an element is split into.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_CODEGEN_PARTS_H
#define MP_TEST_CODEGEN_PARTS_H

#include "mp/Numerics/Float.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace mp::test {

/// The `count` bf16 that add up to `value`, the largest first: infinities and NaN are the first.
inline std::vector<float> partsOf(float value, int64_t count) {
  const float largest = decodeBF16(0x7f7f);
  std::vector<float> parts;
  for (int64_t part = 0; part < count; ++part) {
    const float inRange = std::isfinite(value) ? std::clamp(value, -largest, largest) : value;
    parts.push_back(decodeBF16(encodeBF16(inRange)));
    value = std::isfinite(value) ? value - parts.back() : 0;
  }
  return parts;
}

} // namespace mp::test

#endif // MP_TEST_CODEGEN_PARTS_H
