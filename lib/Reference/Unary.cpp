// Rules of MPUnaryOps.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reference/Unary.h"
#include "Reference/Rules.h"

#include "mp/Numerics/Float.h"

#include <cmath>

using namespace mp;

/// A number of an attribute as an op multiplies by it: in f32, or f64 where its elements are.
static double factorFor(mlir::Value input, const llvm::APFloat &value) {
  const double number = value.convertToDouble();
  return runtimeTypeOf(input).element == ElementType::F64 ? number : static_cast<double>(toF32(number));
}

Tensor rules::evaluate(NegOp op, const Frame &frame) {
  return mapUnary(op, frame, [](double x) { return -x; });
}
Tensor rules::evaluate(AbsOp op, const Frame &frame) {
  return mapUnary(op, frame, [](double x) { return std::abs(x); });
}
Tensor rules::evaluate(FloorOp op, const Frame &frame) {
  return mapUnary(op, frame, [](double x) { return std::floor(x); });
}
Tensor rules::evaluate(RoundOp op, const Frame &frame) {
  return mapUnary(op, frame, [](double x) { return std::nearbyint(x); });
}
Tensor rules::evaluate(ReciprocalOp op, const Frame &frame) {
  return mapUnary(op, frame, [](double x) { return 1 / x; });
}
Tensor rules::evaluate(RsqrtOp op, const Frame &frame) {
  return mapUnary(op, frame, [](double x) { return 1 / std::sqrt(x); });
}
Tensor rules::evaluate(ErfOp op, const Frame &frame) {
  return mapUnary(op, frame, [](double x) { return std::erf(x); });
}
Tensor rules::evaluate(SinOp op, const Frame &frame) {
  return mapUnary(op, frame, [](double x) { return std::sin(x); });
}
Tensor rules::evaluate(CosOp op, const Frame &frame) {
  return mapUnary(op, frame, [](double x) { return std::cos(x); });
}
Tensor rules::evaluate(ClampOp op, const Frame &frame) {
  const ElementType element = runtimeTypeOf(op.getInput()).element;
  auto bound = [&](const llvm::APFloat &value) {
    return decode(encode(value.convertToDouble(), formatOf(element)), formatOf(element));
  };
  const double low = bound(op.getMin()), high = bound(op.getMax());
  return mapUnary(op, frame, [&](double x) { return x < low ? low : x > high ? high : x; });
}

Tensor rules::evaluate(SigmoidOp op, const Frame &frame) {
  return mapUnary(op, frame, [](double x) { return 1 / (1 + std::exp(-x)); });
}
Tensor rules::evaluate(SiluOp op, const Frame &frame) {
  return mapUnary(op, frame, [](double x) { return std::isinf(x) ? std::max(x, -0.0) : x / (1 + std::exp(-x)); });
}
Tensor rules::evaluate(SoftplusOp op, const Frame &frame) {
  return mapUnary(op, frame, [](double x) { return (x > 0 ? x : 0) + std::log1p(std::exp(-std::abs(x))); });
}
Tensor rules::evaluate(LeakyReluOp op, const Frame &frame) {
  const double slope = factorFor(op.getInput(), op.getNegativeSlope());
  return mapUnary(op, frame, [&](double x) { return x < 0 ? slope * x : x; });
}
Tensor rules::evaluate(EluOp op, const Frame &frame) {
  const double alpha = factorFor(op.getInput(), op.getAlpha());
  return mapUnary(op, frame, [&](double x) { return x < 0 ? alpha * std::expm1(x) : x; });
}
Tensor rules::evaluate(SeluOp op, const Frame &frame) {
  return mapUnary(op, frame, [](double x) { return SeluOp::kScale * (x < 0 ? SeluOp::kAlpha * std::expm1(x) : x); });
}

/// min(max(x + 3, 0), 6) / 6; NaN stays NaN.
static double hardSigmoid(double x) { return x <= -3 ? 0 : x >= 3 ? 1 : (x + 3) / 6; }
Tensor rules::evaluate(HardSigmoidOp op, const Frame &frame) { return mapUnary(op, frame, hardSigmoid); }
Tensor rules::evaluate(HardSwishOp op, const Frame &frame) {
  return mapUnary(op, frame, [](double x) { return x <= -3 ? -0.0 : x * hardSigmoid(x); });
}
