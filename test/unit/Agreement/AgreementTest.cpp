//===- AgreementTest.cpp - devices against the evaluator, every op -----===//
//
// Part of Halfstep, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every case of OpCases in f32, f16 and bf16: compiled for a device and for the evaluator, run on the same inputs and
// compared under these bounds: the same bits for movement, casts and correctly rounded ops, ulps for elementary
// functions, the forward bound for sums. One host thread and two, and another order of a GPU's threads, give the same
// bits. The cases of one op and type are one program.
//
//===----------------------------------------------------------------------===//

#include "OpCases/CaseProgram.h"
#include "ProgramText.h"

#include "mp/IR/MP.h"
#include "mp/Numerics/ErrorBounds.h"
#include "mp/Reference/ReferenceDevice.h"
#include "mp/Runtime/CPU/CPUDevice.h"
#include "mp/Runtime/SIMT/SIMTDevice.h"
#include "mp/Runtime/Session.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

using namespace mp;

namespace {

/// A device that is compared with the evaluator, and the chip that it plays.
struct Machine {
  std::string target, chip;

  bool isGPU() const { return target == "simt"; }
};

const std::vector<Machine> kMachines = {{"cpu", ""}, {"simt", "sm_70"}, {"simt", "sm_75"}, {"simt", "sm_80"}};

ErrorOr<std::unique_ptr<Device>> createDevice(const std::string &target, unsigned threads) {
  if (target == "simt") {
    // One host thread runs the threads of a block in their order, two in another; every access is checked.
    DeviceOptions options{threads};
    options.simulation.seed = threads - 1;
    options.simulation.bounds = options.simulation.races = options.simulation.uninitialized = true;
    return createSIMTDevice(options);
  }
  return target == "cpu" ? createCPUDevice({threads}) : createReferenceDevice({threads});
}

/// The outputs of a program on a device, or what went wrong.
ErrorOr<NamedTensors> runOn(const CaseProgram &program, const Machine &machine, unsigned threads) {
  CompileOptions options;
  options.training = false;
  options.target = machine.target;
  if (!machine.chip.empty())
    options.chips = {machine.chip};
  options.reportAccesses = machine.isGPU();
  options.autocast.policy = "float32";
  ErrorOr<std::shared_ptr<const LoadedExecutable>> file = ProgramText(program.text()).load(options);
  if (!file)
    return file.status();
  ErrorOr<std::unique_ptr<Device>> device = createDevice(machine.target, threads);
  if (!device)
    return device.status();
  ErrorOr<std::unique_ptr<Session>> session = Session::create(*file, std::move(*device));
  return session ? (*session)->run("infer", program.inputs()) : session.status();
}

/// Elementary functions, and a product whose f32 value is rounded again: ulps in f32, and in f16 and bf16.
const std::map<std::string, std::pair<double, double>> kUlps = {
    {"mp.exp", {2, 1}}, {"mp.log", {2, 1}}, {"mp.dropout", {0, 1}}};

/// Ops that sum: the forward bound on the sum of absolute terms, which the op gives for absolute operands.
const std::set<std::string> kSums = {
    "mp.matmul",      "mp.matmul_parts",       "mp.reduce_sum",         "mp.reduce_mean",
    "mp.global_norm", "mp.sum_squares_blocks", "mp.clip_by_global_norm"};

/// Rows of exponentials, with the size of what is added up for each class.
const std::map<std::string, double> kRows = {{"mp.softmax", 0},
                                             {"mp.softmax_grad", 18},
                                             {"mp.softmax_cross_entropy", 4},
                                             {"mp.softmax_cross_entropy_rows", 4},
                                             {"mp.softmax_cross_entropy_grad", 3},
                                             {"mp.softmax_cross_entropy_grad_rows", 3}};

NamedTensors absolutes(const NamedTensors &tensors) {
  NamedTensors result = tensors;
  for (NamedTensor &named : result)
    if (isFloat(named.tensor.type.element))
      for (uint64_t i = 0; i < named.tensor.count(); ++i)
        storeElement(named.tensor.bytes, named.tensor.type.element, i, std::abs(elementAt(named.tensor, i)));
  return result;
}

/// How far element values may be apart; the evaluator's value is rounded itself, half an ulp more. `terms` bounds the
/// number of additions, `absolute` is the sum of absolute terms.
double allowedError(const OpCase &use, ElementType type, double expected, uint64_t terms, double absolute) {
  const std::string &op = use.op;
  const FloatFormat format = formatOf(type), acc = use.text.find("acc f16") == std::string::npos ? kF32 : kF16;
  if (auto ulps = kUlps.find(op); ulps != kUlps.end())
    return (type == ElementType::F32 ? ulps->second.first : ulps->second.second) * ulp(expected, format);
  if (kSums.contains(op))
    return contractionBound(terms, absolute, expected, acc, format) + ulp(expected, format) / 2;
  if (auto size = kRows.find(op); size != kRows.end())
    return contractionBound(terms + 16, std::abs(expected) + size->second * terms, expected, kF32, format) +
           ulp(expected, format) / 2;
  return 0;
}

void compare(const OpCase &use, const HostTensor &found, const HostTensor &expected, const HostTensor &absolute,
             uint64_t terms) {
  ASSERT_EQ(found.type, expected.type);
  int wrong = 0;
  for (uint64_t i = 0; i < expected.count() && wrong < 3; ++i) {
    const double a = elementAt(found, i), b = elementAt(expected, i);
    if (a == b || (std::isnan(a) && std::isnan(b)))
      continue;
    const bool bounded = isFloat(expected.type.element);
    const double allowed = bounded ? allowedError(use, expected.type.element, b, terms, elementAt(absolute, i)) : 0;
    if (std::abs(a - b) <= allowed)
      continue;
    ++wrong;
    ADD_FAILURE() << "element " << i << ": the device has " << a << ", the evaluator " << b << ", allowed are "
                  << allowed;
  }
}

/// Compares the devices on these cases; a program that does not run is a failure.
void expectAgreement(const Machine &machine, const std::vector<const OpCase *> &cases, ElementType element) {
  CaseProgram program;
  program.add(cases, element);
  const ErrorOr<NamedTensors> one = runOn(program, machine, 1);
  if (!one && cases.size() > 1) { // one by one, to say which
    for (const OpCase *use : cases)
      expectAgreement(machine, {use}, element);
    return;
  }
  SCOPED_TRACE(cases.front()->op + ", " + elementName(element) + (cases.size() == 1 ? ": " + cases.front()->name : ""));
  ASSERT_TRUE(one.ok()) << one.message() << program.text();
  const ErrorOr<NamedTensors> two = runOn(program, machine, 2), expected = runOn(program, {"reference", ""}, 1);
  ASSERT_TRUE(two.ok()) << two.message();
  ASSERT_TRUE(expected.ok()) << expected.message();
  const ErrorOr<NamedTensors> absolute = runOn(program.with(absolutes(program.inputs())), {"reference", ""}, 1);
  ASSERT_TRUE(absolute.ok()) << absolute.message();
  for (size_t i = 0, result = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(cases[i]->name);
    uint64_t terms = 8;
    for (const Tensor &operand : fillOperands(*cases[i], element))
      terms = std::max<uint64_t>(terms, operand.type.shape.size() > 4 ? 0 : operand.count());
    // No sum has more terms than the operand it runs over; a product's are those of one row or column, and a bias.
    if (cases[i]->op == "mp.matmul") {
      const std::vector<int64_t> lhs = fillOperands(*cases[i], element).front().type.shape;
      terms = static_cast<uint64_t>(1 + *std::max_element(lhs.begin(), lhs.end()));
    }
    for (size_t j = 0; j < cases[i]->results.size(); ++j, ++result) {
      EXPECT_EQ((*one)[result].tensor.bytes, (*two)[result].tensor.bytes) << "the order of threads changes bits";
      compare(*cases[i], (*one)[result].tensor, (*expected)[result].tensor, (*absolute)[result].tensor, terms);
    }
  }
}

/// Cases that a machine computes: chips before sm_80 have no bf16, a product is cut into parts for GPUs only, and tiles
/// are those of a product (TileTest.cpp).
bool computes(const Machine &machine, const OpCase &use, ElementType element) {
  if (use.op == "mp.sum_row_blocks" || use.op == "mp.nonfinite_tiles")
    return false;
  if (!machine.isGPU())
    return use.op != "mp.matmul_parts";
  return !usesBF16(use, element) || machine.chip == "sm_80";
}

/// One test for each op and machine.
class Agreement : public testing::TestWithParam<std::tuple<std::string, Machine>> {};

} // namespace

