// Elementary functions over the floats.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Over a stride of all 2^32 inputs, and over all of them with HALFSTEP_LONG=1, against libm in f64. docs/numerics.md
// has what the long form measures.

#include "Codegen/LaneFunction.h"

#include "Codegen/Forms/Math.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <numbers>

using namespace mp;
using namespace mp::test;

/// gelu and its derivative, in f64. Far out, where a factor would be infinite or 0, the limit.
static double gelu(double x) { return x < -40 ? -0.0 : x / 2 * std::erfc(-x / std::numbers::sqrt2); }
static double geluSlope(double x) {
  if (std::abs(x) > 38)
    return x < 0 ? -0.0 : 1;
  const double density = std::exp(-x * x / 2) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
  return std::erfc(-x / std::numbers::sqrt2) / 2 + x * density;
}
static constexpr double kScale = 2 * std::numbers::sqrt2 * std::numbers::inv_sqrtpi, kCubic = 0.044715;
static double geluTanh(double x) { return x < -40 ? -0.0 : x / (1 + std::exp(-kScale * (x + kCubic * x * x * x))); }
static double geluTanhSlope(double x) {
  x = std::isnan(x) ? x : std::min(std::max(x, -20.0), 20.0);
  const double e = std::exp(-kScale * (x + kCubic * x * x * x)), sigmoid = 1 / (1 + e);
  return sigmoid + x * kScale * (1 + 3 * kCubic * x * x) * e * sigmoid * sigmoid;
}

/// Two steps of Newton's method on erf or erfc, from the approximation of M. Giles, GPU Computing Gems (2011), that f32
/// libraries use.
static double erfinv(double x) {
  if (std::abs(x) >= 1)
    return std::abs(x) == 1 ? std::copysign(INFINITY, x) : NAN;
  double w = -std::log((1 - x) * (1 + x)), p = 0;
  if (w < 5) {
    w -= 2.5;
    for (double c : {2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503,
                     -0.00417768164, 0.246640727, 1.50140941})
      p = p * w + c;
  } else {
    w = std::sqrt(w) - 3;
    for (double c : {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613,
                     0.00943887047, 1.00167406, 2.83297682})
      p = p * w + c;
  }
  double y = p * std::abs(x);
  for (int step = 0; step < 2; ++step) {
    const double error = y < 0.5 ? std::erf(y) - std::abs(x) : (1 - std::abs(x)) - std::erfc(y);
    y -= error * std::exp(y * y) / (2 * std::numbers::inv_sqrtpi);
  }
  return std::copysign(y, x);
}

/// Of floats it is exact, or a sum of two.
static double remainderOf(double x, double y) {
  const double rest = std::fmod(x, y);
  return rest != 0 && (rest < 0) != (y < 0) ? rest + y : rest;
}

struct Function {
  const char *name;
  LaneFunction::Builder build;
  double (*reference)(double);
  double ulps;         ///< the bound
  double absolute = 0; ///< the bound in [-1.5, -0.25], where a derivative has its zero
};

/// Of what is in f64 before its one rounding, so that an error of 2^-7 of a unit there is seen.
static constexpr double kInWide = 0.508;

