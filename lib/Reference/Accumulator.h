// A running sum, exact or as stated.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef MP_LIB_REFERENCE_ACCUMULATOR_H
#define MP_LIB_REFERENCE_ACCUMULATOR_H

#include "mp/Numerics/ProductUnits.h"
#include "mp/Reference/Evaluator.h"

namespace mp {

/// a * b + c with one rounding to `format`. The factors are values of a format of at most 24 bits,
/// or `format` is f64.
double fusedMultiplyAdd(double a, double b, double c, FloatFormat format);

/// The type that sums of `element` are kept in.
inline ElementType accumulatorOf(ElementType element) {
  return element == ElementType::F64 ? ElementType::F64 : ElementType::F32;
}

/// A sum that is kept in f64, or with `exactAccumulator` in the stated type with one rounding for
/// each term.
class Accumulator {
public:
  Accumulator(ElementType stated, const EvaluatorOptions &options)
      : format(options.exactAccumulator ? formatOf(stated) : kF64) {}

  void addProduct(double a, double b) { sum = fusedMultiplyAdd(a, b, sum, format); }
  void add(double term) { addProduct(term, 1.0); }
  double get() const { return sum; }

private:
  FloatFormat format;
  double sum = 0;
};

/// The sum of one element of a matrix product, by options.unit where that multiplies its operands.
class ProductSum {
public:
  ProductSum(ElementType lhs, ElementType rhs, ElementType stated, const EvaluatorOptions &options);

  void addProduct(double a, double b);
  double get() const { return ofUnit ? double(ofUnit->get()) : sum.get(); }
  /// With a last term; f32 behind a unit's sum.
  double getWith(double term) const;

private:
  Accumulator sum;
  std::optional<UnitSum> ofUnit; ///< in place of `sum`
};

/// A sum of squares of f32 values, in f64; with `exactAccumulator` squares and sums in f32, rounded
/// each.
class SumOfSquares {
public:
  explicit SumOfSquares(const EvaluatorOptions &options)
      : sum(ElementType::F32, options), roundSquares(options.exactAccumulator) {}

  void add(double value) { sum.add(roundSquares ? roundTo(value * value, kF32) : value * value); }
  double get() const { return sum.get(); }

private:
  Accumulator sum;
  bool roundSquares;
};

} // namespace mp

#endif // MP_LIB_REFERENCE_ACCUMULATOR_H