TEST_P(Agreement, computesWhatTheEvaluatorComputes) {
  const auto &[op, machine] = GetParam();
  for (ElementType element : {ElementType::F32, ElementType::F16, ElementType::BF16}) {
    std::vector<const OpCase *> chosen;
    for (const OpCase *use : nativeCases(op))
      if (computes(machine, *use, element) && (use->isTyped() || element == ElementType::F32))
        chosen.push_back(use);
    if (!chosen.empty())
      expectAgreement(machine, chosen, element);
  }
}

static std::string nameOf(const testing::TestParamInfo<std::tuple<std::string, Machine>> &info) {
  const auto &[op, machine] = info.param;
  const std::string name = op.substr(op.find('.') + 1) + "_" + machine.target;
  return machine.chip.empty() ? name : name + "_" + machine.chip;
}

INSTANTIATE_TEST_SUITE_P(Ops, Agreement,
                         testing::Combine(testing::ValuesIn(opsWithCases()), testing::ValuesIn(kMachines)), nameOf);

TEST(AgreementTable, coversEveryOp) {
  mlir::MLIRContext context;
  context.loadDialect<MPDialect>();
  for (mlir::RegisteredOperationName name : context.getRegisteredOperationsByDialect("mp"))
    EXPECT_TRUE(name.getInterface<KernelOpInterface>()->getKernelRole() == KernelRole::None ||
                !nativeCases(name.getStringRef().str()).empty())
        << name.getStringRef().str() << " has no case in OpCases";
}