static const Function kFunctions[] = {
    {"exp", buildExp, std::exp, 2},
    {"log", buildLog, std::log, 2},
    {"tanh", buildTanh, std::tanh, 2},
    {"erf", buildErf, std::erf, 2},
    {"erfc", buildErfc, std::erfc, 2},
    {"sin", buildSin, std::sin, 1},
    {"cos", buildCos, std::cos, 1},
    {"tan", buildTan, std::tan, kInWide},
    {"asin", buildAsin, std::asin, kInWide},
    {"acos", buildAcos, std::acos, kInWide},
    {"atan", buildAtan, std::atan, kInWide},
    {"sinh", buildSinh, std::sinh, kInWide},
    {"cosh", buildCosh, std::cosh, kInWide},
    {"expm1", buildExpm1, std::expm1, kInWide},
    {"log1p", buildLog1p, std::log1p, kInWide},
    {"log2", buildLog2, std::log2, kInWide},
    {"log10", buildLog10, std::log10, kInWide},
    {"erfinv", buildErfinv, erfinv, kInWide},
    {"atan2OfThree", [](LaneBuilder &b, mlir::Value x) { return buildAtan2(b, floatConstant(b, x.getType(), 3), x); },
     [](double x) { return std::atan2(3.0, x); }, kInWide},
    {"atan2ByMinusThree",
     [](LaneBuilder &b, mlir::Value x) { return buildAtan2(b, x, floatConstant(b, x.getType(), -3)); },
     [](double x) { return std::atan2(x, -3.0); }, kInWide},
    {"remainderBySeven",
     [](LaneBuilder &b, mlir::Value x) { return buildRemainder(b, x, floatConstant(b, x.getType(), 7)); },
     [](double x) { return remainderOf(x, 7); }, 0.5},
    {"remainderByMinusTiny",
     [](LaneBuilder &b, mlir::Value x) { return buildRemainder(b, x, floatConstant(b, x.getType(), -0x1.8p-148)); },
     [](double x) { return remainderOf(x, static_cast<float>(-0x1.8p-148)); }, 0.5},
    {"remainderOfLarge",
     [](LaneBuilder &b, mlir::Value x) { return buildRemainder(b, floatConstant(b, x.getType(), 0x1.fedcbap127), x); },
     [](double x) { return remainderOf(0x1.fedcbap127, x); }, 0.5},
    {"powOfTwoThirds",
     [](LaneBuilder &b, mlir::Value x) { return buildPow(b, x, floatConstant(b, x.getType(), 2.0 / 3)); },
     [](double x) { return std::pow(x, static_cast<double>(2.0f / 3)); }, 1},
    {"powOfMinusThree", [](LaneBuilder &b, mlir::Value x) { return buildPow(b, x, floatConstant(b, x.getType(), -3)); },
     [](double x) { return std::pow(x, -3.0); }, 1},
    {"powOfThree", [](LaneBuilder &b, mlir::Value x) { return buildPow(b, floatConstant(b, x.getType(), 3), x); },
     [](double x) { return std::pow(3.0, x); }, 1},
    {"powOfAlmostOne",
     [](LaneBuilder &b, mlir::Value x) { return buildPow(b, floatConstant(b, x.getType(), 0x1.000002p0), x); },
     [](double x) { return std::pow(0x1.000002p0, x); }, 1},
    {"gelu", buildGelu, gelu, 8},
    {"geluTanh", buildGeluTanh, geluTanh, 4},
    {"sigmoid", buildSigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }, 4},
    {"silu", buildSilu, [](double x) { return x < -800 ? -0.0 : x / (1 + std::exp(-x)); }, 4},
    {"softplus", buildSoftplus,
     [](double x) { return std::isnan(x) ? x : std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }, 4},
    {"expm1OfNegative", buildExpm1OfNegative, [](double x) { return x > 0 ? 0.0 : std::expm1(x); }, 4},
    {"geluSlope", buildGeluSlope, geluSlope, 8, 0x1p-22},
    {"geluTanhSlope", buildGeluTanhSlope, geluTanhSlope, 8, 0x1p-22},
};

// NOLINTNEXTLINE(readability-identifier-naming): what googletest looks for
static void PrintTo(const Function &function, std::ostream *out) { *out << function.name; }

/// How far `found` is from `exact`, in places of the float there. Infinity counts as the float after the largest.
static double ulpsBetween(float found, double exact) {
  if (std::isnan(exact) || std::isnan(found))
    return std::isnan(exact) && std::isnan(found) ? 0 : INFINITY;
  const double beyond = std::copysign(0x1p128, exact);
  const double clamped = std::abs(exact) >= 0x1p128 ? beyond : exact;
  const double value = std::isinf(found) ? std::copysign(0x1p128, found) : found;
  const int exponent = std::max(clamped == 0 ? -126 : std::ilogb(clamped), -126);
  return std::abs(value - clamped) / std::ldexp(1.0, exponent - 23);
}

class Math : public testing::TestWithParam<Function> {};

