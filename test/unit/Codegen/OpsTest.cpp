// Each map op and cast, in each type, on values that are hard.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The expected values are computed here in f64 and rounded once by Numerics/Float.h.

#include "Codegen/KernelRunner.h"
#include "Codegen/Values.h"

#include "mp/Numerics/ErrorBounds.h"
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <numeric>

using namespace mp;
using namespace mp::test;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

/// Values at which rounding, overflow and subnormals of the types show, and random ones of all sizes.
std::vector<double> hardValues() {
  std::vector<double> values = {0.0,
                                -0.0,
                                1,
                                -1,
                                0.5,
                                2,
                                3,
                                kInf,
                                -kInf,
                                kNaN,
                                65504,
                                65519.99,
                                65520,
                                65536,
                                255,
                                256,
                                255.5,
                                -0.5,
                                0x1p-24,
                                0x1p-25,
                                0x1.8p-25,
                                0x1.0000001p-25,
                                0x1p-14,
                                0x1.ffcp-15,
                                0x1.002p0,
                                0x1.006p0,
                                0x1.002000000001p0,
                                0x1.01p0,
                                0x1.03p0,
                                0x1.010000000001p0,
                                1e-40,
                                9.18e-41,
                                0x1p-133,
                                0x1p-149,
                                0x1p-150,
                                0x1.1p-150,
                                3.3895e38,
                                3.4e38,
                                3.5e38,
                                1e300,
                                -1e300,
                                1e-300,
                                2147483647,
                                2147483648.0,
                                -2147483649.0,
                                9.3e18,
                                -9.3e18,
                                16777217,
                                0x1.01p30,
                                0x1.0100001p30};
  std::mt19937_64 engine(1);
  for (int i = 0; i < 400; ++i) {
    const double mantissa = std::uniform_real_distribution<double>(-2, 2)(engine);
    values.push_back(std::ldexp(mantissa, std::uniform_int_distribution<int>(-150, 130)(engine)));
    values.push_back(std::ldexp(mantissa, std::uniform_int_distribution<int>(-26, 17)(engine)));
    values.push_back(mantissa);
  }
  return values;
}

std::vector<int64_t> hardIntegers() {
  std::vector<int64_t> values = {0,
                                 1,
                                 -1,
                                 2,
                                 255,
                                 256,
                                 257,
                                 127,
                                 128,
                                 65504,
                                 65519,
                                 65520,
                                 16777217,
                                 -16777217,
                                 INT32_MAX,
                                 INT32_MIN,
                                 INT64_MAX,
                                 INT64_MIN,
                                 (1LL << 53) + 1,
                                 (1LL << 55) + 1,
                                 0x4040000000000001,
                                 0x4040000000000000,
                                 0x40c0000000000000,
                                 0x40bfffffffffffff,
                                 0x4040000000000000 - 1,
                                 -0x4040000000000001};
  std::mt19937_64 engine(2);
  for (int i = 0; i < 300; ++i)
    values.push_back(static_cast<int64_t>(engine()) >> (engine() % 64));
  return values;
}

/// An element type: how doubles and integers become its bytes and back.
struct Element {
  const char *name;
  bool isFloat;
  FloatFormat format;
  int bytes;
  int64_t low, high;
};

const Element kElements[] = {{"f16", true, kF16, 2, 0, 0},
                             {"bf16", true, kBF16, 2, 0, 0},
                             {"f32", true, kF32, 4, 0, 0},
                             {"f64", true, kF64, 8, 0, 0},
                             {"ui8", false, {}, 1, 0, 255},
                             {"i32", false, {}, 4, INT32_MIN, INT32_MAX},
                             {"i64", false, {}, 8, INT64_MIN, INT64_MAX},
                             {"i1", false, {}, 1, 0, 1}};

Buffer bufferOf(const Element &element, const std::vector<uint64_t> &bits) {
  Buffer buffer;
  for (uint64_t word : bits)
    for (int byte = 0; byte < element.bytes; ++byte)
      buffer.bytes.push_back(static_cast<std::byte>(word >> (8 * byte)));
  return buffer;
}

uint64_t bitsAt(const Element &element, const Buffer &buffer, size_t index) {
  uint64_t bits = 0;
  std::memcpy(&bits, &buffer.bytes[index * element.bytes], element.bytes);
  return bits;
}

