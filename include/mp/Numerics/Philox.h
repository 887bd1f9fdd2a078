// Random bits as a function of where they go.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every random number of a training job is a pure function of (seed, step, stream, element): backward may draw again
// what forward drew, and the order of threads changes no bit. The evaluator, generated code and
// initializers all follow the mapping that randomBits states.
//
// Philox4x32-10: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.

#ifndef MP_NUMERICS_PHILOX_H
#define MP_NUMERICS_PHILOX_H

#include <array>
#include <cstdint>

namespace mp {

using PhiloxCounter = std::array<uint32_t, 4>;
using PhiloxKey = std::array<uint32_t, 2>;

/// Ten rounds of Philox4x32: four random words for one counter and key.
constexpr PhiloxCounter philox4x32(PhiloxCounter counter, PhiloxKey key) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t product0 = uint64_t(0xD2511F53) * counter[0];
    const uint64_t product1 = uint64_t(0xCD9E8D57) * counter[2];
    counter = {static_cast<uint32_t>(product1 >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(product1),
               static_cast<uint32_t>(product0 >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(product0)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

/// The stream that initializers draw from, with step 0; ops use streams below it.
inline constexpr uint32_t kInitializerStream = 0xFFFFFFFF;

/// 32 random bits for one element of one draw. With block = element / 4 (element is the row-major index):
///
///   key     = { low 32 bits of seed, high 32 bits of seed }
///   counter = { low 32 bits of block, stream, low 32 bits of step, high 32 bits of step }
///   bits    = philox4x32(counter, key)[element % 4]
///
/// Four neighbours share one evaluation. Bits repeat after 2^34 elements, more than a tensor of a model has.
constexpr uint32_t randomBits(uint64_t seed, uint64_t step, uint32_t stream, uint64_t element) {
  return philox4x32(
      {static_cast<uint32_t>(element / 4), stream, static_cast<uint32_t>(step), static_cast<uint32_t>(step >> 32)},
      {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32)})[element % 4];
}

/// A uniform float in [0, 1), a multiple of 2^-24: the upper 24 bits, which a float holds exactly. A dropout keeps an
/// element where this is at least its rate.
constexpr float uniformFloat(uint32_t bits) { return static_cast<float>(bits >> 8) * 0x1p-24f; }

} // namespace mp

#endif // MP_NUMERICS_PHILOX_H
