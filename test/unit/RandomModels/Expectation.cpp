// What a program must give, and how closely.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RandomModels/Expectation.h"

#include "mp/IR/Program.h"

#include "llvm/ADT/DenseMap.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <sstream>

using namespace mp;

namespace {

/// A value and what it could be after roundings in other directions; without samples it is what the device has.
struct Range {
  Tensor value;
  Tensors samples;
};

class Expectation {
public:
  Expectation(mlir::func::FuncOp program, const ResultOf &found, size_t samples, bool splitsF16)
      : program(program), found(found), samples(samples), splitsF16(splitsF16) {}

  std::optional<std::string> check(const Tensors &arguments);

private:
  Tensors operandsOf(mlir::Operation *op, std::optional<size_t> sample) const;
  std::optional<std::string> evaluate(mlir::Operation *op);
  std::optional<std::string> settle(mlir::OpResult result, Range &range, const std::vector<double> &allowed);
  void perturb(Tensor &tensor, const std::vector<double> &by);

  mlir::func::FuncOp program;
  const ResultOf &found;
  const size_t samples;
  const bool splitsF16;
  llvm::DenseMap<mlir::Value, Range> ranges;
  std::mt19937 random{1};
};

} // namespace

Tensors Expectation::operandsOf(mlir::Operation *op, std::optional<size_t> sample) const {
  Tensors operands;
  for (mlir::Value operand : op->getOperands()) {
    const Range &range = ranges.at(operand);
    operands.push_back(sample && !range.samples.empty() ? range.samples[*sample] : range.value);
  }
  return operands;
}

void Expectation::perturb(Tensor &tensor, const std::vector<double> &by) {
  for (uint64_t i = 0; i < tensor.count(); ++i)
    if (by[i] != 0) {
      const double direction = static_cast<double>(random() % 3) - 1;
      storeElement(tensor.bytes, tensor.type.element, i, elementAt(tensor, i) + direction * by[i]);
    }
}

/// How far `tensor` is from `other` in an element; infinite where only one is a number.
static double distance(const HostTensor &tensor, const HostTensor &other, uint64_t i) {
  const double a = elementAt(tensor, i), b = elementAt(other, i);
  if (a == b || (std::isnan(a) && std::isnan(b)))
    return 0;
  const double apart = std::abs(a - b);
  return std::isnan(apart) ? INFINITY : apart;
}

/// Compares with what the device has, which then stands for the value.
std::optional<std::string> Expectation::settle(mlir::OpResult result, Range &range,
                                               const std::vector<double> &allowed) {
  for (mlir::OpOperand &use : result.getUses()) {
    if (!mlir::isa<mlir::func::ReturnOp>(use.getOwner()))
      continue;
    const HostTensor &device = found(use.getOperandNumber());
    for (uint64_t i = 0; i < range.value.count(); ++i) {
      if (distance(device, range.value, i) <= allowed[i])
        continue;
      std::ostringstream text;
      text << "result " << getResultName(program, use.getOperandNumber()).str() << " of "
           << result.getOwner()->getName().getStringRef().str() << ", element " << i << ": the device has "
           << elementAt(device, i) << ", the evaluator " << elementAt(range.value, i) << ", allowed are " << allowed[i];
      return text.str();
    }
    static_cast<HostTensor &>(range.value) = device;
    range.samples.clear();
  }
  return std::nullopt;
}

std::optional<std::string> Expectation::evaluate(mlir::Operation *op) {
  const Tensors operands = operandsOf(op, std::nullopt), results = evaluateAlone(op, operands);
  const bool isNoisy =
      llvm::any_of(op->getOperands(), [&](mlir::Value operand) { return !ranges.at(operand).samples.empty(); });
  std::vector<Tensors> others;
  for (size_t sample = 0; isNoisy && sample < samples; ++sample)
    others.push_back(evaluateAlone(op, operandsOf(op, sample)));
  for (mlir::OpResult result : op->getResults()) {
    const size_t index = result.getResultNumber();
    Range range{results[index], {}};
    std::vector<double> allowed = allowedErrors(op, operands, results, index, splitsF16);
    const std::vector<double> own = allowed;
    const bool errs = std::ranges::any_of(own, [](double error) { return error != 0; });
    for (size_t sample = 0; (isNoisy || errs) && sample < samples; ++sample) {
      range.samples.push_back(isNoisy ? others[sample][index] : results[index]);
      for (uint64_t i = 0; i < allowed.size(); ++i)
        allowed[i] = std::max(allowed[i], own[i] + 2 * distance(range.samples.back(), results[index], i));
      perturb(range.samples.back(), own);
    }
    if (std::optional<std::string> difference = settle(result, range, allowed))
      return difference;
    ranges[result] = std::move(range);
  }
  return std::nullopt;
}

std::optional<std::string> Expectation::check(const Tensors &arguments) {
  for (auto [argument, tensor] : llvm::zip_equal(program.getArguments(), arguments))
    ranges[argument] = {tensor, {}};
  for (mlir::Operation &op : program.getBody().front().without_terminator())
    if (std::optional<std::string> difference = evaluate(&op))
      return difference;
  for (mlir::OpOperand &returned : getReturn(program)->getOpOperands())
    if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(returned.get());
        argument && found(returned.getOperandNumber()).bytes != arguments[argument.getArgNumber()].bytes)
      return "result " + getResultName(program, returned.getOperandNumber()).str() +
             " is an argument and has other bits";
  return std::nullopt;
}

std::optional<std::string> mp::findDifference(mlir::func::FuncOp program, const Tensors &arguments,
                                              const ResultOf &found, bool splitsF16) {
  // Few samples miss how a comparison of close values may go; many are taken only where that could be the reason.
  static constexpr size_t kFew = 3, kMany = 40;
  if (!Expectation(program, found, kFew, splitsF16).check(arguments))
    return std::nullopt;
  return Expectation(program, found, kMany, splitsF16).check(arguments);
}