/// Integers modulo 2^n, as they lie in memory.
uint64_t wrap(const Element &element, int64_t value) {
  const auto bits = static_cast<uint64_t>(value);
  return element.bytes == 8 ? bits : bits & ((uint64_t(1) << (8 * element.bytes)) - 1);
}

int64_t integerAt(const Element &element, uint64_t bits) {
  return element.bytes == 4 ? static_cast<int32_t>(bits) : static_cast<int64_t>(bits);
}

bool sameFloat(const FloatFormat &format, uint64_t a, uint64_t b) {
  return a == b || (format.isNaN(a) && format.isNaN(b));
}

std::string vectorOf(size_t count, const char *type) { return "tensor<" + std::to_string(count) + "x" + type + ">"; }

const CPULevel *const kTargets[] = {findCPULevel("sse2"), &hostLevel()};

} // namespace

TEST(Ops, FloatArithmeticRoundsOnce) {
  struct Op {
    const char *name;
    std::function<double(double, double)> apply;
    bool isUnary = false;
  };
  auto largest = [](double x, double y) {
    if (std::isnan(x) || std::isnan(y))
      return kNaN;
    if (x == y)
      return std::signbit(x) ? y : x;
    return std::max(x, y);
  };
  const Op ops[] = {{"add", [](double x, double y) { return x + y; }},
                    {"sub", [](double x, double y) { return x - y; }},
                    {"mul", [](double x, double y) { return x * y; }},
                    {"div", [](double x, double y) { return x / y; }},
                    {"max", largest},
                    {"min", [&](double x, double y) { return -largest(-x, -y); }},
                    {"neg", [](double x, double) { return -x; }, true},
                    {"abs", [](double x, double) { return std::abs(x); }, true},
                    {"floor", [](double x, double) { return std::floor(x); }, true},
                    {"round", [](double x, double) { return std::nearbyint(x); }, true},
                    {"reciprocal", [](double x, double) { return 1 / x; }, true},
                    {"sqrt", [](double x, double) { return std::sqrt(x); }, true},
                    {"relu", [](double x, double) { return x < 0 ? 0 : x; }, true}};
  std::vector<double> left = hardValues(), right = hardValues();
  std::rotate(right.begin(), right.begin() + 17, right.end());
  const size_t count = left.size();
  for (const CPULevel *target : kTargets)
    for (const Element &element : kElements) {
      if (!element.isFloat)
        continue;
      std::vector<uint64_t> a(count), b(count);
      for (size_t i = 0; i < count; ++i)
        a[i] = encode(left[i], element.format), b[i] = encode(right[i], element.format);
      const std::string type = vectorOf(count, element.name);
      std::string body, yields;
      std::vector<std::string> results;
      for (const Op &op : ops) {
        body += std::string("%") + op.name + " = mp." + op.name + " %a0" +
                (op.isUnary ? " : " + type : ", %a1 : " + type + ", " + type + " -> " + type) + "\n";
        yields += (yields.empty() ? "%" : ", %") + std::string(op.name);
        results.push_back(type);
      }
      KernelRunner kernel(mapText({type, type}, results, body, yields, "block = 512, vector = 8"), *target);
      ASSERT_TRUE(kernel.ok()) << kernel.errors;
      const auto out = kernel.run({bufferOf(element, a), bufferOf(element, b)});
      for (size_t op = 0; op < std::size(ops); ++op)
        for (size_t i = 0; i < count; ++i) {
          const double x = decode(a[i], element.format), y = decode(b[i], element.format);
          const uint64_t expected = encode(ops[op].apply(x, y), element.format);
          const uint64_t found = bitsAt(element, out[op], i);
          ASSERT_TRUE(sameFloat(element.format, found, expected))
              << target->name << " " << ops[op].name << " " << element.name << " of " << x << ", " << y << ": "
              << std::hex << found << ", not " << expected;
        }
    }
}

