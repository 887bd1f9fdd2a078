// Derivative rules against differences.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every case of every differentiable op in f64: what mp-autodiff makes of it, evaluated, against central differences of
// the op itself. The loss is the sum of all results that are floats, each element with a weight of its own.

#include "Reference/Program.h"

#include "OpCases/OpCases.h"

#include "mp/IR/Program.h"
#include "mp/Transforms/Passes.h"

#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <set>

using namespace mp;

namespace {

/// A model whose loss is of one op, with the arguments to evaluate it on. Float operands are parameters p0, p1, ...
struct LossModel {
  std::string text;
  std::vector<Tensor> arguments;
};

std::string argumentAttributes(const OpInstance &instance, size_t i, bool isRng) {
  const std::string number = std::to_string(i);
  if (isRng)
    return "{mp.state = \"rng\"}";
  if (isFloat(parseTensorType(instance.operands[i]).element))
    return "{mp.parameter = \"p" + number + "\", mp.initializer = #mp.zeros}";
  return "{mp.input = \"i" + number + "\"}";
}

/// The weights of a result's elements, drawn by a seed of their own.
Tensor lossWeights(const std::string &type, size_t index) {
  TensorTypeT shape = parseTensorType(type);
  std::mt19937_64 random(1000 + index);
  std::uniform_real_distribution<double> weight(0.5, 1.5);
  std::vector<double> values(*elementCount(shape));
  for (double &value : values)
    value = weight(random);
  return Tensor::ofReals(std::move(shape), values);
}

LossModel makeLossModel(const OpCase &use) {
  const OpInstance instance = instantiate(use, ElementType::F64);
  LossModel model{"", fillOperands(use, ElementType::F64)};
  std::string signature, body = "  " + instance.statement + "\n", loss;
  for (size_t i = 0; i < instance.operands.size(); ++i)
    signature += "%" + std::to_string(i) + ": " + instance.operands[i] + " " +
                 argumentAttributes(instance, i, use.operands[i].fill == Fill::Rng) + ", ";
  for (size_t i = 0; i < instance.results.size(); ++i) {
    const std::string number = std::to_string(i), &type = instance.results[i];
    if (!isFloat(parseTensorType(type).element))
      continue; // places: constant where they have a derivative
    signature += "%w" + number + ": " + type + " {mp.input = \"w" + number + "\"}, ";
    model.arguments.push_back(lossWeights(type, i));
    std::string dimensions;
    for (size_t d = 0; d < model.arguments.back().type.shape.size(); ++d)
      dimensions += (d ? ", " : "") + std::to_string(d);
    body += "  %p" + number + " = mp.mul " + instance.result(i) + ", %w" + number + " : " + type + ", " + type +
            " -> " + type + "\n";
    body += "  %s" + number + " = mp.reduce_sum %p" + number + " dimensions [" + dimensions + "] : " + type +
            " -> tensor<f64>\n";
    const std::string sum = loss.empty() ? "%s" + number : "%l" + number;
    if (!loss.empty())
      body += "  " + sum + " = mp.add " + loss + ", %s" + number + " : tensor<f64>, tensor<f64> -> tensor<f64>\n";
    loss = sum;
  }
  signature.resize(signature.size() - 2);
  model.text = "func.func @model(" + signature +
               ") -> (tensor<f64> {mp.loss}) attributes {mp.program = \"model\"} {\n" + body + "  return " + loss +
               " : tensor<f64>\n}\n";
  return model;
}

double evaluateLoss(Program &program, llvm::ArrayRef<Tensor> arguments) {
  llvm::FailureOr<std::vector<Tensor>> results = evaluate(program.func("model"), arguments);
  if (failed(results)) {
    ADD_FAILURE() << program.errors();
    return NAN;
  }
  return results->front().reals().front();
}

/// (loss(x + h) - loss(x - h)) / 2h in one element, with the h that was really added.
double centralDifference(Program &program, std::vector<Tensor> arguments, size_t argument, size_t element) {
  auto lossAt = [&](double value) {
    std::memcpy(&arguments[argument].bytes[8 * element], &value, 8);
    return evaluateLoss(program, arguments);
  };
  double x;
  std::memcpy(&x, &arguments[argument].bytes[8 * element], 8);
  const double h = 1e-5;
  const double above = x + h, below = x - h;
  return (lossAt(above) - lossAt(below)) / (above - below);
}

void expectGradientsMatch(const OpCase &use) {
  const LossModel model = makeLossModel(use);
  Program forward(model.text), backward(model.text);
  ASSERT_TRUE(forward.func("model")) << forward.errors() << model.text;
  mlir::PassManager passes(backward.getContext());
  passes.addPass(createAutodiffPass());
  ASSERT_TRUE(succeeded(passes.run(backward.getModule()))) << backward.errors() << model.text;
  mlir::func::FuncOp step = backward.func("train_step");
  ASSERT_TRUE(step);
  llvm::FailureOr<std::vector<Tensor>> results = evaluate(step, model.arguments);
  ASSERT_TRUE(succeeded(results)) << backward.errors();

  for (size_t argument = 0; argument < use.operands.size(); ++argument) {
    if (!isFloat(model.arguments[argument].type.element))
      continue;
    std::optional<unsigned> index = findResult(step, ResultRole::Gradient, "p" + std::to_string(argument));
    ASSERT_TRUE(index) << "operand " << argument << " gets no gradient";
    const std::vector<double> gradient = (*results)[*index].reals();
    for (size_t element = 0; element < gradient.size(); ++element) {
      const double expected = centralDifference(forward, model.arguments, argument, element);
      // Relative 1e-6; the difference itself is off by some 1e-10 from cancellation.
      const double tolerance = 1e-6 * std::max(std::abs(expected), std::abs(gradient[element])) + 1e-9;
      EXPECT_NEAR(gradient[element], expected, tolerance) << "operand " << argument << ", element " << element;
    }
  }
}

/// A case that differences in f64 can check: its op is computed in f64, and small enough.
bool isDifferenceable(const OpCase &use) {
  if (!use.isTyped() || use.large)
    return false;
  bool hasReal = false;
  const OpInstance instance = instantiate(use, ElementType::F64);
  for (const std::string &operand : instance.operands) {
    const ElementType element = parseTensorType(operand).element;
    hasReal |= element == ElementType::F64;
    if (isFloat(element) && element != ElementType::F64)
      return false;
  }
  return hasReal && parseTensorType(instance.results.front()).element == ElementType::F64;
}

/// Whether the gradient of an op is its derivative: there is one, and the op is not about another (GradientRules
/// below).
bool hasItsDerivative(mlir::OperationName name) {
  return name.getInterface<DerivativeOpInterface>()->getDifferentiability() == Differentiability::Differentiable &&
         !name.hasTrait<OpTrait::GivesFirstOperand>();
}

} // namespace

