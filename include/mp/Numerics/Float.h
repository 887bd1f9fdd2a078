// Exact conversions among float types.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One rounding, in one place. Every value of every format is a double, so a conversion to a format is encode(double)
// and one from it is decode(bits), which is exact. Rounding is to nearest, ties to even, once: f64 goes to f16 directly
// and not through f32. Subnormals are kept. Overflow gives infinity. A NaN stays a quiet NaN with its sign and the
// leading bits of its payload.
//
//   encodeF16(65519.99) == 0x7bff (65504)      encodeF16(65520) == 0x7c00 (infinity, the tie goes to even)

#ifndef MP_NUMERICS_FLOAT_H
#define MP_NUMERICS_FLOAT_H

#include <bit>
#include <cstdint>

namespace mp {

/// A binary floating-point format as IEEE 754 builds them: sign, exponent, fraction, from the top bit down.
struct FloatFormat {
  int exponentBits;
  int fractionBits;

  /// What is subtracted from the exponent field; also the largest exponent of a finite value.
  constexpr int bias() const { return (1 << (exponentBits - 1)) - 1; }

  /// The exponent of the smallest normal value.
  constexpr int minExponent() const { return 1 - bias(); }

  constexpr uint64_t signBit() const { return uint64_t(1) << (exponentBits + fractionBits); }

  /// The bits of positive infinity; what is above it, without sign, is NaN.
  constexpr uint64_t infinity() const { return ((uint64_t(1) << exponentBits) - 1) << fractionBits; }

  constexpr bool isNaN(uint64_t bits) const { return (bits & (signBit() - 1)) > infinity(); }

  bool operator==(const FloatFormat &) const = default;
};

inline constexpr FloatFormat kF16 = {5, 10};
inline constexpr FloatFormat kBF16 = {8, 7};
inline constexpr FloatFormat kTF32 = {8, 10}; ///< 19 bits; in memory the upper 19 of a float's 32.
inline constexpr FloatFormat kF32 = {8, 23};
inline constexpr FloatFormat kF64 = {11, 52};

/// The bits, in `format`, of the value of `format` nearest to `value`.
constexpr uint64_t encode(double value, FloatFormat format) {
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const uint64_t sign = bits & kF64.signBit() ? format.signBit() : 0;
  const uint64_t magnitude = bits & ~kF64.signBit();
  const int dropped = kF64.fractionBits - format.fractionBits;

  if (magnitude > kF64.infinity()) {
    const uint64_t quiet = uint64_t(1) << (format.fractionBits - 1);
    return sign | format.infinity() | quiet | (magnitude & ((uint64_t(1) << 52) - 1)) >> dropped;
  }
  if (magnitude == kF64.infinity())
    return sign | format.infinity();

  // |value| == significand * 2^(exponent - 52), with the leading bit in place for normal numbers.
  const int field = static_cast<int>(magnitude >> 52);
  const int exponent = field ? field - kF64.bias() : kF64.minExponent();
  const uint64_t significand = (magnitude & ((uint64_t(1) << 52) - 1)) | (field ? uint64_t(1) << 52 : 0);

  // In the subnormal range of the result its last place no longer follows the value's exponent.
  const int resultExponent = exponent < format.minExponent() ? format.minExponent() : exponent;
  const int shift = dropped + (resultExponent - exponent);
  uint64_t kept = 0;
  if (shift == 0) {
    kept = significand;
  } else if (shift <= 54) { // beyond, the value is below half of the last place
    kept = significand >> shift;
    const uint64_t rest = significand - (kept << shift);
    const uint64_t half = uint64_t(1) << (shift - 1);
    kept += rest > half || (rest == half && (kept & 1));
  }
  // The leading bit of `kept` adds one to the exponent field, and so does a carry out of the fraction. A carry out of
  // the largest finite value gives infinity.
  const uint64_t result = (uint64_t(resultExponent - format.minExponent()) << format.fractionBits) + kept;
  return sign | (result < format.infinity() ? result : format.infinity());
}

/// The value that `bits` have in `format`.
constexpr double decode(uint64_t bits, FloatFormat format) {
  const uint64_t sign = bits & format.signBit() ? kF64.signBit() : 0;
  const uint64_t magnitude = bits & (format.signBit() - 1);
  const int added = kF64.fractionBits - format.fractionBits;
  const uint64_t fraction = magnitude & ((uint64_t(1) << format.fractionBits) - 1);

  if (magnitude >= format.infinity()) {
    const uint64_t quiet = fraction ? uint64_t(1) << 51 : 0;
    return std::bit_cast<double>(sign | kF64.infinity() | quiet | fraction << added);
  }
  uint64_t field = magnitude >> format.fractionBits;
  if (field != 0 || format == kF64) {
    if (format != kF64)
      field += kF64.bias() - format.bias();
    return std::bit_cast<double>(sign | field << 52 | fraction << added);
  }
  // A subnormal (or zero): a small integer times a power of two that a double holds as a normal number.
  const uint64_t scale = uint64_t(format.minExponent() - format.fractionBits + kF64.bias()) << 52;
  const double value = static_cast<double>(fraction) * std::bit_cast<double>(scale);
  return std::bit_cast<double>(sign | std::bit_cast<uint64_t>(value));
}

/// The value of `format` nearest to `value`, as a double.
constexpr double roundTo(double value, FloatFormat format) { return decode(encode(value, format), format); }

constexpr uint16_t encodeF16(double value) { return static_cast<uint16_t>(encode(value, kF16)); }
constexpr uint16_t encodeBF16(double value) { return static_cast<uint16_t>(encode(value, kBF16)); }
constexpr float toF32(double value) { return std::bit_cast<float>(static_cast<uint32_t>(encode(value, kF32))); }

constexpr float decodeF16(uint16_t bits) { return static_cast<float>(decode(bits, kF16)); }
constexpr float decodeBF16(uint16_t bits) { return std::bit_cast<float>(uint32_t(bits) << 16); }

} // namespace mp

#endif // MP_NUMERICS_FLOAT_H
