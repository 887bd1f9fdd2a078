// Ops over tensors of no elements.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cases of OpCases with one of their sizes made 0, wherever an op takes that: the devices have the evaluator's
// values, and the evaluator has NumPy's: a sum of nothing is 0, its mean NaN, its maximum -inf.

#include "Agreement/ProgramText.h"
#include "OpCases/CaseProgram.h"

#include "mp/Devices/CPU/CPUDevice.h"
#include "mp/Devices/SIMT/SIMTDevice.h"
#include "mp/Reference/ReferenceDevice.h"
#include "mp/Runtime/Core/Session.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <regex>
#include <set>

using namespace mp;

namespace {

const std::vector<std::string> kTargets = {"cpu", "simt"};

/// Every size of a type's text that is `size` as 0.
std::string emptied(const std::string &type, const std::string &size) {
  return std::regex_replace(type, std::regex("(^|x)" + size + "(?=x)"), "$010");
}

/// The same of the types that an op's text states.
std::string emptiedText(const std::string &text, const std::string &size) {
  static const std::regex type("tensor<([^>]*)>");
  std::string result;
  auto rest = text.cbegin();
  for (std::smatch found; std::regex_search(rest, text.cend(), found, type); rest = found.suffix().first)
    result += found.prefix().str() + "tensor<" + emptied(found[1], size) + ">";
  return result + std::string(rest, text.cend());
}

/// A case with each of its sizes as 0, one after another.
std::vector<OpCase> emptiedCases(const OpCase &use) {
  std::set<std::string> sizes;
  const std::regex number("(^|x)([0-9]+)(?=x)");
  for (const Operand &operand : use.operands)
    for (std::sregex_iterator at(operand.type.begin(), operand.type.end(), number), end; at != end; ++at)
      sizes.insert((*at)[2]);
  std::vector<OpCase> cases;
  for (const std::string &size : sizes) {
    OpCase empty = use;
    empty.name += ", 0 for " + size;
    for (Operand &operand : empty.operands)
      operand.type = emptied(operand.type, size);
    for (std::string &result : empty.results)
      result = emptied(result, size);
    empty.text = emptiedText(empty.text, size);
    cases.push_back(empty);
    // What counts elements or blocks of them has none.
    for (std::string &result : empty.results)
      result = std::regex_replace(result, std::regex("^[0-9]+(?=x)"), "0");
    cases.push_back(std::move(empty));
  }
  return cases;
}

CaseProgram programOf(const std::vector<const OpCase *> &cases, ElementType element) {
  CaseProgram program;
  program.add(cases, element);
  // Whole numbers, none of them 0: what is still summed is exact.
  NamedTensors inputs = program.inputs();
  for (NamedTensor &named : inputs)
    if (isFloat(named.tensor.type.element))
      for (uint64_t i = 0; i < named.tensor.count(); ++i) {
        const double value = elementAt(named.tensor, i);
        storeElement(named.tensor.bytes, named.tensor.type.element, i,
                     value < 0 ? std::floor(value) : std::ceil(value));
      }
  return program.with(std::move(inputs));
}

ErrorOr<NamedTensors> runOn(const std::string &text, const NamedTensors &inputs, const std::string &target) {
  CompileOptions options;
  options.training = false;
  options.specialize.batch = 0;
  options.target = target;
  options.chips = {"sm_80"};
  options.reportAccesses = target == "simt";
  options.autocast.policy = "float32";
  ErrorOr<std::shared_ptr<const LoadedExecutable>> file = ProgramText(text).load(options);
  if (!file)
    return file.status();
  DeviceOptions simulated;
  simulated.simulation.bounds = simulated.simulation.races = simulated.simulation.uninitialized = true;
  ErrorOr<std::unique_ptr<Device>> device = target == "simt"  ? createSIMTDevice(simulated)
                                            : target == "cpu" ? createCPUDevice()
                                                              : createReferenceDevice();
  if (!device)
    return device.status();
  ErrorOr<std::unique_ptr<Session>> session = Session::create(*file, std::move(*device));
  return session ? (*session)->run("infer", inputs) : session.status();
}

void expectAgreement(const std::string &target, const std::vector<const OpCase *> &cases, ElementType element) {
  const CaseProgram program = programOf(cases, element);
  const ErrorOr<NamedTensors> found = runOn(program.text(), program.inputs(), target);
  if (!found && cases.size() > 1) { // one by one, to say which
    for (const OpCase *use : cases)
      expectAgreement(target, {use}, element);
    return;
  }
  ASSERT_TRUE(found.ok()) << found.message() << program.text();
  const ErrorOr<NamedTensors> expected = runOn(program.text(), program.inputs(), "reference");
  ASSERT_TRUE(expected.ok()) << expected.message() << program.text();
  for (size_t i = 0, result = 0; i < cases.size(); ++i)
    for (size_t j = 0; j < cases[i]->results.size(); ++j, ++result) {
      const HostTensor &own = (*found)[result].tensor, &theirs = (*expected)[result].tensor;
      ASSERT_EQ(own.type, theirs.type);
      for (uint64_t at = 0; at < theirs.count(); ++at) {
        const double a = elementAt(own, at), b = elementAt(theirs, at);
        EXPECT_TRUE(a == b || (std::isnan(a) && std::isnan(b)))
            << target << ", " << cases[i]->op << ", " << cases[i]->name << ", " << elementName(element) << ": element "
            << at << " of result " << j << " is " << a << ", expected " << b;
      }
    }
}

class Empty : public testing::TestWithParam<std::string> {};

} // namespace

