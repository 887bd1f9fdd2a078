// Rules of MPElementwiseOps.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reference/Indexing.h"
#include "Reference/Rules.h"
#include "Reference/Unary.h"

#include "mp/Numerics/Philox.h"

#include <cmath>
#include <functional>
#include <numbers>

using namespace mp;

/// The values of an operand at each element of the result.
static std::vector<double> realsOf(mlir::Value operand, mlir::Value result, const Frame &frame) {
  const Tensor &tensor = frame[operand];
  return gather(tensor.reals(), broadcastSources(tensor.type.shape, runtimeTypeOf(result).shape));
}
static std::vector<int64_t> integersOf(mlir::Value operand, mlir::Value result, const Frame &frame) {
  const Tensor &tensor = frame[operand];
  return gather(tensor.integers(), broadcastSources(tensor.type.shape, runtimeTypeOf(result).shape));
}
static bool isFloatValue(mlir::Value value) { return isFloat(runtimeTypeOf(value).element); }

/// `function` of each two values.
template <typename Value, typename Function>
static std::vector<Value> zip(std::vector<Value> lhs, const std::vector<Value> &rhs, Function function) {
  for (size_t i = 0; i < lhs.size(); ++i)
    lhs[i] = function(lhs[i], rhs[i]);
  return lhs;
}

/// `integer` of 64-bit values, which wrap.
template <typename BinaryOp, typename Integer>
static Tensor mapIntegers(BinaryOp op, const Frame &frame, Integer integer) {
  mlir::Value result = op.getResult();
  return Tensor::ofIntegers(runtimeTypeOf(result), zip(integersOf(op.getLhs(), result, frame),
                                                       integersOf(op.getRhs(), result, frame), integer));
}

/// `real` of f64 values, or `integer` of 64-bit ones.
template <typename BinaryOp, typename Real, typename Integer>
static Tensor mapBinary(BinaryOp op, const Frame &frame, Real real, Integer integer) {
  mlir::Value result = op.getResult();
  if (!isFloatValue(result))
    return mapIntegers(op, frame, integer);
  return Tensor::ofReals(runtimeTypeOf(result),
                         zip(realsOf(op.getLhs(), result, frame), realsOf(op.getRhs(), result, frame), real));
}

Tensor rules::evaluate(AddOp op, const Frame &frame) {
  return mapBinary(op, frame, [](double a, double b) { return a + b; }, [](uint64_t a, uint64_t b) { return a + b; });
}
Tensor rules::evaluate(SubOp op, const Frame &frame) {
  return mapBinary(op, frame, [](double a, double b) { return a - b; }, [](uint64_t a, uint64_t b) { return a - b; });
}
Tensor rules::evaluate(MulOp op, const Frame &frame) {
  return mapBinary(op, frame, [](double a, double b) { return a * b; }, [](uint64_t a, uint64_t b) { return a * b; });
}
Tensor rules::evaluate(DivOp op, const Frame &frame) {
  return mapBinary(op, frame, [](double a, double b) { return a / b; }, [](int64_t a, int64_t) { return a; });
}