TEST_P(Math, IsWithinItsBound) {
  const Function &tested = GetParam();
  constexpr size_t kChunk = 1 << 18;
  const uint64_t stride = std::getenv("HALFSTEP_LONG") ? 1 : 509;
  const LaneFunction function(tested.build, 16);
  double worst = 0, worstAbsolute = 0;
  uint32_t worstBits = 0;
  std::vector<float> inputs(kChunk);
  for (uint64_t next = 0; next < uint64_t(1) << 32;) {
    for (float &input : inputs) {
      input = std::bit_cast<float>(static_cast<uint32_t>(next));
      next += stride;
    }
    const std::vector<float> outputs = function(inputs);
    for (size_t i = 0; i < kChunk; ++i) {
      const double exact = tested.reference(inputs[i]);
      // Of a zero the sign counts, too.
      if (exact == 0 && outputs[i] == 0) {
        ASSERT_EQ(std::signbit(outputs[i]), std::signbit(exact)) << inputs[i];
      }
      if (tested.absolute > 0 && inputs[i] > -1.5 && inputs[i] < -0.25) {
        worstAbsolute = std::max(worstAbsolute, std::abs(outputs[i] - exact));
        continue;
      }
      if (const double ulps = ulpsBetween(outputs[i], exact); ulps > worst) {
        worst = ulps;
        worstBits = std::bit_cast<uint32_t>(inputs[i]);
      }
    }
  }
  std::cout << tested.name << ": at most " << worst << " ulp, at " << std::bit_cast<float>(worstBits);
  if (tested.absolute > 0)
    std::cout << ", or " << worstAbsolute * 0x1p24 << " * 2^-24 near its zero";
  std::cout << "\n";
  RecordProperty("ulp", std::to_string(worst));
  EXPECT_LE(worst, tested.ulps);
  EXPECT_LE(worstAbsolute, tested.absolute);
}

// The same bits at every width, on a machine with fma and on one that has to make it of other operations.
TEST_P(Math, BitsDependNeitherOnWidthNorOnTheProcessor) {
  const LaneFunction::Builder build = GetParam().build;
  std::vector<float> inputs(15 * 4096);
  for (size_t i = 0; i < inputs.size(); ++i)
    inputs[i] = std::bit_cast<float>(static_cast<uint32_t>(i * 69905));
  const auto bitsOf = [&](const LaneFunction &function) {
    std::vector<uint32_t> bits;
    for (float output : function(inputs))
      bits.push_back(std::isnan(output) ? 0x7fc00000 : std::bit_cast<uint32_t>(output));
    return bits;
  };
  const auto expected = bitsOf(LaneFunction(build, 8));
  for (int64_t width : {1, 4, 16})
    EXPECT_EQ(bitsOf(LaneFunction(build, width)), expected) << width;
  EXPECT_EQ(bitsOf(LaneFunction(build, 4, *findCPULevel("sse2"))), expected);
}

INSTANTIATE_TEST_SUITE_P(Functions, Math, testing::ValuesIn(kFunctions),
                         [](const auto &info) { return std::string(info.param.name); });

/// The values of `build` at `inputs`.
static std::vector<float> valuesAt(LaneFunction::Builder build, const std::vector<float> &inputs) {
  return LaneFunction(build, 1)(inputs);
}

TEST(MathValues, SpecialValuesAsInAnnexF) {
  const float inf = INFINITY, nan = NAN;
  const auto e = valuesAt(buildExp, {0.0f, -0.0f, inf, -inf, nan, 89, -104, -100});
  EXPECT_EQ(e[0], 1);
  EXPECT_EQ(e[1], 1);
  EXPECT_EQ(e[2], inf);
  EXPECT_EQ(e[3], 0);
  EXPECT_TRUE(std::isnan(e[4]));
  EXPECT_EQ(e[5], inf);
  EXPECT_EQ(e[6], 0);
  EXPECT_GT(e[7], 0);
  const auto l = valuesAt(buildLog, {0.0f, -0.0f, inf, -inf, nan, 1, -1, 1e-45f});
  EXPECT_EQ(l[0], -inf);
  EXPECT_EQ(l[1], -inf);
  EXPECT_EQ(l[2], inf);
  EXPECT_TRUE(std::isnan(l[3]) && std::isnan(l[4]) && std::isnan(l[6]));
  EXPECT_EQ(std::bit_cast<uint32_t>(l[5]), 0u);
  EXPECT_FLOAT_EQ(l[7], -103.27893f);
}

