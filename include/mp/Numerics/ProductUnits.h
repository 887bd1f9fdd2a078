// How units of processors add up products.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Instructions that multiply 16-bit floats and add up in f32 have an order and a rounding of their own. These are their
// bits, as they were measured; payloads of NaN are those of std::fma.

#ifndef MP_NUMERICS_PRODUCTUNITS_H
#define MP_NUMERICS_PRODUCTUNITS_H

#include "mp/Numerics/Float.h"

#include <array>
#include <cstdint>

namespace mp {

/// Those that schedules name so.
enum class ProductUnit : uint8_t {
  Dot, ///< vdpbf16ps: pairs of bf16
  AMX  ///< tdpbf16ps, tdpfp16ps: 32 of bf16 or f16
};

/// Whether the unit multiplies numbers of `format`.
bool hasProductsOf(ProductUnit unit, FloatFormat format);

/// A sum of products from 0, in the order of k, in the unit's own way:
///
///   Dot     for each pair of k   sum = fma(odd), then sum = fma(even)
///   AMX     for each 32 of k     even and odd are chains of fma from 0; sum = sum + (even + odd)
///
/// What is behind the last k is 0. Factors and sums that are subnormal as f32 count as zeros of their sign. A sum is so
/// if it were below 2^-126 when rounded to 24 bits with any exponent.
class UnitSum {
public:
  explicit UnitSum(ProductUnit unit) : unit(unit) {}

  /// Factors are values of a format that the unit multiplies.
  void addProduct(float a, float b);
  float get() const;

private:
  static constexpr int kMostFactors = 32;

  void addGranule();

  ProductUnit unit;
  float sum = 0;
  int count = 0; ///< of products that wait for the rest of their granule
  std::array<std::array<float, 2>, kMostFactors> factors = {};
};

} // namespace mp

#endif // MP_NUMERICS_PRODUCTUNITS_H
