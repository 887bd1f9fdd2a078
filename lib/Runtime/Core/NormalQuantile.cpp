// The inverse of the normal distribution.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "mp/Runtime/Core/Initialize.h"

#include <cmath>

using namespace mp;

/// c[0] + c[1] x + ... + c[7] x^7.
static double polynomial(const double (&c)[8], double x) {
  double sum = c[7];
  for (int i = 6; i >= 0; --i)
    sum = sum * x + c[i];
  return sum;
}

/// Natural logarithm of a normal number by its series in (m - 1) / (m + 1), to about 1e-16: the
/// library's log differs between machines in the last bit.
static double portableLog(double x) {
  int exponent;
  double mantissa = std::frexp(x, &exponent); // [0.5, 1)
  if (mantissa < 0.70710678118654752440) {
    mantissa *= 2;
    --exponent;
  }
  double s = (mantissa - 1) / (mantissa + 1);
  double square = s * s; // at most 0.0295, so that 12 terms suffice
  double sum = 0;
  for (int k = 23; k >= 1; k -= 2)
    sum = sum * square + 1.0 / k;
  return 2 * s * sum + exponent * 0.69314718055994530942;
}

// M. J. Wichura, "Algorithm AS 241: The Percentage Points of the Normal Distribution", Applied
// Statistics 37 (1988): numerators and denominators of three ranges.
static constexpr double kCentralTop[8] = {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
                                          1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
                                          3.3430575583588128105e4, 2.5090809287301226727e3};
static constexpr double kCentralBottom[8] = {1.0,
                                             4.2313330701600911252e1,
                                             6.8718700749205790830e2,
                                             5.3941960214247511077e3,
                                             2.1213794301586595867e4,
                                             3.9307895800092710610e4,
                                             2.8729085735721942674e4,
                                             5.2264952788528545610e3};
static constexpr double kNearTop[8] = {1.42343711074968357734e0,  4.63033784615654529590e0, 5.76949722146069140550e0,
                                       3.64784832476320460504e0,  1.27045825245236838258e0, 2.41780725177450611770e-1,
                                       2.27238449892691845833e-2, 7.74545014278341407640e-4};
static constexpr double kNearBottom[8] = {1.0,
                                          2.05319162663775882187e0,
                                          1.67638483018380384940e0,
                                          6.89767334985100004550e-1,
                                          1.48103976427480074590e-1,
                                          1.51986665636164571966e-2,
                                          5.47593808499534494600e-4,
                                          1.05075007164441684324e-9};
static constexpr double kFarTop[8] = {6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
                                      2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                      2.71155556874348757815e-5, 2.01033439929228813265e-7};
static constexpr double kFarBottom[8] = {1.0,
                                         5.99832206555887937690e-1,
                                         1.36929880922735805310e-1,
                                         1.48753612908506148525e-2,
                                         7.86869131145613259100e-4,
                                         1.84631831751005468180e-5,
                                         1.42151175831644588870e-7,
                                         2.04426310338993978564e-15};

double mp::normalQuantile(double probability) {
  double q = probability - 0.5;
  if (std::fabs(q) <= 0.425) {
    double r = 0.180625 - q * q;
    return q * polynomial(kCentralTop, r) / polynomial(kCentralBottom, r);
  }
  double tail = q < 0 ? probability : 1 - probability;
  double r = std::sqrt(-portableLog(tail));
  double x = r <= 5 ? polynomial(kNearTop, r - 1.6) / polynomial(kNearBottom, r - 1.6)
                    : polynomial(kFarTop, r - 5) / polynomial(kFarBottom, r - 5);
  return q < 0 ? -x : x;
}
