// All f16 and bf16 values of each unary op.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compared with the host's libm in long double, rounded by search (Narrow.h).

#include "Reference/Narrow.h"
#include "Reference/Program.h"

#include "mp/IR/MP.h"
#include "mp/Numerics/ErrorBounds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <numbers>
#include <set>

using namespace mp;

namespace {

using UnaryFunction = long double (*)(long double);

/// An op with the clause that stands behind its operand.
using Form = std::pair<std::string, std::string>;

long double gelu(long double x) {
  return std::isinf(x) ? std::fmax(x, -0.0L) : x / 2 * std::erfc(-x / std::numbers::sqrt2_v<long double>);
}
long double geluTanh(long double x) {
  const long double u = std::sqrt(2 / std::numbers::pi_v<long double>) * (x + 0.044715L * x * x * x);
  return std::isinf(x) ? std::fmax(x, -0.0L) : x / (1 + std::exp(-2 * u));
}

/// By halving an interval, of erf, or near 1 of erfc.
long double erfinv(long double x) {
  const long double magnitude = std::fabs(x), rest = 1 - magnitude;
  if (!(magnitude < 1))
    return magnitude == 1 ? std::copysign(HUGE_VALL, x) : std::numeric_limits<long double>::quiet_NaN();
  long double low = 0, high = magnitude < 0.5L ? magnitude : 10; // erf y > y there
  for (int step = 0; step < 80; ++step) {
    const long double middle = (low + high) / 2;
    ((magnitude < 0.5L ? std::erf(middle) < magnitude : std::erfc(middle) > rest) ? low : high) = middle;
  }
  return std::copysign(low, x);
}

const std::map<Form, UnaryFunction> kUnaryOps = {
    {{"mp.exp", ""}, [](long double x) { return std::exp(x); }},
    {{"mp.log", ""}, [](long double x) { return std::log(x); }},
    {{"mp.sqrt", ""}, [](long double x) { return std::sqrt(x); }},
    {{"mp.tanh", ""}, [](long double x) { return std::tanh(x); }},
    {{"mp.gelu", ""}, gelu},
    {{"mp.gelu", "approximate tanh "}, geluTanh},
    {{"mp.neg", ""}, [](long double x) { return -x; }},
    {{"mp.abs", ""}, [](long double x) { return std::fabs(x); }},
    {{"mp.floor", ""}, [](long double x) { return std::floor(x); }},
    {{"mp.round", ""},
     [](long double x) {
       return x - std::remainder(x, 1.0L) == 0 ? std::copysign(0.0L, x)
              : std::isinf(x)                  ? x
                                               : x - std::remainder(x, 1.0L);
     }},
    {{"mp.reciprocal", ""}, [](long double x) { return 1 / x; }},
    {{"mp.rsqrt", ""}, [](long double x) { return 1 / std::sqrt(x); }},
    {{"mp.erf", ""}, [](long double x) { return std::erf(x); }},
    {{"mp.sin", ""}, [](long double x) { return std::sin(x); }},
    {{"mp.cos", ""}, [](long double x) { return std::cos(x); }},
    {{"mp.tan", ""}, [](long double x) { return std::tan(x); }},
    {{"mp.asin", ""}, [](long double x) { return std::asin(x); }},
    {{"mp.acos", ""}, [](long double x) { return std::acos(x); }},
    {{"mp.atan", ""}, [](long double x) { return std::atan(x); }},
    {{"mp.sinh", ""}, [](long double x) { return std::sinh(x); }},
    {{"mp.cosh", ""}, [](long double x) { return std::cosh(x); }},
    {{"mp.expm1", ""}, [](long double x) { return std::expm1(x); }},
    {{"mp.log1p", ""}, [](long double x) { return std::log1p(x); }},
    {{"mp.log2", ""}, [](long double x) { return std::log2(x); }},
    {{"mp.log10", ""}, [](long double x) { return std::log10(x); }},
    {{"mp.erfinv", ""}, erfinv},
    {{"mp.clamp", "{min = -0.5 : f64, max = 6.0 : f64} "},
     [](long double x) { return std::isnan(x) ? x : std::fmin(std::fmax(x, -0.5L), 6.0L); }},
    {{"mp.sigmoid", ""}, [](long double x) { return 1 / (1 + std::exp(-x)); }},
    {{"mp.silu", ""}, [](long double x) { return std::isinf(x) ? std::fmax(x, -0.0L) : x / (1 + std::exp(-x)); }},
    {{"mp.softplus", ""}, [](long double x) { return x > 40 ? x + std::exp(-x) : std::log1p(std::exp(x)); }},
    {{"mp.leaky_relu", "{negative_slope = 0.25 : f64} "}, [](long double x) { return x < 0 ? x / 4 : x; }},
    {{"mp.elu", ""}, [](long double x) { return x < 0 ? std::expm1(x) : x; }},
    {{"mp.selu", ""},
     [](long double x) {
       return 1.0507009873554804934193349852946L * (x < 0 ? 1.6732632423543772848170429916717L * std::expm1(x) : x);
     }},
    {{"mp.hard_sigmoid", ""},
     [](long double x) { return std::isnan(x) ? x : std::fmin(std::fmax(x + 3, 0.0L), 6.0L) / 6; }},
    {{"mp.hard_swish", ""},
     [](long double x) { return std::isnan(x) ? x
                                : x <= -3     ? -0.0L
                                              : x * (std::fmin(x + 3, 6.0L) / 6); }},
    {{"mp.relu", ""}, [](long double x) { return std::isnan(x) || !std::isless(x, 0.0L) ? x : 0.0L; }},
};

/// Every bit pattern of a type of 16 bits, in order.
Tensor everyPattern(ElementType element) {
  Tensor all = Tensor::zeros(makeType(element, {65536}));
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const uint16_t pattern = bits;
    std::memcpy(&all.bytes[2 * bits], &pattern, 2);
  }
  return all;
}

