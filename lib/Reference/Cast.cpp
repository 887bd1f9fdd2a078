// The rule of mp.cast.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reference/Rules.h"

#include <bit>
#include <cmath>
#include <limits>

using namespace mp;

/// The double nearest to `value` whose rounding to a format of at most 51 bits is that of `value`
/// itself: rounded to odd. i64 has 63 bits, so rounding to nearest here and again in the narrower
/// type could round twice.
static double toOddDouble(int64_t value) {
  const double nearest = static_cast<double>(value);
  const auto error = static_cast<__int128>(value) - static_cast<__int128>(nearest);
  const uint64_t bits = std::bit_cast<uint64_t>(nearest);
  if (error == 0 || (bits & 1))
    return nearest;
  return std::bit_cast<double>((error > 0) == (nearest > 0) ? bits + 1 : bits - 1);
}

/// Toward zero, saturating at the type's ends, NaN to 0.
static int64_t toInteger(double value, ElementType element) {
  if (std::isnan(value))
    return 0;
  if (element == ElementType::UI8)
    return static_cast<int64_t>(std::fmin(std::fmax(value, 0.0), 255.0));
  if (element == ElementType::I32)
    return static_cast<int64_t>(std::fmin(std::fmax(value, -0x1p31), 0x1p31 - 1));
  if (value >= 0x1p63) // the largest i64 is no double
    return std::numeric_limits<int64_t>::max();
  return static_cast<int64_t>(std::fmax(value, -0x1p63));
}

Tensor rules::evaluate(CastOp op, const Frame &frame) {
  const Tensor &input = frame[op.getInput()];
  TensorTypeT type = runtimeTypeOf(op.getResult());
  const ElementType from = input.type.element, to = type.element;

  if (isFloat(from) && isFloat(to))
    return Tensor::ofReals(std::move(type), input.reals());
  if (!isFloat(from) && !isFloat(to))
    return Tensor::ofIntegers(std::move(type), input.integers());
  if (isFloat(to)) {
    std::vector<double> values;
    for (int64_t value : input.integers())
      values.push_back(to == ElementType::F64 ? static_cast<double>(value) : toOddDouble(value));
    return Tensor::ofReals(std::move(type), values);
  }
  std::vector<int64_t> values;
  for (double value : input.reals())
    values.push_back(to == ElementType::I1 ? value != 0 : toInteger(value, to));
  return Tensor::ofIntegers(std::move(type), values);
}
