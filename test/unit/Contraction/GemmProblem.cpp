// Matrix products to compare with sums in f64.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Contraction/GemmProblem.h"

#include "Codegen/KernelRunner.h"
#include "mp/Numerics/ErrorBounds.h"
#include "mp/Numerics/Philox.h"

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

std::string accOf(const GemmProblem &p) { return p.type == "f64" ? "f64" : p.acc; }

/// The third input of a kernel.
enum class Extra { Bias, Result, Scalar, Mask };

/// What After says, as text: R is the type of the product's result, F the same in f32, S a scalar, M a mask.
struct Epilogue {
  const char *name;
  Extra extra;
  bool addsBias;
  const char *body;
  std::vector<std::string> yields;
};

// In the order of the enum.
const Epilogue kEpilogues[] = {
    {"nothing", Extra::Bias, false, "", {"%0"}},
    {"bias", Extra::Bias, true, "", {"%0"}},
    {"bias, relu, cast", Extra::Bias, true, "%1 = mp.relu %0 : R\n%2 = mp.cast %1 : R -> F\n", {"%1", "%2"}},
    {"residual", Extra::Result, false, "%1 = mp.add %0, %w : R, R -> R\n", {"%1"}},
    {"scale", Extra::Scalar, false, "%1 = mp.mul %0, %w : R, S -> R\n", {"%1"}},
    {"dropout", Extra::Mask, false, "%1 = mp.masked_dropout %0, %w {rate = 0.25} : R, M\n", {"%1"}},
    {"relu gradient", Extra::Result, false, "%1 = mp.relu_grad %w, %0 : R\n", {"%1"}},
};
static_assert(std::size(kEpilogues) == kAfters);

/// Of a dropout's mask.
int64_t maskWords(int64_t elements) { return (elements + 63) / 64 + 1; }

/// A quarter of the bits is 0.
std::vector<uint64_t> makeMask(int64_t elements) {
  std::vector<uint64_t> words(maskWords(elements));
  for (size_t i = 0; i < 64 * words.size(); ++i)
    words[i / 64] |= uint64_t(uniformFloat(randomBits(42, 7, 3, i)) >= 0.25F) << i % 64;
  return words;
}

const Epilogue &epilogueOf(const GemmProblem &p) { return kEpilogues[static_cast<size_t>(p.after)]; }

std::string replaced(std::string text, char what, const std::string &by) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, 1, by);
  return text;
}

std::string joined(const std::vector<std::string> &parts) {
  std::string text;
  for (const std::string &part : parts)
    text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::string tensor(int64_t batch, int64_t rows, int64_t columns, const std::string &type) {
  return "tensor<" + (batch ? std::to_string(batch) + "x" : "") + std::to_string(rows) + "x" + std::to_string(columns) +
         "x" + type + ">";
}

} // namespace

GemmProblem::Ops GemmProblem::operations(bool saysSchedule) const {
  const std::string acc = accOf(*this);
  const int64_t rhsBatch = sharesRhs ? 0 : batch;
  auto lhsType = [&](const std::string &t) { return transposeLhs ? tensor(batch, k, m, t) : tensor(batch, m, k, t); };
  auto rhsType = [&](const std::string &t) {
    return transposeRhs ? tensor(rhsBatch, n, k, t) : tensor(rhsBatch, k, n, t);
  };
  const std::string given = castsOperands ? "f32" : type, result = tensor(batch, m, n, type);
  const std::string bias = "tensor<" + std::to_string(n) + "x" + type + ">", wide = tensor(batch, m, n, "f32");
  const std::string scalar = "tensor<" + type + ">";
  const std::string mask = "tensor<" + std::to_string(maskWords(batches() * m * n)) + "xi64>";
  const std::string extras[] = {bias, result, scalar, mask}; // in the order of Extra
  const Epilogue &epilogue = epilogueOf(*this);
  Ops ops{{lhsType(given), rhsType(given), extras[static_cast<size_t>(epilogue.extra)]}, "", epilogue.yields, {result}};

  auto prologue = [&](const std::string &name, const std::string &argument, const std::string &from,
                      const std::string &to) {
    if (castsOperands && type == "f32")
      ops.body += "%half_" + name + " = mp.constant dense<0.5> : tensor<f32>\n%" + name + " = mp.mul " + argument +
                  ", %half_" + name + " : " + from + ", tensor<f32> -> " + to + "\n";
    else if (castsOperands)
      ops.body += "%" + name + " = mp.cast " + argument + " : " + from + " -> " + to + "\n";
  };
  prologue("p", "%x", lhsType(given), lhsType(type));
  prologue("q", "%y", rhsType(given), rhsType(type));
  const std::string operands = castsOperands ? "%p, %q" : "%x, %y";
  const std::string flags = std::string(transposeLhs ? " transpose_lhs" : "") + (transposeRhs ? " transpose_rhs" : "");
  const std::string attribute = saysSchedule ? " {mp.schedule = #mp.mma<" + schedule + ">}" : "";
  const std::string signature = attribute + " : " + lhsType(type) + ", " + rhsType(type) + " -> ";
  if (depth) {
    ops.types = {"tensor<" + std::to_string(parts()) + "x" + tensor(batch, m, n, storesNarrow ? type : acc).substr(7)};
    ops.body += "%0 = mp.matmul_parts " + operands + flags + " depth " + std::to_string(depth) + " acc " + acc +
                signature + ops.types[0] + "\n";
  } else {
    ops.body += "%0 = mp.matmul " + operands + flags + (epilogue.addsBias ? " bias %w : " + bias : "") + " acc " + acc +
                signature + result + "\n";
  }
  ops.body += replaced(replaced(replaced(replaced(epilogue.body, 'M', mask), 'R', result), 'F', wide), 'S', scalar);
  if (after == After::BiasReluCast)
    ops.types.push_back(wide);
  return ops;
}

