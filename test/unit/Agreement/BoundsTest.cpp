// The bounds are smaller than faults.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a device computes that leaves out a term of each sum, a bias, or the share of a row in a mean is farther from
// the evaluator than Agreement allows, in the data of each case. Terms are left out by operands that have nothing to
// add, 0 or the logarithm of 0, which the evaluator takes.

#include "Agreement/Bounds.h"
#include "Agreement/Machine.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

using namespace mp;

namespace {

/// Elements of the operands of a case that are made to add nothing.
struct Breakage {
  size_t operand;
  std::function<bool(uint64_t)> isLeftOut;
  double nothing = 0;
};

/// Which of the terms of a sum: the first, one in the middle, the last.
enum class Which { First, Middle, Last };

uint64_t pick(Which which, uint64_t count) {
  return which == Which::First ? 0 : which == Which::Middle ? count / 2 : count - 1;
}

/// Whether an op works along rows.
bool isOfRows(const std::string &op) {
  return op.starts_with("mp.softmax") || op == "mp.log_softmax" || op == "mp.rms_norm" || op == "mp.l2_normalize" ||
         op.starts_with("mp.layer_norm");
}

/// Leaves out the term of the prediction that is farthest from 0 in the first, second or last third: it is as its
/// target, or its logit far off.
Breakage leaveOutLoss(const OpCase &use, const std::vector<Tensor> &operands, Which which) {
  const uint64_t count = operands.front().count(), third = pick(which, 3);
  uint64_t chosen = count * third / 3;
  for (uint64_t i = chosen; i < std::max(chosen + 1, count * (third + 1) / 3); ++i)
    if (std::abs(elementAt(operands[0], i)) > std::abs(elementAt(operands[0], chosen)))
      chosen = i;
  const double nothing = use.op.ends_with("_loss") ? elementAt(operands[1], chosen) : -50;
  return {0, [=](uint64_t index) { return index == chosen; }, nothing};
}

/// Whether an op is a loss of rows of classes that reads what each class adds.
bool isOfClasses(const OpCase &use, const std::vector<Tensor> &operands) {
  return use.op == "mp.cross_entropy" || use.op == "mp.nll_loss" || use.op == "mp.kl_div" ||
         (use.op == "mp.softmax_cross_entropy" && isFloat(operands[1].type.element));
}

/// Leaves out what a class adds: its probability is 0, or its logarithm where it is the label of a row that counts.
Breakage leaveOutClass(const OpCase &use, const std::vector<Tensor> &operands, Which which) {
  if (isFloat(operands[1].type.element)) {
    // The one that adds most in the first, second or last third.
    auto adds = [&](uint64_t i) {
      const double x = elementAt(operands[0], i), t = elementAt(operands[1], i);
      const double log = use.op == "mp.cross_entropy" ? std::log(std::clamp(x, 1e-7, 1.0))
                         : use.op == "mp.kl_div"      ? x - std::log(t)
                                                      : x - 3;
      return t > 0 ? t * std::abs(log) : 0;
    };
    const uint64_t count = operands[1].count(), third = pick(which, 3);
    uint64_t chosen = count * third / 3;
    for (uint64_t i = 0; i < count; ++i)
      if (adds(i) > adds(chosen) && (i * 3 / count == third || adds(chosen) == 0))
        chosen = i;
    return {1, [=](uint64_t index) { return index == chosen; }};
  }
  const std::vector<int64_t> labels = operands[1].integers();
  const uint64_t columns = operands[0].count() / labels.size();
  const bool ignores = use.text.find("ignore_label = 3") != std::string::npos;
  std::vector<uint64_t> hits;
  for (uint64_t r = 0; r < labels.size(); ++r)
    if (!ignores || labels[r] != 3)
      hits.push_back(r * columns + static_cast<uint64_t>(labels[r]));
  const uint64_t chosen = hits.empty() ? operands[0].count() : hits[pick(which, hits.size())];
  return {0, [=](uint64_t index) { return index == chosen; }, use.op == "mp.cross_entropy" ? 1.0 : 0.0};
}

/// Leaves out one term of every sum of a case.
Breakage leaveOutTerm(const OpCase &use, const std::vector<Tensor> &operands, Which which) {
  const std::vector<int64_t> &shape = operands.front().type.shape;
  const bool isExponential =
      (use.op.starts_with("mp.softmax") || use.op == "mp.log_softmax") && use.op != "mp.softmax_grad";
  if (isOfClasses(use, operands))
    return leaveOutClass(use, operands, which);
  if (use.op.ends_with("_loss") || use.op.ends_with("sigmoid_cross_entropy"))
    return leaveOutLoss(use, operands, which);
  if (use.op.starts_with("mp.attention")) { // an element of a value, or of the gradient, is a term of many
    const size_t operand = use.op == "mp.attention" ? 2 : 4;
    const uint64_t chosen = pick(which, operands[operand].count());
    return {operand, [=](uint64_t index) { return index == chosen; }};
  }
  if (!isOfRows(use.op) && !use.op.starts_with("mp.matmul")) {
    const size_t ofTerms = use.op == "mp.top_k_grad" ? 1 : 0; // behind places
    const uint64_t chosen = pick(which, operands[ofTerms].count());
    return {ofTerms, [=](uint64_t index) { return index == chosen; }};
  }
  const bool isTransposed = use.text.find("transpose_lhs") != std::string::npos;
  const size_t dimension = shape.size() - (isTransposed ? 2 : 1);
  const auto terms = static_cast<uint64_t>(shape[dimension]),
             inner = isTransposed ? static_cast<uint64_t>(shape.back()) : 1;
  // A label's column is no mere term, and labels are below 5.
  const uint64_t chosen =
      use.op.starts_with("mp.softmax_cross") ? std::max<uint64_t>(pick(which, terms), 5) : pick(which, terms);
  return {0, [=](uint64_t index) { return index / inner % terms == chosen; },
          isExponential ? -std::numeric_limits<double>::infinity() : 0};
}

/// Whether Agreement sees the difference, whatever the rest of a device's errors are: an element is farther off than
/// what twice is allowed.
bool isSeen(const HostTensor &found, const HostTensor &expected, const std::vector<double> &allowed,
            const std::function<bool(uint64_t)> &counts) {
  for (uint64_t i = 0; i < expected.count(); ++i)
    if (counts(i) && std::abs(elementAt(found, i) - elementAt(expected, i)) > 2 * allowed[i])
      return true;
  return false;
}

/// The cases of an op, what the evaluator gives for them, and the bounds.
struct Evaluated {
  std::vector<const OpCase *> cases;
  CaseProgram program;
  std::shared_ptr<const LoadedExecutable> file; ///< compiled once, for all inputs
  std::vector<std::vector<Tensor>> operands;    ///< by case
  NamedTensors expected;
  std::vector<std::vector<double>> allowed; ///< by result