/// The quotient rounded down, and what it leaves; both are 0 of a division by 0. -1 divides without overflow.
static int64_t floorDivide(int64_t a, int64_t b) {
  if (b == 0 || b == -1)
    return b == 0 ? 0 : static_cast<int64_t>(-static_cast<uint64_t>(a));
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
static int64_t remainderOf(int64_t a, int64_t b) {
  const int64_t rest = b == 0 || b == -1 ? 0 : a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
static double remainderOfReals(double a, double b) {
  const double rest = std::fmod(a, b);
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}
Tensor rules::evaluate(RemainderOp op, const Frame &frame) {
  return mapBinary(op, frame, remainderOfReals, remainderOf);
}
Tensor rules::evaluate(FloorDivideOp op, const Frame &frame) { return mapIntegers(op, frame, floorDivide); }
Tensor rules::evaluate(BitwiseAndOp op, const Frame &frame) { return mapIntegers(op, frame, std::bit_and<>()); }
Tensor rules::evaluate(BitwiseOrOp op, const Frame &frame) { return mapIntegers(op, frame, std::bit_or<>()); }
Tensor rules::evaluate(BitwiseXorOp op, const Frame &frame) { return mapIntegers(op, frame, std::bit_xor<>()); }

/// Whether bits of an element of `value` are left after a shift by `amount`.
static bool leavesBits(mlir::Value value, int64_t amount) {
  return amount >= 0 && amount < static_cast<int64_t>(8 * elementBytes(runtimeTypeOf(value).element));
}
Tensor rules::evaluate(ShiftLeftOp op, const Frame &frame) {
  return mapIntegers(op, frame,
                     [&](uint64_t a, int64_t amount) { return leavesBits(op.getResult(), amount) ? a << amount : 0; });
}
Tensor rules::evaluate(ShiftRightOp op, const Frame &frame) {
  return mapIntegers(
      op, frame, [&](int64_t a, int64_t amount) { return a >> (leavesBits(op.getResult(), amount) ? amount : 63); });
}

Tensor rules::evaluate(PowOp op, const Frame &frame) {
  return mapBinary(op, frame, [](double a, double b) { return std::pow(a, b); }, [](int64_t a, int64_t) { return a; });
}
Tensor rules::evaluate(Atan2Op op, const Frame &frame) {
  return mapBinary(
      op, frame, [](double a, double b) { return std::atan2(a, b); }, [](int64_t a, int64_t) { return a; });
}
Tensor rules::evaluate(PReluOp op, const Frame &frame) {
  return mapBinary(
      op, frame, [](double x, double slope) { return x > 0 ? x : slope * x; }, [](int64_t a, int64_t) { return a; });
}

/// NaN if either is NaN; +0 is larger than -0.
static double maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) ? a : b;
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
Tensor rules::evaluate(MaxOp op, const Frame &frame) {
  return mapBinary(op, frame, maximum, [](int64_t a, int64_t b) { return std::max(a, b); });
}

/// NaN if either is NaN; -0 is smaller than +0.
static double minimum(double a, double b) { return -maximum(-a, -b); }
Tensor rules::evaluate(MinOp op, const Frame &frame) {
  return mapBinary(op, frame, minimum, [](int64_t a, int64_t b) { return std::min(a, b); });
}

Tensor rules::evaluate(ExpOp op, const Frame &frame) {
  return mapUnary(op, frame, [](double x) { return std::exp(x); });
}
Tensor rules::evaluate(LogOp op, const Frame &frame) {
  return mapUnary(op, frame, [](double x) { return std::log(x); });
}
Tensor rules::evaluate(SqrtOp op, const Frame &frame) {
  return mapUnary(op, frame, [](double x) { return std::sqrt(x); });
}
Tensor rules::evaluate(TanhOp op, const Frame &frame) {
  return mapUnary(op, frame, [](double x) { return std::tanh(x); });
}

/// gelu and its derivative at finite x.
static double gelu(double x) { return x / 2 * std::erfc(-x / std::numbers::sqrt2); }
static double geluSlope(double x) {
  const double density = std::exp(-x * x / 2) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
  return std::erfc(-x / std::numbers::sqrt2) / 2 + x * density;
}

/// The tanh form: x times the logistic function of s x (1 + c x^2).
static constexpr double kScale = 2 * std::numbers::sqrt2 * std::numbers::inv_sqrtpi, kCubic = 0.044715;
static double geluTanh(double x) { return x / (1 + std::exp(-kScale * x * (1 + kCubic * x * x))); }
static double geluTanhSlope(double x) {
  const double e = std::exp(-kScale * x * (1 + kCubic * x * x)), logistic = 1 / (1 + e);
  return logistic + x * kScale * (1 + 3 * kCubic * x * x) * e * logistic * logistic;
}

Tensor rules::evaluate(GeluOp op, const Frame &frame) {
  const auto function = op.getApproximate() == GeluApproximation::tanh ? geluTanh : gelu;
  return mapUnary(op, frame, [&](double x) { return std::isinf(x) ? std::max(x, -0.0) : function(x); });
}
Tensor rules::evaluate(ReluOp op, const Frame &frame) {
  return mapUnary(op, frame, [](double x) { return x < 0 ? 0.0 : x; });
}

/// `function` of each value that decides and of the gradient there.
template <typename Function>
static Tensor mapGradient(mlir::Value decides, mlir::Value gradient, const Frame &frame, Function function) {
  const std::vector<double> at = frame[decides].reals();
  std::vector<double> values = frame[gradient].reals();
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = function(at[i], values[i]);
  return Tensor::ofReals(runtimeTypeOf(gradient), values);
}

Tensor rules::evaluate(ReluGradOp op, const Frame &frame) {
  return mapGradient(op.getOutput(), op.getGradient(), frame, [](double y, double g) { return y <= 0 ? 0 : g; });
}
Tensor rules::evaluate(TanhGradOp op, const Frame &frame) {
  return mapGradient(op.getOutput(), op.getGradient(), frame, [](double y, double g) { return (1 - y) * (1 + y) * g; });
}
Tensor rules::evaluate(GeluGradOp op, const Frame &frame) {
  // Far out, where its factors would be infinite or 0, the derivative is its limit.
  const bool isTanhForm = op.getApproximate() == GeluApproximation::tanh;
  const double end = isTanhForm ? 21 : 40;
  return mapGradient(op.getInput(), op.getGradient(), frame, [&](double x, double g) {
    const double slope = x < -end ? -0.0 : x > end ? 1.0 : isTanhForm ? geluTanhSlope(x) : geluSlope(x);
    return slope * g;
  });
}

template <typename T> static bool holds(ComparePredicate predicate, T a, T b) {
  switch (predicate) {
  case ComparePredicate::eq:
    return a == b;
  case ComparePredicate::ne:
    return a != b;
  case ComparePredicate::lt:
    return a < b;
  case ComparePredicate::le:
    return a <= b;
  case ComparePredicate::gt:
    return a > b;
  case ComparePredicate::ge:
    return a >= b;
  }
  llvm_unreachable("all predicates are above");
}

Tensor rules::evaluate(CompareOp op, const Frame &frame) {
  mlir::Value result = op.getResult();
  auto compare = [&](const auto &lhs, const auto &rhs) {
    std::vector<int64_t> answers;
    for (size_t i = 0; i < lhs.size(); ++i)
      answers.push_back(holds(op.getPredicate(), lhs[i], rhs[i]));
    return Tensor::ofIntegers(runtimeTypeOf(result), answers);
  };
  if (isFloatValue(op.getLhs()))
    return compare(realsOf(op.getLhs(), result, frame), realsOf(op.getRhs(), result, frame));
  return compare(integersOf(op.getLhs(), result, frame), integersOf(op.getRhs(), result, frame));
}

Tensor rules::evaluate(IsFiniteOp op, const Frame &frame) {
  std::vector<int64_t> answers;
  for (double value : frame[op.getInput()].reals())
    answers.push_back(std::isfinite(value));
  return Tensor::ofIntegers(runtimeTypeOf(op.getResult()), answers);
}

Tensor rules::evaluate(LogicalAndOp op, const Frame &frame) { return mapIntegers(op, frame, std::logical_and<>()); }
Tensor rules::evaluate(LogicalOrOp op, const Frame &frame) { return mapIntegers(op, frame, std::logical_or<>()); }
Tensor rules::evaluate(LogicalNotOp op, const Frame &frame) {
  std::vector<int64_t> flags = frame[op.getInput()].integers();
  for (int64_t &flag : flags)
    flag = flag == 0;
  return Tensor::ofIntegers(runtimeTypeOf(op.getResult()), flags);
}

Tensor rules::evaluate(SelectOp op, const Frame &frame) {
  mlir::Value result = op.getResult();
  auto select = [&](auto values, const auto &others) {
    const std::vector<int64_t> condition = integersOf(op.getCondition(), result, frame);
    for (size_t i = 0; i < values.size(); ++i)
      if (!condition[i])
        values[i] = others[i];
    return values;
  };
  mlir::Value yes = op.getTrueValue(), no = op.getFalseValue();
  if (isFloatValue(result))
    return Tensor::ofReals(runtimeTypeOf(result), select(realsOf(yes, result, frame), realsOf(no, result, frame)));
  return Tensor::ofIntegers(runtimeTypeOf(result),
                            select(integersOf(yes, result, frame), integersOf(no, result, frame)));
}

/// `values`, of which those that are kept are scaled and the others 0.
template <typename IsKept> static void dropValues(std::vector<double> &values, double rate, IsKept isKept) {
  const float scale = toF32(1.0 / (1.0 - rate));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = isKept(i) ? values[i] * scale : 0.0;
}

Tensor rules::evaluate(DropoutOp op, const Frame &frame) {
  std::vector<double> values = frame[op.getInput()].reals();
  const std::vector<int64_t> rng = frame[op.getRng()].integers();
  const double rate = op.getRate().convertToDouble();
  const std::vector<int64_t> numbers = reductionTargets(frame[op.getInput()].type.shape, op.getShared());
  dropValues(values, rate,
             [&](size_t i) { return uniformFloat(randomBits(rng[0], rng[1], op.getStream(), numbers[i])) >= rate; });
  return Tensor::ofReals(runtimeTypeOf(op.getResult()), values);
}

Tensor rules::evaluate(DropoutMaskOp op, const Frame &frame) {
  TensorTypeT type = runtimeTypeOf(op.getMask());
  const std::vector<int64_t> rng = frame[op.getRng()].integers();
  const double rate = op.getRate().convertToDouble();
  std::vector<int64_t> words(*elementCount(type), 0);
  for (uint64_t i = 0; i < 64 * words.size(); ++i)
    if (uniformFloat(randomBits(rng[0], rng[1], op.getStream(), i)) >= rate)
      words[i / 64] |= int64_t(uint64_t(1) << i % 64);
  return Tensor::ofIntegers(std::move(type), words);
}

Tensor rules::evaluate(MaskedDropoutOp op, const Frame &frame) {
  std::vector<double> values = frame[op.getInput()].reals();
  const std::vector<int64_t> words = frame[op.getMask()].integers();
  dropValues(values, op.getRate().convertToDouble(),
             [&](size_t i) { return (uint64_t(words[i / 64]) >> i % 64 & 1) != 0; });
  return Tensor::ofReals(runtimeTypeOf(op.getResult()), values);
}
