// Devices against the evaluator, every op.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every case of OpCases in f32, f16 and bf16: compiled for a device and for the evaluator, run on the same inputs and
// compared under the bounds of Bounds.h. One host thread and two, and another order of a GPU's threads, give the same
// bits. The cases of one op and type are one program. Chips before sm_80 differ from it in their products: of those
// every third case is run there, all with HALFSTEP_LONG.

#include "Agreement/Bounds.h"
#include "Agreement/Machine.h"

#include "mp/IR/MP.h"

#include <gtest/gtest.h>

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

#include <cmath>
#include <cstdlib>

using namespace mp;

namespace {

const std::vector<Machine> kMachines = {{"cpu", ""}, {"simt", "sm_70"}, {"simt", "sm_75"}, {"simt", "sm_80"}};
constexpr ElementType kElements[] = {ElementType::F32, ElementType::F16, ElementType::BF16};

void compare(const HostTensor &found, const HostTensor &expected, const std::vector<double> &allowed) {
  ASSERT_EQ(found.type, expected.type);
  int wrong = 0;
  for (uint64_t i = 0; i < expected.count() && wrong < 3; ++i) {
    const double a = elementAt(found, i), b = elementAt(expected, i);
    const double most = allowed[i % allowed.size()]; // of one row of those that are broadcast
    if (a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= most)
      continue;
    ++wrong;
    ADD_FAILURE() << "element " << i << ": the device has " << a << ", the evaluator " << b << ", allowed are " << most;
  }
}

/// What a case computes is the first of the rows that it is broadcast to.
HostTensor firstRow(HostTensor tensor) {
  tensor.bytes.resize(tensor.bytes.size() / static_cast<size_t>(tensor.type.shape.front()));
  tensor.type.shape.erase(tensor.type.shape.begin());
  return tensor;
}

/// Compares the devices on these cases; a program that does not run is a failure.
void expectAgreement(const Machine &machine, const std::vector<const OpCase *> &cases, ElementType element,
                     bool broadcasts = false) {
  CaseProgram program;
  program.add(cases, element, broadcasts);
  const ErrorOr<std::shared_ptr<const LoadedExecutable>> file = compileFor(program, machine);
  const NamedTensors inputs = program.inputs();
  const ErrorOr<NamedTensors> one = file ? runOn(*file, inputs, machine, 1) : file.status();
  if (!one && cases.size() > 1) { // one by one, to say which
    for (const OpCase *use : cases)
      expectAgreement(machine, {use}, element, broadcasts);
    return;
  }
  SCOPED_TRACE(cases.front()->op + ", " + elementName(element) + (cases.size() == 1 ? ": " + cases.front()->name : ""));
  ASSERT_TRUE(one.ok()) << one.message() << program.text();
  const ErrorOr<std::shared_ptr<const LoadedExecutable>> reference = compileFor(program, kEvaluator);
  ASSERT_TRUE(reference.ok()) << reference.message();
  const ErrorOr<NamedTensors> two = runOn(*file, inputs, machine, 2);
  const ErrorOr<NamedTensors> expected = runOn(*reference, inputs, kEvaluator, 1);
  ASSERT_TRUE(two.ok()) << two.message();
  ASSERT_TRUE(expected.ok()) << expected.message();
  const ErrorOr<NamedTensors> absolute = runOn(*reference, absolutes(inputs), kEvaluator, 1);
  ASSERT_TRUE(absolute.ok()) << absolute.message();
  for (size_t i = 0, result = 0; i < cases.size(); ++i) {
    SCOPED_TRACE(cases[i]->name);
    const std::vector<Tensor> operands = fillOperands(*cases[i], element);
    for (size_t j = 0; j < cases[i]->results.size(); ++j, ++result) {
      EXPECT_EQ((*one)[result].tensor.bytes, (*two)[result].tensor.bytes) << "the order of threads changes bits";
      const HostTensor &value = (*expected)[result].tensor, &size = (*absolute)[result].tensor;
      compare((*one)[result].tensor, value,
              allowedErrors(*cases[i], operands, broadcasts ? firstRow(value) : value,
                            broadcasts ? firstRow(size) : size, j, machine.splitsF16()));
    }
  }
}

/// Whether an op is of the tiles of a product, which TileTest.cpp and both TileMomentsTest.cpp compute.
bool isOfTiles(const std::string &op) {
  return op == "mp.sum_row_blocks" || op == "mp.row_block_moments" || op == "mp.nonfinite_tiles";
}

/// Cases that a machine computes: chips before sm_80 have no bf16, a matrix product is cut into parts for GPUs, the
/// gradient of a filter for them into parts of whole steps of k.
bool computes(const Machine &machine, const OpCase &use, ElementType element) {
  if (isOfTiles(use.op))
    return false;
  if (use.op == "mp.conv_filter_grad_parts" && machine.isGPU() && use.text.find(" depth 64 ") == std::string::npos)
    return false;
  if (!machine.isGPU())
    return use.op != "mp.matmul_parts";
  return !usesBF16(use, element) || machine.chip == "sm_80";
}

/// What of an op's cases a machine runs in that type: see above.
std::vector<const OpCase *> sampleFor(const Machine &machine, const std::string &op, ElementType element) {
  std::vector<const OpCase *> cases = nativeCases(op);
  llvm::erase_if(cases, [&](const OpCase *use) {
    return !computes(machine, *use, element) || (!use->isTyped() && element != ElementType::F32);
  });
  if (!machine.isGPU() || machine.chip == "sm_80" || std::getenv("HALFSTEP_LONG"))
    return cases;
  static constexpr size_t kEvery = 3;
  std::vector<const OpCase *> sample;
  for (size_t i = machine.chip == "sm_70" ? 0 : 1; isProduct(op) && i < cases.size(); i += kEvery)
    sample.push_back(cases[i]);
  return sample;
}

/// One test for each machine and op, in this order, so that parts of equal length take equal time.
class Agreement : public testing::TestWithParam<std::tuple<Machine, std::string>> {};

/// One test for each machine.
class OneElement : public testing::TestWithParam<Machine> {};

} // namespace