// At the ends of where a function is one, and exactly at powers of two.
TEST(MathValues, EndsOfDomains) {
  const float inf = INFINITY, pi = std::numbers::pi_v<float>;
  EXPECT_EQ(valuesAt(buildAsin, {1, -1}), (std::vector<float>{pi / 2, -pi / 2}));
  EXPECT_EQ(valuesAt(buildAcos, {1, -1}), (std::vector<float>{0, pi}));
  EXPECT_EQ(valuesAt(buildErfinv, {1, -1}), (std::vector<float>{inf, -inf}));
  EXPECT_EQ(valuesAt(buildLog1p, {-1}), std::vector<float>{-inf});
  EXPECT_EQ(valuesAt(buildLog2, {1, 2, 0.125f, 0x1p127f, 0x1p-140f}), (std::vector<float>{0, 1, -3, 127, -140}));
  EXPECT_EQ(valuesAt(buildLog10, {1, 10, 1000, 1e10f}), (std::vector<float>{0, 1, 3, 10}));
  for (LaneFunction::Builder build : {buildAsin, buildAcos, buildErfinv})
    EXPECT_TRUE(std::isnan(valuesAt(build, {1.0000001f})[0]) && std::isnan(valuesAt(build, {-1.0000001f})[0]));
}

TEST(MathValues, LimitsAndZeros) {
  const float inf = INFINITY, nan = NAN, smallest = 1e-45f;
  constexpr float kHalfPi = std::numbers::pi_v<float> / 2;
  const std::vector<float> inputs = {0.0f, -0.0f, inf, -inf, nan, smallest, -smallest};
  struct Row {
    const char *name;
    LaneFunction::Builder build;
    std::vector<float> expected;
  };
  const Row rows[] = {
      {"tanh", buildTanh, {0.0f, -0.0f, 1, -1, nan, smallest, -smallest}},
      {"erf", buildErf, {0.0f, -0.0f, 1, -1, nan, smallest, -smallest}},
      {"erfc", buildErfc, {1, 1, 0, 2, nan, 1, 1}},
      {"sin", buildSin, {0.0f, -0.0f, nan, nan, nan, smallest, -smallest}},
      {"cos", buildCos, {1, 1, nan, nan, nan, 1, 1}},
      {"tan", buildTan, {0.0f, -0.0f, nan, nan, nan, smallest, -smallest}},
      {"asin", buildAsin, {0.0f, -0.0f, nan, nan, nan, smallest, -smallest}},
      {"acos", buildAcos, {kHalfPi, kHalfPi, nan, nan, nan, kHalfPi, kHalfPi}},
      {"atan", buildAtan, {0.0f, -0.0f, kHalfPi, -kHalfPi, nan, smallest, -smallest}},
      {"sinh", buildSinh, {0.0f, -0.0f, inf, -inf, nan, smallest, -smallest}},
      {"cosh", buildCosh, {1, 1, inf, inf, nan, 1, 1}},
      {"expm1", buildExpm1, {0.0f, -0.0f, inf, -1, nan, smallest, -smallest}},
      {"log1p", buildLog1p, {0.0f, -0.0f, inf, nan, nan, smallest, -smallest}},
      {"log2", buildLog2, {-inf, -inf, inf, nan, nan, -149, nan}},
      {"log10", buildLog10, {-inf, -inf, inf, nan, nan, -44.85347f, nan}},
      {"erfinv", buildErfinv, {0.0f, -0.0f, nan, nan, nan, smallest, -smallest}},
      {"gelu", buildGelu, {0.0f, -0.0f, inf, -0.0f, nan, smallest, -0.0f}}, // a tie
      {"geluTanh", buildGeluTanh, {0.0f, -0.0f, inf, -0.0f, nan, 0.0f, -0.0f}},
      {"geluSlope", buildGeluSlope, {0.5, 0.5, 1, -0.0f, nan, 0.5, 0.5}},
      {"geluTanhSlope", buildGeluTanhSlope, {0.5, 0.5, 1, -0.0f, nan, 0.5, 0.5}},
  };
  for (const Row &row : rows) {
    const std::vector<float> found = valuesAt(row.build, inputs);
    for (size_t i = 0; i < inputs.size(); ++i)
      if (std::isnan(row.expected[i]))
        EXPECT_TRUE(std::isnan(found[i])) << row.name << " of " << inputs[i];
      else
        EXPECT_EQ(std::bit_cast<uint32_t>(found[i]), std::bit_cast<uint32_t>(row.expected[i]))
            << row.name << " of " << inputs[i] << " is " << found[i];
  }
}