TEST(Ops, FunctionsOfEveryHalfAreWithinOneUlp) {
  struct Row {
    const char *op;
    double (*apply)(double);
  };
  const Row rows[] = {
      {"mp.exp %a0", std::exp},
      {"mp.log %a0", std::log},
      {"mp.tanh %a0", std::tanh},
      {"mp.rsqrt %a0", [](double x) { return 1 / std::sqrt(x); }},
      {"mp.erf %a0", std::erf},
      {"mp.sin %a0", std::sin},
      {"mp.cos %a0", std::cos},
      {"mp.tan %a0", std::tan},
      {"mp.asin %a0", std::asin},
      {"mp.acos %a0", std::acos},
      {"mp.atan %a0", std::atan},
      {"mp.sinh %a0", std::sinh},
      {"mp.cosh %a0", std::cosh},
      {"mp.expm1 %a0", std::expm1},
      {"mp.log1p %a0", std::log1p},
      {"mp.log2 %a0", std::log2},
      {"mp.log10 %a0", std::log10},
      {"mp.sigmoid %a0", [](double x) { return 1 / (1 + std::exp(-x)); }},
      {"mp.silu %a0", [](double x) { return x < -800 ? -0.0 : x / (1 + std::exp(-x)); }},
      {"mp.softplus %a0", [](double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }},
      {"mp.leaky_relu %a0 {negative_slope = 0.3 : f64}", [](double x) { return x < 0 ? 0.3f * x : x; }},
      {"mp.elu %a0 {alpha = 0.75 : f64}", [](double x) { return x < 0 ? 0.75 * std::expm1(x) : x; }},
      {"mp.selu %a0", [](double x) { return 1.0507009873554805 * (x < 0 ? 1.6732632423543772 * std::expm1(x) : x); }},
      {"mp.hard_sigmoid %a0", [](double x) { return std::isnan(x) ? x : std::fmin(std::fmax(x + 3, 0.0), 6.0) / 6; }},
      {"mp.hard_swish %a0",
       [](double x) { return std::isnan(x) ? x
                             : x <= -3     ? -0.0
                                           : x * (std::fmin(x + 3, 6.0) / 6); }},
      {"mp.gelu %a0", [](double x) { return x < -40 ? -0.0 : x / 2 * std::erfc(-x / std::numbers::sqrt2); }},
      {"mp.gelu %a0 approximate tanh", [](double x) {
         const double u = std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
         return x < -40 ? -0.0 : x / (1 + std::exp(-2 * u));
       }}};
  constexpr size_t kCount = 1 << 16;
  std::vector<uint64_t> all(kCount);
  std::iota(all.begin(), all.end(), 0);
  for (const Element &element : {kElements[0], kElements[1]})
    for (const Row &row : rows) {
      const std::string type = vectorOf(kCount, element.name);
      KernelRunner kernel(mapText({type}, {type}, std::string("%r = ") + row.op + " : " + type + "\n", "%r",
                                  "block = 65536, vector = 8"));
      ASSERT_TRUE(kernel.ok()) << kernel.errors;
      const auto out = kernel.run({bufferOf(element, all)});
      for (uint64_t bits = 0; bits < kCount; ++bits) {
        const double x = decode(bits, element.format);
        const uint64_t expected = encode(row.apply(x), element.format), found = bitsAt(element, out[0], bits);
        ASSERT_LE(ulpDistance(found, expected, element.format), 1u) << row.op << " of " << x << " in " << element.name;
      }
    }
}

/// Powers of C99's Annex F, and some of every size.
static std::vector<double> exponents() {
  return {0.0,  -0.0,  1,    -1, 2, -2,  3,    -3,  0.5,        -0.5,   1.5,     1.0 / 3,  0.75,    -2.25,
          kInf, -kInf, kNaN, 7,  8, 100, -101, 1e4, 16777216.0, 3.4e38, 0x1p-20, 0x1p-149, -0x1.8p5};
}

/// A function of two operands.
struct Pair {
  const char *op;
  double (*apply)(double, double);
};

// NOLINTNEXTLINE(readability-identifier-naming): what googletest looks for
static void PrintTo(const Pair &pair, std::ostream *out) { *out << pair.op; }

class FunctionsOfTwo : public testing::TestWithParam<Pair> {};