TEST_P(Agreement, computesWhatTheEvaluatorComputes) {
  const auto &[machine, op] = GetParam();
  for (ElementType element : kElements)
    if (const std::vector<const OpCase *> sample = sampleFor(machine, op, element); !sample.empty())
      expectAgreement(machine, sample, element);
}

/// Every op in every type with sizes of 1, as it is and broadcast; some share a program.
TEST_P(OneElement, computesWhatTheEvaluatorComputes) {
  for (ElementType element : kElements)
    for (bool broadcasts : {false, true}) {
      std::vector<const OpCase *> chosen;
      for (const OpCase &use : singleElementCases())
        if (computes(GetParam(), use, element) && (use.isTyped() || element == ElementType::F32))
          chosen.push_back(&use);
      static constexpr size_t kTogether = 32;
      for (size_t first = 0; first < chosen.size(); first += kTogether) {
        const size_t end = std::min(first + kTogether, chosen.size());
        expectAgreement(GetParam(), {&chosen[first], &chosen[end - 1] + 1}, element, broadcasts);
      }
    }
}

static std::string machineName(const Machine &machine) {
  return machine.chip.empty() ? machine.target : machine.target + "_" + machine.chip;
}

static std::string nameOf(const testing::TestParamInfo<std::tuple<Machine, std::string>> &info) {
  const auto &[machine, op] = info.param;
  return op.substr(op.find('.') + 1) + "_" + machineName(machine);
}

static std::vector<std::tuple<Machine, std::string>> allSamples() {
  std::vector<std::tuple<Machine, std::string>> samples;
  for (const Machine &machine : kMachines)
    for (const std::string &op : opsWithCases())
      if (llvm::any_of(kElements, [&](ElementType element) { return !sampleFor(machine, op, element).empty(); }))
        samples.emplace_back(machine, op);
  return samples;
}

INSTANTIATE_TEST_SUITE_P(Ops, Agreement, testing::ValuesIn(allSamples()), nameOf);
INSTANTIATE_TEST_SUITE_P(Machines, OneElement, testing::Values(kMachines.front(), kMachines.back()),
                         [](const auto &info) { return machineName(info.param); });

TEST(AgreementTable, coversEveryOp) {
  llvm::StringSet<> computed;
  for (const auto &[machine, op] : allSamples())
    computed.insert(op);
  mlir::MLIRContext context;
  context.loadDialect<MPDialect>();
  for (mlir::RegisteredOperationName name : context.getRegisteredOperationsByDialect("mp"))
    EXPECT_TRUE(llvm::is_contained({KernelRole::None, KernelRole::Pack, KernelRole::Unpack},
                                   name.getInterface<KernelOpInterface>()->getKernelRole()) ||
                isOfTiles(name.getStringRef().str()) || computed.contains(name.getStringRef()))
        << name.getStringRef().str() << " has no case in OpCases that a machine computes";
}