std::string GemmProblem::text() const {
  const Ops ops = operations(/*saysSchedule=*/false);
  const std::string types = joined(ops.types);
  return "func.func @f(%a: " + ops.inputs[0] + ", %b: " + ops.inputs[1] + ", %c: " + ops.inputs[2] +
         ") {\n%z:" + std::to_string(ops.types.size()) + " = mp.kernel \"gemm\" (%x = %a, %y = %b, %w = %c) schedule(" +
         (isOfCPU() ? "#mp.contraction<" : "#mp.mma<") + schedule + ">) : (" + ops.inputs[0] + ", " + ops.inputs[1] +
         ", " + ops.inputs[2] + ") -> (" + types + ") {\n" + ops.body + "mp.yield " + joined(ops.values) + " : " +
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
  if (epilogueOf(p).addsBias)
    add(c.numbers[j]);
  const FloatFormat accumulator = formatOf(accOf(p));
  const FloatFormat format = p.depth && !p.storesNarrow ? accumulator : formatOf(p.type);
  double bound = contractionBound(to - from + 1, absolutes, exact, accumulator, format);
  // Both factors are rounded.
  if (p.schedule.find("tf32") != std::string::npos)
    bound += absolutes * unitRoundoff(kTF32) * (2 + unitRoundoff(kTF32));
  auto scale = [&](double factor) {
    exact *= factor;
    bound = bound * std::abs(factor);
    bound += ulp(std::abs(exact) + bound, format) / 2;
  };
  switch (p.after) {
  case After::Nothing:
  case After::Bias:
    break;
  case After::BiasReluCast:
    exact = std::max(exact, 0.0);
    break;
  case After::Residual:
    exact += c.numbers[at];
    bound += ulp(std::abs(exact) + bound, format) / 2;
    break;
  case After::Scale:
    scale(c.numbers[0]);
    break;
  case After::Dropout:
    if (c.numbers[at] == 0)
      return {0, 0, format};
    scale(static_cast<float>(1 / 0.75));
    break;
  case After::ReluGradient:
    if (c.numbers[at] <= 0)
      return {0, 0, format};
    break;
  }
  return {exact, bound, format};
}

/// The operands as they come, and the third input.
struct Inputs {
  Values a, b, c;
};

static Inputs makeInputs(const GemmProblem &p) {
  const FloatFormat format = formatOf(p.type), given = p.castsOperands ? kF32 : format;
  const int64_t rhsBatches = p.sharesRhs ? 1 : p.batches(), results = p.batches() * p.m * p.n;
  const Extra extra = epilogueOf(p).extra;
  Inputs inputs{makeValues(p.batches() * p.m * p.k, given, 1), makeValues(rhsBatches * p.k * p.n, given, 2),
                makeValues(extra == Extra::Result   ? results
                           : extra == Extra::Scalar ? 1
                                                    : p.n,
                           format, 3)};
  if (extra == Extra::Mask) {
    const std::vector<uint64_t> mask = makeMask(results);
    inputs.c.bytes.resize(mask.size() * sizeof mask[0]);
    std::memcpy(inputs.c.bytes.data(), mask.data(), inputs.c.bytes.size());
    inputs.c.numbers.clear(); // the bits
    for (int64_t i = 0; i < results; ++i)
      inputs.c.numbers.push_back(double(mask[i / 64] >> i % 64 & 1));
  }
  return inputs;
}

/// On this processor, whose features the level must not exceed.
static ErrorOr<std::vector<Bytes>> runOnCPU(const GemmProblem &p, const Inputs &inputs) {
  KernelRunner kernel(p.text(), *findCPULevel(p.chip));
  if (!kernel.ok())
    return makeError(kernel.errors, p.text());
  std::vector<Bytes> results;
  for (Buffer &result : kernel.run({{inputs.a.bytes}, {inputs.b.bytes}, {inputs.c.bytes}}))
    results.push_back(std::move(result.bytes));
  return results;
}

ErrorOr<std::vector<Bytes>> GemmProblem::run(const SIMTOptions &options, bool reportAccesses) const {
  const Inputs inputs = makeInputs(*this);
  if (isOfCPU())
    return runOnCPU(*this, inputs);
  KernelOnSimulator kernel(text(), chip, reportAccesses);
  if (!kernel.ok())
    return makeError(kernel.errors, text());
  return kernel.run({inputs.a.bytes, inputs.b.bytes, inputs.c.bytes}, options);
}

std::string GemmProblem::check(const SIMTOptions &options, bool reportAccesses) const {
  ErrorOr<std::vector<Bytes>> results = run(options, reportAccesses);
  if (!results)
    return results.status().message();
  auto [a, b, c] = makeInputs(*this);
  const FloatFormat format = formatOf(type);
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
             << " then " << epilogueOf(p).name << (p.castsOperands ? " casts" : "") << " acc " << p.acc << " depth "
             << p.depth << (p.storesNarrow ? " narrow" : "") << " <" << p.schedule << ">";
}