uint16_t pattern(const Tensor &tensor, size_t index) {
  uint16_t bits;
  std::memcpy(&bits, &tensor.bytes[2 * index], 2);
  return bits;
}

class EveryHalf : public testing::TestWithParam<ElementType> {};

/// An op that maps one float tensor to another of its type, and no more: what MP_UnaryOp makes.
bool isUnaryMap(mlir::RegisteredOperationName name) {
  return name.hasTrait<mlir::OpTrait::OneOperand>() && name.hasTrait<mlir::OpTrait::OneResult>() &&
         name.hasTrait<mlir::OpTrait::SameOperandsAndResultType>() && name.hasInterface<KernelOpInterface>() &&
         name.getInterface<KernelOpInterface>()->getKernelRole() == KernelRole::Map;
}

} // namespace

TEST(EveryHalf, coversEveryUnaryOp) {
  Program program("");
  std::vector<std::string> found;
  for (mlir::RegisteredOperationName name : program.getContext()->getRegisteredOperationsByDialect("mp"))
    if (isUnaryMap(name)) {
      found.push_back(name.getStringRef().str());
      EXPECT_TRUE(std::ranges::any_of(kUnaryOps, [&](const auto &entry) { return entry.first.first == found.back(); }))
          << found.back() << " has no second source here";
    }
  std::set<std::string> known;
  for (const auto &[form, function] : kUnaryOps)
    known.insert(form.first);
  EXPECT_EQ(found.size(), known.size());
}

TEST_P(EveryHalf, unaryOpsRoundTheExactValueOnce) {
  const narrow::Format format = narrow::formatOf(GetParam());
  const Tensor input = everyPattern(GetParam());
  const std::string type = typeName(input.type);
  for (const auto &[form, function] : kUnaryOps) {
    const auto &[op, clause] = form;
    const std::string body = "%r = " + op + " %x " + clause + ": " + type + "\n return %r : " + type;
    const std::vector<Tensor> results = run("(%x: " + type + ") -> " + type, body, {input});
    ASSERT_EQ(results.size(), 1u) << op;
    int wrong = 0;
    for (uint32_t bits = 0; bits < 65536 && wrong < 5; ++bits) {
      const uint32_t expected = narrow::nearest(function(narrow::valueOf(bits, format)), format);
      const uint32_t found = pattern(results[0], bits);
      if (!narrow::same(found, expected, format)) {
        ++wrong;
        ADD_FAILURE() << op << " " << clause << "of bits " << bits << ": found " << found << ", expected " << expected;
      }
    }
  }
}

/// In the wide types every 1,048,583rd f32 and its neighbourhood in f64, where libm's f64 is not exact: gelu multiplies
/// its errors by x^2.
TEST(WideFloats, unaryOpsAreNearTheExactValue) {
  std::vector<double> values;
  for (uint64_t bits = 0; bits < uint64_t(1) << 32; bits += 1048583)
    values.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  for (ElementType element : {ElementType::F32, ElementType::F64}) {
    const bool isWide = element == ElementType::F64;
    std::vector<double> inputs = values;
    for (double &input : inputs)
      input *= isWide ? 1 + 0x1p-30 : 1;
    const Tensor input = Tensor::ofReals(makeType(element, {static_cast<int64_t>(inputs.size())}), inputs);
    const std::string type = typeName(input.type);
    for (const auto &[form, function] : kUnaryOps) {
      const auto &[op, clause] = form;
      const std::string body = "%r = " + op + " %x " + clause + ": " + type + "\n return %r : " + type;
      const std::vector<double> found = run("(%x: " + type + ") -> " + type, body, {input})[0].reals();
      for (size_t i = 0; i < inputs.size(); ++i) {
        const auto exact = static_cast<double>(function(inputs[i]));
        const double lost = isWide ? 4 + std::fmin(2 * inputs[i] * inputs[i], 3000) : 0.500001;
        ASSERT_LE(ulpError(found[i], exact, isWide ? kF64 : kF32), lost) << op << " " << clause << "of " << inputs[i];
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, EveryHalf, testing::Values(ElementType::F16, ElementType::BF16),
                         [](const auto &info) { return elementName(info.param); });