// Of f16 and bf16 every first operand, of f32 those that are hard; each with second ones of every kind.
TEST_P(FunctionsOfTwo, AreWithinOneUlp) {
  std::vector<uint64_t> all(1 << 16);
  std::iota(all.begin(), all.end(), 0);
  for (const CPULevel *target : kTargets)
    for (const Element &element : {kElements[0], kElements[1], kElements[2]}) {
      std::vector<uint64_t> bases = all;
      if (element.bytes == 4) {
        bases.clear();
        for (double value : hardValues())
          bases.push_back(encode(value, element.format));
      }
      const std::string type = vectorOf(bases.size(), element.name), one = "tensor<" + std::string(element.name) + ">";
      KernelRunner kernel(
          mapText({type, one}, {type},
                  std::string("%r = mp.") + GetParam().op + " %a0, %a1 : " + type + ", " + one + " -> " + type + "\n",
                  "%r", "block = 65536, vector = 8"),
          *target);
      ASSERT_TRUE(kernel.ok()) << kernel.errors;
      for (double exponent : exponents()) {
        const uint64_t bits = encode(exponent, element.format);
        const auto out = kernel.run({bufferOf(element, bases), bufferOf(element, {bits})});
        for (size_t i = 0; i < bases.size(); ++i) {
          const double x = decode(bases[i], element.format), y = decode(bits, element.format);
          const double exact = GetParam().apply(x, y);
          const uint64_t expected = encode(exact, element.format), found = bitsAt(element, out[0], i);
          ASSERT_LE(ulpDistance(found, expected, element.format), 1u)
              << GetParam().op << " of " << x << " and " << y << " in " << element.name << " on " << target->name;
          // Of a zero and an infinity the sign counts, too.
          if (exact == 0 || std::isinf(exact)) {
            ASSERT_EQ(found, expected) << GetParam().op << " of " << x << " and " << y << " in " << element.name;
          }
        }
      }
    }
}

static double prelu(double x, double slope) { return x > 0 ? x : slope * x; }

INSTANTIATE_TEST_SUITE_P(Ops, FunctionsOfTwo,
                         testing::Values(Pair{"pow", std::pow}, Pair{"atan2", std::atan2}, Pair{"prelu", prelu}),
                         [](const auto &info) { return std::string(info.param.op); });

TEST(Ops, CastsRoundOnceAndSaturate) {
  const std::vector<double> reals = hardValues();
  const std::vector<int64_t> integers = hardIntegers();
  for (const CPULevel *target : kTargets)
    for (const Element &from : kElements)
      for (const Element &to : kElements) {
        std::vector<uint64_t> input;
        if (from.isFloat)
          for (double value : reals)
            input.push_back(encode(value, from.format));
        else
          for (int64_t value : integers)
            input.push_back(from.high == 1 ? value & 1 : wrap(from, value));
        const std::string source = vectorOf(input.size(), from.name), result = vectorOf(input.size(), to.name);
        KernelRunner kernel(mapText({source}, {result}, "%0 = mp.cast %a0 : " + source + " -> " + result + "\n", "%0",
                                    "block = 512, vector = 8"),
                            *target);
        ASSERT_TRUE(kernel.ok()) << kernel.errors;
        const Buffer out = kernel.run({bufferOf(from, input)})[0];
        for (size_t i = 0; i < input.size(); ++i) {
          const double real = from.isFloat ? decode(input[i], from.format) : 0;
          const int64_t integer = from.isFloat ? 0 : integerAt(from, input[i]);
          uint64_t expected;
          if (to.high == 1)
            expected = from.isFloat ? !(real == 0) : integer != 0;
          else if (from.isFloat && to.isFloat)
            expected = encode(real, to.format);
          else if (to.isFloat && std::abs(static_cast<long double>(integer)) > 0x1p53L && !(to.format == kF64))
            // To odd in f64 first: rounding that again is rounding once.
            expected = encode(
                [&] {
                  const auto nearest = static_cast<double>(integer);
                  const long double error = static_cast<long double>(integer) - nearest;
                  if (error == 0 || (std::bit_cast<uint64_t>(nearest) & 1))
                    return nearest;
                  return std::nextafter(nearest, error > 0 ? kInf : -kInf);
                }(),
                to.format);
          else if (to.isFloat)
            expected = encode(static_cast<double>(integer), to.format);
          else if (from.isFloat && std::isnan(real))
            expected = 0;
          else if (from.isFloat)
            expected = wrap(to, real <= static_cast<double>(to.low)    ? to.low
                                : real >= static_cast<double>(to.high) ? to.high
                                                                       : static_cast<int64_t>(real));
          else
            expected = wrap(to, integer);
          const uint64_t found = bitsAt(to, out, i);
          ASSERT_TRUE(to.isFloat ? sameFloat(to.format, found, expected) : found == expected)
              << target->name << " " << from.name << " " << std::hex << input[i] << " to " << to.name << ": " << found
              << ", not " << expected;
        }
      }
}

