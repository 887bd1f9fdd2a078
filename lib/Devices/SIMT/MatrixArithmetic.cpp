// Sums inside matrix instructions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/SIMT/MatrixArithmetic.h"
#include "mp/Hardware/ChipTable.h"
#include "mp/Numerics/Float.h"

#include <algorithm>
#include <bit>
#include <cmath>

using namespace mp;

static constexpr int kRows = 16, kColumns = 8;

MatrixRules mp::rulesOf(std::string_view chip, MatrixArithmetic arithmetic) {
  struct Row {
    unsigned major; ///< of the first chips that it is for
    int products, productsTF32, extraBits;
  };
  static constexpr Row kTable[] = {{9, 16, 8, 2}, {8, 8, 4, 1}, {0, 4, 4, 0}};
  const Chip *known = findChip(chip);
  const unsigned major = known ? known->major : 0;
  const Row &row = *std::ranges::find_if(kTable, [&](const Row &row) { return major >= row.major; });
  return {arithmetic, row.products, row.productsTF32, row.extraBits};
}

// To nearest even

/// A product has at most 22 bits and the sum at most 24, so that rounding to f64 and then to f32 is one rounding.
static void multiplyToNearest(SimulatorElement result, int k, const double *a, const double *b, double *d) {
  for (int row = 0; row < kRows; ++row)
    for (int step = 0; step < k; ++step) {
      const double factor = a[row * k + step];
      const double *products = b + step * kColumns;
      double *sums = d + row * kColumns;
      if (result == SimulatorElement::F16)
        for (int column = 0; column < kColumns; ++column)
          sums[column] = roundTo(sums[column] + factor * products[column], kF16);
      else
        for (int column = 0; column < kColumns; ++column)
          sums[column] = static_cast<float>(sums[column] + factor * products[column]);
    }
}

// As hardware was found to

static int exponentOf(double value) { return static_cast<int>(std::bit_cast<uint64_t>(value) >> 52 & 0x7ff) - 1023; }

static double powerOfTwo(int exponent) { return std::bit_cast<double>(static_cast<uint64_t>(exponent + 1023) << 52); }

static double truncateToF32(double value) {
  const auto nearest = static_cast<float>(value);
  return std::fabs(nearest) > std::fabs(value) ? std::nextafter(nearest, 0.0f) : nearest;
}

/// The sum of `count` terms, not all 0. The quotients have at most 27 bits and so their sum is exact.
static double addAligned(const double *terms, int count, int extraBits) {
  double largest = 0;
  bool isFinite = true;
  for (int index = 0; index < count; ++index) {
    largest = std::max(largest, std::fabs(terms[index]));
    isFinite &= std::isfinite(terms[index]);
  }
  double sum = 0;
  if (!isFinite) {
    for (int index = 0; index < count; ++index)
      sum += terms[index];
    return sum;
  }
  if (largest == 0)
    return terms[0] + 0.0;
  const int last = exponentOf(largest) - 23 - extraBits;
  const double scale = powerOfTwo(-last), unit = powerOfTwo(last);
  for (int index = 0; index < count; ++index)
    sum += std::trunc(terms[index] * scale);
  return truncateToF32(sum * unit);
}

static void multiplyAligned(const MatrixRules &rules, int products, int k, const double *a, const double *b,
                            double *d) {
  double terms[32];
  for (int row = 0; row < kRows; ++row)
    for (int column = 0; column < kColumns; ++column) {
      double &sum = d[row * kColumns + column];
      for (int first = 0; first < k; first += products) {
        const int count = std::min(products, k - first);
        terms[0] = sum;
        for (int step = 0; step < count; ++step)
          terms[step + 1] = a[row * k + first + step] * b[(first + step) * kColumns + column];
        sum = addAligned(terms, count + 1, rules.extraBits);
      }
    }
}

void mp::multiplyTile(const MatrixRules &rules, SimulatorElement operands, SimulatorElement result, int k,
                      const double *a, const double *b, const double *c, double *d) {
  std::copy_n(c, kRows * kColumns, d);
  if (rules.arithmetic == MatrixArithmetic::NearestEven)
    return multiplyToNearest(result, k, a, b, d);
  multiplyAligned(rules, operands == SimulatorElement::TF32 ? rules.productsTF32 : rules.products, k, a, b, d);
  // The instruction's result alone is an f16, to nearest.
  if (result == SimulatorElement::F16)
    for (int index = 0; index < kRows * kColumns; ++index)
      d[index] = roundTo(d[index], kF16);
}
