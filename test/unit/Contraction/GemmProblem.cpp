//===- GemmProblem.cpp - matrix products to compare with sums in f64 --------===//

#include "GemmProblem.h"

#include "mp/Numerics/ErrorBounds.h"

#include <cmath>
#include <cstring>
#include <ostream>
#include <random>
#include <sstream>

using namespace mp;
using namespace mp::test;

namespace {

/// A tensor of one element type, as numbers and as bytes.
struct Values {
  std::vector<double> numbers;
  Bytes bytes;
};

FloatFormat formatOf(const std::string &type) {
  return type == "f16" ? kF16 : type == "bf16" ? kBF16 : type == "f64" ? kF64 : kF32;
}

size_t bytesOf(FloatFormat format) { return static_cast<size_t>(1 + format.exponentBits + format.fractionBits) / 8; }

/// Normal values, rounded to `format`.
Values makeValues(size_t count, FloatFormat format, uint32_t seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal(0, 1);
  Values values;
  values.bytes.resize(count * bytesOf(format));
  for (size_t index = 0; index < count; ++index) {
    const uint64_t bits = encode(normal(engine), format);
    values.numbers.push_back(decode(bits, format));
    std::memcpy(values.bytes.data() + index * bytesOf(format), &bits, bytesOf(format));
  }
  return values;
}

double numberAt(const Bytes &bytes, size_t index, FloatFormat format) {
  uint64_t bits = 0;
  std::memcpy(&bits, bytes.data() + index * bytesOf(format), bytesOf(format));
  return decode(bits, format);
}

std::string tensor(int64_t batch, int64_t rows, int64_t columns, const std::string &type) {
  return "tensor<" + (batch ? std::to_string(batch) + "x" : "") + std::to_string(rows) + "x" + std::to_string(columns) +
         "x" + type + ">";
}

} // namespace

std::string GemmProblem::text() const {
  const std::string acc = type == "f64" ? "f64" : "f32";
  const int64_t rhsBatch = sharesRhs ? 0 : batch;
  auto lhsType = [&](const std::string &t) { return transposeLhs ? tensor(batch, k, m, t) : tensor(batch, m, k, t); };
  auto rhsType = [&](const std::string &t) {
    return transposeRhs ? tensor(rhsBatch, n, k, t) : tensor(rhsBatch, k, n, t);
  };
  const std::string given = castsOperands ? "f32" : type, result = tensor(batch, m, n, type);
  const std::string bias = "tensor<" + std::to_string(n) + "x" + type + ">";

  std::string body, yields = "%0", types = result, extra = after == After::Residual ? result : bias;
  auto prologue = [&](const std::string &name, const std::string &argument, const std::string &from,
                      const std::string &to) {
    if (castsOperands && type == "f32")
      body += "%half_" + name + " = mp.constant dense<0.5> : tensor<f32>\n%" + name + " = mp.mul " + argument +
              ", %half_" + name + " : " + from + ", tensor<f32> -> " + to + "\n";
    else if (castsOperands)
      body += "%" + name + " = mp.cast " + argument + " : " + from + " -> " + to + "\n";
  };
  prologue("p", "%x", lhsType(given), lhsType(type));
  prologue("q", "%y", rhsType(given), rhsType(type));
  const std::string operands = castsOperands ? "%p, %q" : "%x, %y";
  const std::string flags = std::string(transposeLhs ? " transpose_lhs" : "") + (transposeRhs ? " transpose_rhs" : "");
  const std::string signature = " : " + lhsType(type) + ", " + rhsType(type) + " -> ";
  const bool hasBias = after == After::Bias || after == After::BiasReluCast;
  if (depth) {
    types = "tensor<" + std::to_string(parts()) + "x" + tensor(batch, m, n, acc).substr(7);
    body += "%0 = mp.matmul_parts " + operands + flags + " depth " + std::to_string(depth) + signature + types + "\n";
  } else {
    body += "%0 = mp.matmul " + operands + flags + (hasBias ? " bias %w : " + bias : "") + " acc " + acc + signature +
            result + "\n";
  }
  if (after == After::BiasReluCast) {
    const std::string wide = tensor(batch, m, n, "f32");
    body += "%1 = mp.relu %0 : " + result + "\n%2 = mp.cast %1 : " + result + " -> " + wide + "\n";
    yields = "%1, %2";
    types += ", " + wide;
  } else if (after == After::Residual) {
    body += "%1 = mp.add %0, %w : " + result + ", " + result + " -> " + result + "\n";
    yields = "%1";
  }
  const std::string inputs = lhsType(given) + ", " + rhsType(given) + ", " + extra;
  return "func.func @f(%a: " + lhsType(given) + ", %b: " + rhsType(given) + ", %c: " + extra + ") {\n%z" +
         (after == After::BiasReluCast ? ":2" : "") + " = mp.kernel \"gemm\" (%x = %a, %y = %b, %w = %c) schedule(" +
         "#mp.mma<" + schedule + ">) : (" + inputs + ") -> (" + types + ") {\n" + body + "mp.yield " + yields + " : " +
         types + "\n}\nreturn\n}\n";
}