TEST(Ops, IntegersWrapAndCompareByTheirSign) {
  const std::vector<int64_t> left = hardIntegers();
  std::vector<int64_t> right = left;
  std::rotate(right.begin(), right.begin() + 5, right.end());
  for (const Element &element : kElements) {
    if (element.isFloat || element.high == 1)
      continue;
    std::vector<uint64_t> a, b;
    for (size_t i = 0; i < left.size(); ++i)
      a.push_back(wrap(element, left[i])), b.push_back(wrap(element, i % 7 ? right[i] : left[i]));
    const std::string type = vectorOf(left.size(), element.name), flags = vectorOf(left.size(), "i1");
    const std::string types = type + ", " + type + " -> ";
    std::string body, yields = "%0, %1, %2, %3, %4";
    std::vector<std::string> results(5, type);
    int number = 0;
    for (const char *op : {"add", "sub", "mul", "max"})
      body += "%" + std::to_string(number++) + " = mp." + op + " %a0, %a1 : " + types + type + "\n";
    body += "%c = mp.compare lt %a0, %a1 : " + types + flags + "\n";
    body += "%4 = mp.select %c, %a0, %a1 : " + flags + ", " + types + type + "\n";
    for (const char *predicate : {"eq", "ne", "lt", "le", "gt", "ge"}) {
      body += std::string("%") + predicate + " = mp.compare " + predicate + " %a0, %a1 : " + types + flags + "\n";
      yields += std::string(", %") + predicate;
      results.push_back(flags);
    }
    KernelRunner kernel(mapText({type, type}, results, body, yields, "block = 64, vector = 8"));
    ASSERT_TRUE(kernel.ok()) << kernel.errors;
    const auto out = kernel.run({bufferOf(element, a), bufferOf(element, b)});
    for (size_t i = 0; i < a.size(); ++i) {
      const int64_t x = integerAt(element, a[i]), y = integerAt(element, b[i]);
      const auto ux = static_cast<uint64_t>(x), uy = static_cast<uint64_t>(y);
      const int64_t expected[] = {static_cast<int64_t>(ux + uy), static_cast<int64_t>(ux - uy),
                                  static_cast<int64_t>(ux * uy), std::max(x, y), std::min(x, y)};
      for (int op = 0; op < 5; ++op)
        EXPECT_EQ(bitsAt(element, out[op], i), wrap(element, expected[op])) << element.name << " " << op;
      const bool flag[] = {x == y, x != y, x<y, x <= y, x> y, x >= y};
      for (int op = 0; op < 6; ++op)
        EXPECT_EQ(out[5 + op].as<uint8_t>()[i], flag[op]) << element.name << " " << x << " " << y << " " << op;
    }
  }
}

TEST(Ops, FloatComparisonsAndReluGradient) {
  const double values[] = {kNaN, -kInf, -1, -0.0, 0.0, 1, kInf};
  std::vector<float> a, b;
  for (double x : values)
    for (double y : values)
      a.push_back(static_cast<float>(x)), b.push_back(static_cast<float>(y));
  const std::string type = vectorOf(a.size(), "f32"), flags = vectorOf(a.size(), "i1");
  std::string body = "%g = mp.relu_grad %a0, %a1 : " + type + "\n", yields = "%g";
  std::vector<std::string> results = {type};
  for (const char *predicate : {"eq", "ne", "lt", "le", "gt", "ge"}) {
    body += std::string("%") + predicate + " = mp.compare " + predicate + " %a0, %a1 : " + type + ", " + type + " -> " +
            flags + "\n";
    yields += std::string(", %") + predicate;
    results.push_back(flags);
  }
  KernelRunner kernel(mapText({type, type}, results, body, yields, "block = 64, vector = 8"));
  ASSERT_TRUE(kernel.ok()) << kernel.errors;
  const auto out = kernel.run({Buffer::of(a), Buffer::of(b)});
  for (size_t i = 0; i < a.size(); ++i) {
    const bool flag[] = {a[i] == b[i], a[i] != b[i], a[i]<b[i], a[i] <= b[i], a[i]> b[i], a[i] >= b[i]};
    for (int op = 0; op < 6; ++op)
      EXPECT_EQ(out[1 + op].as<uint8_t>()[i], flag[op]) << a[i] << " " << b[i] << " " << op;
    const float gradient = out[0].as<float>()[i];
    if (a[i] <= 0)
      EXPECT_EQ(gradient, 0);
    else
      EXPECT_TRUE(gradient == b[i] || (std::isnan(gradient) && std::isnan(b[i])));
  }
}