  Evaluated(const std::string &op, ElementType element) : cases(nativeCases(op)) {
    std::erase_if(cases, [&](const OpCase *use) { return !use->isTyped() && element != ElementType::F32; });
    program.add(cases, element);
    const ErrorOr<std::shared_ptr<const LoadedExecutable>> compiled = compileFor(program, kEvaluator);
    EXPECT_TRUE(compiled.ok()) << compiled.message();
    if (!compiled.ok())
      return;
    file = *compiled;
    const ErrorOr<NamedTensors> results = runOn(file, program.inputs(), kEvaluator, 1);
    const ErrorOr<NamedTensors> absolute = runOn(file, absolutes(program.inputs()), kEvaluator, 1);
    EXPECT_TRUE(results.ok() && absolute.ok()) << results.message() << absolute.message();
    if (!results.ok() || !absolute.ok())
      return;
    expected = *results;
    for (const OpCase *use : cases) {
      operands.push_back(fillOperands(*use, element));
      for (size_t j = 0; j < use->results.size(); ++j) {
        const size_t result = allowed.size();
        allowed.push_back(allowedErrors(*use, operands.back(), expected[result].tensor, (*absolute)[result].tensor, j));
      }
    }
  }

  /// The results of all cases with their faults.
  ErrorOr<NamedTensors> runWith(const std::vector<Breakage> &faults) const {
    NamedTensors inputs = program.inputs();
    size_t input = 0;
    for (size_t i = 0; i < cases.size(); input += cases[i++]->operands.size()) {
      HostTensor &tensor = inputs[input + faults[i].operand].tensor;
      for (uint64_t index = 0; index < tensor.count(); ++index)
        if (faults[i].isLeftOut(index))
          storeElement(tensor.bytes, tensor.type.element, index, faults[i].nothing);
    }
    return runOn(file, inputs, kEvaluator, 1);
  }
};

class Bounds : public testing::TestWithParam<std::string> {};

std::vector<std::string> summedOps() {
  std::vector<std::string> ops;
  for (const std::string &op : opsWithCases())
    if (isSummed(op))
      ops.push_back(op);
  return ops;
}

} // namespace