TEST_P(Empty, IsWhatTheEvaluatorSays) {
  bool takesTensors = false, isRun = false;
  for (ElementType element : {ElementType::F32, ElementType::F16}) {
    std::vector<OpCase> valid;
    for (const OpCase *use : nativeCases(GetParam())) {
      if (use->large || (element == ElementType::F16 && !use->isTyped()) || usesBF16(*use, element))
        continue;
      for (OpCase &empty : emptiedCases(*use)) {
        takesTensors = true;
        // What the op's constraints refuse, they refuse for the evaluator, too.
        if (ProgramText(programOf({&empty}, element).text()).errors.empty())
          valid.push_back(std::move(empty));
      }
    }
    std::vector<const OpCase *> cases;
    for (const OpCase &use : valid)
      cases.push_back(&use);
    isRun |= !cases.empty();
    for (const std::string &target : kTargets)
      if (!cases.empty())
        expectAgreement(target, cases, element);
  }
  // (seed, step) is never empty.
  const bool isOfRng =
      GetParam() == "mp.advance" || GetParam() == "mp.dropout_mask" || GetParam() == "mp.random_uniform";
  EXPECT_TRUE(isRun || !takesTensors || isOfRng) << "no case of " << GetParam() << " is allowed";
}

static const char *const kOfNothing = R"(
func.func @infer(%x: tensor<0x3xf32> {mp.input = "x"}, %a: tensor<2x0xf16> {mp.input = "a"}, %b: tensor<0x3xf16> {mp.input = "b"},
    %bias: tensor<3xf16> {mp.input = "bias"}, %labels: tensor<0xi32> {mp.input = "labels"})
    -> (tensor<3xf32> {mp.output = "sum"}, tensor<3xf32> {mp.output = "mean"}, tensor<3xf32> {mp.output = "max"},
        tensor<2x3xf16> {mp.output = "product"}, tensor<2x3xf16> {mp.output = "biased"}, tensor<f32> {mp.output = "norm"},
        tensor<f32> {mp.output = "loss"}, tensor<i32> {mp.output = "bad"}, tensor<0xi32> {mp.output = "classes"})
    attributes {mp.program = "infer"} {
  %sum = mp.reduce_sum %x dimensions [0] : tensor<0x3xf32> -> tensor<3xf32>
  %mean = mp.reduce_mean %x dimensions [0] : tensor<0x3xf32> -> tensor<3xf32>
  %max = mp.reduce_max %x dimensions [0] : tensor<0x3xf32> -> tensor<3xf32>
  %product = mp.matmul %a, %b acc f32 : tensor<2x0xf16>, tensor<0x3xf16> -> tensor<2x3xf16>
  %biased = mp.matmul %a, %b bias %bias : tensor<3xf16> acc f32 : tensor<2x0xf16>, tensor<0x3xf16> -> tensor<2x3xf16>
  %norm = mp.global_norm %x : tensor<0x3xf32>
  %loss = mp.softmax_cross_entropy %x, %labels : tensor<0x3xf32>, tensor<0xi32> -> tensor<f32>
  %bad = mp.check_finite %x {names = ["x"]} : tensor<0x3xf32>
  %classes = mp.argmax %x dimension 1 : tensor<0x3xf32> -> tensor<0xi32>
  return %sum, %mean, %max, %product, %biased, %norm, %loss, %bad, %classes : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3xf16>, tensor<2x3xf16>, tensor<f32>, tensor<f32>, tensor<i32>, tensor<0xi32>
}
)";

TEST(EmptyOperands, GiveWhatNumPyGives) {
  const auto empty = [](ElementType element, std::vector<int64_t> shape) {
    return *zeroTensor(makeType(element, std::move(shape)));
  };
  HostTensor bias = empty(ElementType::F16, {3});
  for (uint64_t i = 0; i < 3; ++i)
    storeElement(bias.bytes, ElementType::F16, i, static_cast<double>(i) - 1.5);
  const NamedTensors inputs = {{"x", empty(ElementType::F32, {0, 3})},
                               {"a", empty(ElementType::F16, {2, 0})},
                               {"b", empty(ElementType::F16, {0, 3})},
                               {"bias", bias},
                               {"labels", empty(ElementType::I32, {0})}};
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const std::vector<std::vector<double>> expected = {{0, 0, 0},
                                                     {nan, nan, nan},
                                                     {-inf, -inf, -inf},
                                                     {0, 0, 0, 0, 0, 0},
                                                     {-1.5, -0.5, 0.5, -1.5, -0.5, 0.5},
                                                     {0},
                                                     {nan},
                                                     {-1},
                                                     {}};
  for (const std::string target : {"reference", "cpu", "simt"}) {
    const ErrorOr<NamedTensors> found = runOn(kOfNothing, inputs, target);
    ASSERT_TRUE(found.ok()) << target << ": " << found.message();
    for (size_t result = 0; result < expected.size(); ++result) {
      const HostTensor &own = (*found)[result].tensor;
      ASSERT_EQ(own.count(), expected[result].size());
      for (uint64_t i = 0; i < own.count(); ++i) {
        const double a = elementAt(own, i), b = expected[result][i];
        EXPECT_TRUE(a == b || (std::isnan(a) && std::isnan(b)))
            << (*found)[result].name << " is " << a << " on " << target << ", expected " << b;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ops, Empty, testing::ValuesIn(opsWithCases()),
                         [](const testing::TestParamInfo<std::string> &info) {
                           return info.param.substr(info.param.find('.') + 1);
                         });
