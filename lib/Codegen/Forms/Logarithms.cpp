// Logarithms to the bases 2 and 10 and of 1 + x, and the inverse of the error function, in f32.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/Forms/Arithmetic.h"
#include "Codegen/Forms/Math.h"
#include "Codegen/Forms/WideMath.h"

#include <limits>
#include <numbers>

using namespace mlir;
using namespace mp;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// `value`, but NaN where x is less than `bound`.
static Value noneBelow(const Arithmetic &f, Value x, double bound, Value value) {
  return f.select(f.isLess(x, bound), f.constant(std::numeric_limits<double>::quiet_NaN()), value);
}

Value mp::buildLog2(LaneBuilder &b, Value x) {
  return noneBelow(Arithmetic(b, x), x, 0, narrow(b, buildWideLog2(b, widen(b, x))));
}

Value mp::buildLog10(LaneBuilder &b, Value x) {
  Value log = buildWideLog2(b, widen(b, x));
  Value scaled = arith::MulFOp::create(b, log, floatConstant(b, log.getType(), std::numbers::ln2 / std::numbers::ln10));
  return noneBelow(Arithmetic(b, x), x, 0, narrow(b, scaled));
}

// log(1 + x) with what the sum rounds off, divided by it, added (Goldberg, ACM Computing Surveys 23 (1991), theorem 4).
Value mp::buildLog1p(LaneBuilder &b, Value x) {
  const Arithmetic f(b, x);
  Value wide = widen(b, x);
  const Arithmetic d(b, wide);
  Value sum = d.add(wide, d.constant(1)), lost = d.sub(wide, d.sub(sum, d.constant(1)));
  Value log = d.mul(buildWideLog2(b, sum), d.constant(std::numbers::ln2));
  Value value = f.withSign(f.magnitude(narrow(b, d.add(log, d.div(lost, sum)))), x);
  auto isEqual = [&](double bound) -> Value {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, x, f.constant(bound));
  };
  value = f.select(isEqual(-1), f.constant(-kInfinity), f.select(isEqual(kInfinity), x, value));
  return noneBelow(f, x, -1, value);
}

// The quantile of the normal distribution at (1 + x) / 2, divided by sqrt(2): M. J. Wichura, algorithm AS 241, PPND16,
// Applied Statistics 37 (1988), off by 2^-52. Its third branch is for what is nearer to 1 than f32 has numbers.
Value mp::buildErfinv(LaneBuilder &b, Value x) {
  const Arithmetic f(b, x);
  Value magnitude = f.magnitude(x), wide = widen(b, magnitude);
  const Arithmetic d(b, wide);
  Value q = d.mul(d.constant(0.5), wide), r = d.sub(d.constant(0.180625), d.mul(q, q));
  Value numerator = d.polynomialInSteps(r, {2509.0809287301226727, 33430.575583588128105, 67265.770927008700853,
                                            45921.953931549871457, 13731.693765509461125, 1971.5909503065514427,
                                            133.14166789178437745, 3.387132872796366608});
  Value denominator =
      d.polynomialInSteps(r, {5226.495278852545925, 28729.085735721942674, 39307.89580009271061, 21213.794301586595867,
                              5394.1960214247511077, 687.1870074920579083, 42.313330701600911252, 1});

  // With r = sqrt(-log p) less 1.6, p the probability of a larger number.
  Value p = d.sub(d.constant(0.5), q);
  Value root = math::SqrtOp::create(b, d.mul(buildWideLog2(b, p), d.constant(-std::numbers::ln2)));
  Value s = d.sub(root, d.constant(1.6));
  Value farNumerator = d.polynomialInSteps(s, {7.7454501427834140764e-4, .0227238449892691845833, .24178072517745061177,
                                               1.27045825245236838258, 3.64784832476320460504, 5.7694972214606914055,
                                               4.6303378461565452959, 1.42343711074968357734});
  Value farDenominator = d.polynomialInSteps(s, {1.05075007164441684324e-9, 5.475938084995344946e-4,
                                                 .0151986665636164571966, .14810397642748007459, .68976733498510000455,
                                                 1.6763848301838038494, 2.05319162663775882187, 1});

  Value isCentral = f.isLess(magnitude, 0.85);
  Value quotient =
      d.div(d.select(isCentral, d.mul(q, numerator), farNumerator), d.select(isCentral, denominator, farDenominator));
  Value value = narrow(b, d.mul(quotient, d.constant(1 / std::numbers::sqrt2)));
  auto compare = [&](arith::CmpFPredicate predicate) -> Value {
    return arith::CmpFOp::create(b, predicate, magnitude, f.constant(1));
  };
  value = f.select(compare(arith::CmpFPredicate::OEQ), f.constant(kInfinity), value);
  value = f.select(compare(arith::CmpFPredicate::OGT), f.constant(std::numeric_limits<double>::quiet_NaN()), value);
  return f.withSign(value, x);
}
