// Values to run kernels on.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_TEST_CODEGEN_VALUES_H
#define MP_TEST_CODEGEN_VALUES_H

#include <cstdint>
#include <random>
#include <vector>

namespace mp::test {

inline std::vector<float> randomFloats(size_t count, uint32_t seed, float deviation = 3) {
  std::mt19937 engine(seed);
  std::normal_distribution<float> normal(0, deviation);
  std::vector<float> values(count);
  for (float &value : values)
    value = normal(engine);
  return values;
}

/// Numbers that need more than 24 bits.
inline std::vector<double> widened(const std::vector<float> &values) {
  std::vector<double> wide;
  for (float value : values)
    wide.push_back(value / 3.0);
  return wide;
}

template <typename Encode> std::vector<uint16_t> encoded(const std::vector<float> &values, Encode encode) {
  std::vector<uint16_t> narrow;
  for (float value : values)
    narrow.push_back(encode(value));
  return narrow;
}

} // namespace mp::test

#endif // MP_TEST_CODEGEN_VALUES_H