/// An element of the results, and how far from it what is computed may be.
struct Expected {
  double exact, bound;
  FloatFormat format; ///< of the first result
};

static Expected expectedAt(const GemmProblem &p, int64_t at, const Values &a, const Values &b, const Values &c) {
  const int64_t j = at % p.n, i = at / p.n % p.m, q = at / (p.n * p.m) % p.batches();
  const int64_t from = at / (p.n * p.m * p.batches()) * p.depth, to = p.depth ? std::min(p.k, from + p.depth) : p.k;
  double exact = 0, absolutes = 0;
  auto add = [&](double term) { exact += term, absolutes += std::abs(term); };
  for (int64_t l = from; l < to; ++l) {
    const int64_t atA = q * p.m * p.k + (p.transposeLhs ? l * p.m + i : i * p.k + l);
    const int64_t atB = (p.sharesRhs ? 0 : q * p.k * p.n) + (p.transposeRhs ? j * p.k + l : l * p.n + j);
    add(a.numbers[atA] * b.numbers[atB]);
  }
  if (p.after == After::Bias || p.after == After::BiasReluCast)
    add(c.numbers[j]);
  const FloatFormat accumulator = p.type == "f64" ? kF64 : kF32, format = p.depth ? accumulator : formatOf(p.type);
  double bound = contractionBound(to - from + 1, absolutes, exact, accumulator, format);
  // Both factors are rounded.
  if (p.schedule.find("tf32") != std::string::npos)
    bound += absolutes * unitRoundoff(kTF32) * (2 + unitRoundoff(kTF32));
  if (p.after == After::BiasReluCast)
    exact = std::max(exact, 0.0);
  if (p.after == After::Residual) {
    exact += c.numbers[at];
    bound += ulp(std::abs(exact) + bound, format) / 2;
  }
  return {exact, bound, format};
}

std::string GemmProblem::check(const SIMTOptions &options, bool reportAccesses) const {
  KernelOnSimulator kernel(text(), chip, reportAccesses);
  if (!kernel.ok())
    return kernel.errors + text();
  const FloatFormat format = formatOf(type), given = castsOperands ? kF32 : format;
  const int64_t rhsBatches = sharesRhs ? 1 : batches();
  Values a = makeValues(batches() * m * k, given, 1), b = makeValues(rhsBatches * k * n, given, 2);
  const Values c = makeValues(after == After::Residual ? batches() * m * n : n, format, 3);
  ErrorOr<std::vector<Bytes>> results = kernel.run({a.bytes, b.bytes, c.bytes}, options);
  if (!results)
    return results.status().message();
  if (castsOperands)
    for (std::vector<double> *numbers : {&a.numbers, &b.numbers})
      for (double &number : *numbers)
        number = type == "f32" ? number / 2 : decode(encode(number, format), format);

  for (int64_t at = 0; at < parts() * batches() * m * n; ++at) {
    const Expected expected = expectedAt(*this, at, a, b, c);
    for (size_t index = 0; index < results->size(); ++index) {
      // The second result is a cast of the first.
      const FloatFormat as = index == 0 ? expected.format : kF32;
      const double computed = numberAt((*results)[index], at, as);
      const double rounding = as == expected.format ? 0 : ulp(std::abs(expected.exact) + expected.bound, as) / 2;
      if (!(std::abs(computed - expected.exact) <= expected.bound + rounding)) {
        std::ostringstream why;
        why << "element " << at << " of result " << index << " is " << computed << ", expected " << expected.exact
            << " within " << expected.bound + rounding;
        return why.str();
      }
    }
  }
  return "";
}

std::ostream &mp::test::operator<<(std::ostream &out, const GemmProblem &p) {
  return out << p.chip << " " << p.type << " " << p.batch << "x" << p.m << "x" << p.n << "x" << p.k
             << (p.transposeLhs ? " T" : " N") << (p.transposeRhs ? "T" : "N") << (p.sharesRhs ? " shared" : "")
             << " after " << static_cast<int>(p.after) << (p.castsOperands ? " casts" : "") << " depth " << p.depth
             << " <" << p.schedule << ">";
}