TEST(Gradient, everyDifferentiableOpMatchesCentralDifferences) {
  Program dialect("");
  std::set<std::string> checked;
  for (const OpCase &use : opCases()) {
    const mlir::OperationName name(use.op, dialect.getContext());
    ASSERT_TRUE(name.isRegistered()) << use.op;
    if (!hasItsDerivative(name) || !isDifferenceable(use))
      continue;
    SCOPED_TRACE(use.op + ": " + use.name);
    expectGradientsMatch(use);
    checked.insert(use.op);
  }
  for (mlir::RegisteredOperationName name : dialect.getContext()->getRegisteredOperationsByDialect("mp"))
    if (hasItsDerivative(name)) {
      EXPECT_TRUE(checked.contains(name.getStringRef().str()))
          << name.getStringRef().str() << " has no case in OpCases";
    }
}

// The loss is sum(w * rule(x, y)), whose derivative in x would be w.
TEST(GradientRules, sayWhatTheGradientIs) {
  struct Rule {
    const char *text;
    double ofFirst, ofSecond; ///< times w; 0 where there is none
  };
  const Rule rules[] = {{"mp.stop_gradient %x", 0, 0},
                        {"mp.straight_through %x, %y", 0, 1},
                        {"mp.straight_through %x, %x", 1, 0},
                        {"mp.reverse_gradient %x", -1, 0},
                        {"mp.reverse_gradient %x {scale = 0.25 : f64}", -0.25, 0},
                        {"mp.reverse_gradient %x {scale = -3.0 : f64}", 3, 0}};
  for (const Rule &rule : rules) {
    const std::string type = "tensor<3xf64>", parameter = ": " + type + " {mp.initializer = #mp.zeros, mp.parameter = ";
    Program program(
        "func.func @model(%x" + parameter + "\"x\"}, %y" + parameter + "\"y\"}, %z" + parameter +
        "\"z\"}, %w: " + type +
        " {mp.input = \"w\"}) -> (tensor<f64> {mp.loss}) attributes {mp.program = \"model\"} {\n%r = " + rule.text +
        " : " + type + "\n%a = mp.add %r, %z : " + type + ", " + type + " -> " + type +
        "\n%p = mp.mul %a, %w : " + type + ", " + type + " -> " + type +
        "\n%l = mp.reduce_sum %p dimensions [0] : " + type + " -> tensor<f64>\nreturn %l : tensor<f64>\n}\n");
    mlir::PassManager passes(program.getContext());
    passes.addPass(createAutodiffPass());
    ASSERT_TRUE(succeeded(passes.run(program.getModule()))) << program.errors();
    mlir::func::FuncOp step = program.func("train_step");
    step.walk([&](mlir::Operation *op) { EXPECT_FALSE(op->hasTrait<OpTrait::GivesFirstOperand>()) << rule.text; });
    const std::vector<double> weights = {0.5, -2, 3};
    const Tensor own = Tensor::ofReals(makeType(ElementType::F64, {3}), {1, 2, 3});
    auto results = evaluate(step, {own, own, own, Tensor::ofReals(makeType(ElementType::F64, {3}), weights)});
    ASSERT_TRUE(succeeded(results)) << program.errors();
    for (auto [name, factor] : {std::pair("x", rule.ofFirst), std::pair("y", rule.ofSecond)}) {
      std::optional<unsigned> index = findResult(step, ResultRole::Gradient, name);
      ASSERT_EQ(bool(index), factor != 0) << rule.text << ", " << name;
      for (size_t i = 0; index && i < weights.size(); ++i)
        EXPECT_EQ((*results)[*index].reals()[i], factor * weights[i]) << rule.text << ", " << name;
    }
  }
}