TEST_P(Bounds, aTermThatIsMissingIsSeen) {
  const Evaluated op(GetParam(), ElementType::F32);
  ASSERT_TRUE(op.file);
  for (Which which : {Which::First, Which::Middle, Which::Last}) {
    std::vector<Breakage> faults;
    for (size_t i = 0; i < op.cases.size(); ++i)
      faults.push_back(leaveOutTerm(*op.cases[i], op.operands[i], which));
    const ErrorOr<NamedTensors> found = op.runWith(faults);
    ASSERT_TRUE(found.ok()) << found.message();
    for (size_t i = 0, result = 0; i < op.cases.size(); result += op.cases[i++]->results.size()) {
      if (op.operands[i].front().type.shape.back() == 1 && isOfRows(GetParam()))
        continue; // a softmax of one term is 1, and one term less its mean 0
      if (op.expected[result].tensor.count() == 0)
        continue;
      if (op.cases[i]->name == "shorter than epsilon")
        continue; // no term of the length counts
      // An image's element may meet padding alone, or lie where a stride, or a size that is smaller, steps over it.
      // A running sum may leave out the element itself, and a key that is masked weighs nothing.
      const bool hasWindows =
          GetParam().starts_with("mp.conv") || GetParam().starts_with("mp.depthwise_conv") ||
          GetParam().starts_with("mp.avg_pool") || GetParam().starts_with("mp.resize") || GetParam() == "mp.resample" ||
          (GetParam().starts_with("mp.attention") && op.cases[i]->name.find("mask") != std::string::npos) ||
          op.cases[i]->text.find("exclusive") != std::string::npos;
      if (hasWindows && (*found)[result].tensor.bytes == op.expected[result].tensor.bytes)
        continue;
      // Of a row's results the others count, those that were left out are nothing anyway.
      const bool isOfRow = !op.expected[result].tensor.type.shape.empty() &&
                           op.expected[result].tensor.count() == op.operands[i].front().count();
      bool isAnySeen = false;
      for (size_t j = 0; j < op.cases[i]->results.size(); ++j)
        isAnySeen |=
            isSeen((*found)[result + j].tensor, op.expected[result + j].tensor, op.allowed[result + j],
                   [&](uint64_t index) { return !isOfRows(GetParam()) || !isOfRow || !faults[i].isLeftOut(index); });
      EXPECT_TRUE(isAnySeen) << GetParam() << ", " << op.cases[i]->name << ", term " << static_cast<int>(which);
    }
  }
}

TEST(BoundsOfProducts, aBiasThatIsMissingIsSeen) {
  for (ElementType element : {ElementType::F32, ElementType::F16, ElementType::BF16}) {
    const Evaluated op("mp.matmul", element);
    ASSERT_TRUE(op.file);
    std::vector<Breakage> faults;
    for (const OpCase *use : op.cases)
      faults.push_back({use->operands.size() - 1, [=](uint64_t) { return use->operands.size() == 3; }});
    const ErrorOr<NamedTensors> found = op.runWith(faults);
    ASSERT_TRUE(found.ok()) << found.message();
    for (size_t i = 0; i < op.cases.size(); ++i) {
      if (op.cases[i]->operands.size() < 3)
        continue;
      EXPECT_TRUE(isSeen((*found)[i].tensor, op.expected[i].tensor, op.allowed[i], [](uint64_t) { return true; }))
          << op.cases[i]->name << ", " << elementName(element);
    }
  }
}

// Elements that were not divided by the number of rows, or of terms: wherever they are, in a vector or behind the last.
TEST(BoundsOfMeans, aShareThatIsMissingIsSeenInEachElement) {
  for (const char *name : {"mp.reduce_mean", "mp.softmax_cross_entropy", "mp.softmax_cross_entropy_grad"})
    for (ElementType element : {ElementType::F32, ElementType::F16, ElementType::BF16}) {
      const Evaluated op(name, element);
      ASSERT_TRUE(op.file);
      for (size_t i = 0; i < op.cases.size(); ++i) {
        if (op.cases[i]->text.find("label_smoothing") != std::string::npos)
          continue; // a probability may be nearly what smoothing wants it to be
        const Tensor &first = op.operands[i].front();
        const HostTensor &expected = op.expected[i].tensor;
        const uint64_t shares =
            op.cases[i]->op == "mp.reduce_mean" ? first.count() / expected.count() : op.operands[i][1].count();
        for (uint64_t j = 0; j < expected.count() && shares > 1; ++j) {
          const double value = elementAt(expected, j), wrong = value * static_cast<double>(shares);
          EXPECT_TRUE(value == 0 || std::abs(wrong - value) > 2 * op.allowed[i][j])
              << name << ", " << op.cases[i]->name << ", " << elementName(element) << ", element " << j << ": " << value
              << ", allowed are " << op.allowed[i][j];
        }
      }
    }
}

static std::string nameOf(const testing::TestParamInfo<std::string> &info) {
  return info.param.substr(info.param.find('.') + 1);
}

INSTANTIATE_TEST_SUITE_P(Ops, Bounds, testing::ValuesIn(summedOps()), nameOf);
