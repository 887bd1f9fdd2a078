// Sizes at and around the numbers of a schedule.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel of each kind at sizes from 1 below to 9 above multiples of every number in the schedule that the compiler
// chose for it, with every access checked: no byte beyond a buffer is touched, every byte of a result is written, and
// the results are the evaluator's, bit for bit, since all values are small integers.

#include "Agreement/ProgramText.h"
#include "OpCases/CaseProgram.h"

#include "mp/Devices/SIMT/SIMTDevice.h"
#include "mp/Reference/ReferenceDevice.h"
#include "mp/Runtime/Core/Session.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <ostream>
#include <regex>
#include <set>

using namespace mp;

namespace {

using Types = std::vector<ElementType>;
const Types kAll = {ElementType::F32, ElementType::F16, ElementType::BF16},
            kBoth = {ElementType::F32, ElementType::F16}, kF32Only = {ElementType::F32}, kF16Only = {ElementType::F16};

bool isLong() { return std::getenv("HALFSTEP_LONG") != nullptr; }

/// One op with an open size $N, which is `likely` where its schedule is looked at, and the schedule it must get.
struct SizedKernel {
  std::string name, schedule;
  OpCase use;
  int64_t likely;
  Types types = kBoth;   ///< in the short form
  int64_t multiples = 1; ///< of each number, in the short form

  OpCase at(int64_t size) const {
    OpCase sized = use;
    auto put = [&](std::string &text) { text = std::regex_replace(text, std::regex(R"(\$N)"), std::to_string(size)); };
    for (Operand &operand : sized.operands)
      put(operand.type);
    for (std::string &result : sized.results)
      put(result);
    sized.name = std::to_string(size);
    return sized;
  }

  friend std::ostream &operator<<(std::ostream &out, const SizedKernel &kernel) { return out << kernel.name; }
};

CompileOptions optionsFor(const std::string &target, const std::string &chip) {
  CompileOptions options;
  options.training = false;
  options.specialize.batch = 0;
  options.target = target;
  options.chips = {chip};
  options.reportAccesses = target == "simt";
  options.autocast.policy = "float32";
  return options;
}

CaseProgram programOf(const std::vector<OpCase> &cases, ElementType element) {
  std::vector<const OpCase *> pointers;
  for (const OpCase &use : cases)
    pointers.push_back(&use);
  CaseProgram program;
  program.add(pointers, element);
  // From -2 to 2: every sum is exact in every type and order.
  NamedTensors inputs = program.inputs();
  for (NamedTensor &named : inputs)
    if (isFloat(named.tensor.type.element))
      for (uint64_t i = 0; i < named.tensor.count(); ++i)
        storeElement(named.tensor.bytes, named.tensor.type.element, i, static_cast<double>(i * 7 % 5) - 2);
  return program.with(std::move(inputs));
}

/// The numbers of the schedule that the kernel gets at its likely size.
std::set<int64_t> numbersOf(const SizedKernel &kernel, ElementType element, const std::string &chip) {
  CompileOptions options = optionsFor("simt", chip);
  options.compileTo = Stage::Kernels;
  ProgramText text(programOf({kernel.at(kernel.likely)}, element).text());
  mlir::FailureOr<Compilation> compiled = text.compile(options);
  EXPECT_TRUE(succeeded(compiled)) << text.errors;
  if (failed(compiled))
    return {};
  std::smatch schedule;
  EXPECT_TRUE(std::regex_search(compiled->text, schedule, std::regex("#mp\\." + kernel.schedule + "<([^>]*)>")))
      << compiled->text;
  const std::string parameters = schedule[1];
  std::set<int64_t> numbers;
  const std::regex number("= ([0-9]+)");
  for (std::sregex_iterator at(parameters.begin(), parameters.end(), number), end; at != end; ++at)
    numbers.insert(std::stoll((*at)[1]));
  return numbers;
}

std::vector<OpCase> casesAround(const SizedKernel &kernel, const std::set<int64_t> &numbers) {
  const int64_t multiples = isLong() ? 5 : kernel.multiples;
  std::set<int64_t> sizes;
  for (int64_t number : numbers)
    for (int64_t multiple = 1; multiple <= multiples; ++multiple)
      for (int64_t size = multiple * number - 1; size <= multiple * number + 9; ++size)
        sizes.insert(std::max<int64_t>(size, 1));
  std::vector<OpCase> cases;
  for (int64_t size : sizes)
    cases.push_back(kernel.at(size));
  return cases;
}

ErrorOr<std::unique_ptr<Session>> makeSession(const std::string &text, const std::string &target,
                                              const std::string &chip) {
  ErrorOr<std::shared_ptr<const LoadedExecutable>> file = ProgramText(text).load(optionsFor(target, chip));
  if (!file)
    return file.status();
  DeviceOptions options;
  options.simulation.bounds = options.simulation.uninitialized = true;
  ErrorOr<std::unique_ptr<Device>> device = target == "simt" ? createSIMTDevice(options) : createReferenceDevice({1});
  if (!device)
    return device.status();
  return Session::create(*file, std::move(*device));
}

ErrorOr<NamedTensors> runOn(const CaseProgram &program, const std::string &target, const std::string &chip) {
  ErrorOr<std::unique_ptr<Session>> session = makeSession(program.text(), target, chip);
  return session ? (*session)->run("infer", program.inputs()) : session.status();
}

class Sizes : public testing::TestWithParam<SizedKernel> {};

const std::vector<SizedKernel> kKernels = {
    {"Map", "map", {"mp.relu", "", {{"$Nx$T"}}, {"$Nx$T"}, "mp.relu %0 : {0}"}, 5000, kAll, 2},
    {"MapOfRows", "map", {"mp.add", "", {{"$Nx6x$T"}, {"6x$T"}}, {"$Nx6x$T"}, "mp.add %0, %1 : {0}, {1} -> {r}"}, 900},
    {"MapOfBytes",
     "map",
     {"mp.compare", "", {{"$Nx$T"}, {"$T"}}, {"$Nxi1"}, "mp.compare lt %0, %1 : {0}, {1} -> {r}"},
     5000},
    {"TransposingMap",
     "map",
     {"mp.transpose", "", {{"$Nx40x$T"}}, {"40x$Nx$T"}, "mp.transpose %0 permutation [1, 0] : {0} -> {r}"},
     200,
     kAll},
    {"Row", "row", {"mp.reduce_sum", "", {{"5x$Nx$T"}}, {"5x$T"}, "mp.reduce_sum %0 dimensions [1] : {0} -> {r}"}, 100},
    {"Rows",
     "row",
     {"mp.reduce_max", "", {{"$Nx7x$T"}}, {"$Nx$T"}, "mp.reduce_max %0 dimensions [1] : {0} -> {r}"},
     5000},
    {"Column",
     "column",
     {"mp.reduce_sum", "", {{"9x$Nx$T"}}, {"$Nx$T"}, "mp.reduce_sum %0 dimensions [0] : {0} -> {r}"},
     500},
    {"ColumnOfRows",
     "column",
     {"mp.reduce_sum", "", {{"$Nx7x$T"}}, {"7x$T"}, "mp.reduce_sum %0 dimensions [0] : {0} -> {r}"},
     500},
    {"Partial",
     "partial",
     {"mp.nonfinite_blocks", "", {{"$Nx$T"}}, {"$Nxi32"}, "mp.nonfinite_blocks %0 {block = 1 : i64} : {0} -> {r}"},
     500},
    {"Serial",
     "serial",
     {"mp.reduce_max", "", {{"$Nx$T"}}, {"$T"}, "mp.reduce_max %0 dimensions [0] : {0} -> {r}"},
     1000},
    {"ProductRows",
     "mma",
     {"mp.matmul", "", {{"$Nx20x$T"}, {"20x24x$T"}}, {"$Nx24x$T"}, "mp.matmul %0, %1 acc f32 : {0}, {1} -> {r}"},
     100,
     kF16Only},
    {"ProductColumns",
     "mma",
     {"mp.matmul", "", {{"20x24x$T"}, {"24x$Nx$T"}}, {"20x$Nx$T"}, "mp.matmul %0, %1 acc f32 : {0}, {1} -> {r}"},
     100,
     kF32Only},
    {"ProductDepth",
     "mma",
     {"mp.matmul", "", {{"20x$Nx$T"}, {"$Nx24x$T"}}, {"20x24x$T"}, "mp.matmul %0, %1 acc f32 : {0}, {1} -> {r}"},
     100,
     kF16Only}};

} // namespace

TEST_P(Sizes, TouchNothingBeyondABuffer) {
  const SizedKernel &kernel = GetParam();
  using Chips = std::vector<std::string>;
  for (const std::string &chip : isLong() ? Chips{"sm_70", "sm_75", "sm_80"} : Chips{"sm_80"})
    for (ElementType element : isLong() ? kAll : kernel.types) {
      if (element == ElementType::BF16 && chip != "sm_80") // no chip before it computes in bf16
        continue;
      SCOPED_TRACE(chip + ", " + elementName(element));
      const std::vector<OpCase> cases = casesAround(kernel, numbersOf(kernel, element, chip));
      const CaseProgram program = programOf(cases, element);
      const ErrorOr<NamedTensors> found = runOn(program, "simt", chip);
      ASSERT_TRUE(found.ok()) << found.message();
      const ErrorOr<NamedTensors> expected = runOn(program, "reference", chip);
      ASSERT_TRUE(expected.ok()) << expected.message();
      for (size_t i = 0; i < cases.size(); ++i)
        EXPECT_EQ((*found)[i].tensor.bytes, (*expected)[i].tensor.bytes) << "size " << cases[i].name;
    }
}

/// One parameter and nothing else, in place: a whole kernel for a size that its blocks do not fill.
TEST(UpdatesOfSizes, StayInTheirState) {
  for (int64_t size : {0, 1, 1023, 1024, 1025, 1027, 2049, 65 * 31 * 31}) {
    const std::string w = "tensor<" + std::to_string(size) + "xf32>";
    const std::string text =
        "func.func @infer(%g: " + w + " {mp.input = \"g\"}, %bad: tensor<i32> {mp.input = \"bad\"}, %w: " + w +
        " {mp.parameter = \"w\", mp.initializer = #mp.zeros}, %lr: tensor<f32> {mp.input = " + "\"lr\"}) -> (" + w +
        " {mp.next = \"w\"}) attributes {mp.program = \"infer\"} {\n" + "%n = mp.sgd %w, %g, %lr guard %bad : " + w +
        "\nreturn %n : " + w + "\n}\n";
    ErrorOr<std::unique_ptr<Session>> session = makeSession(text, "simt", "sm_80");
    ASSERT_TRUE(session.ok()) << session.message();
    HostTensor gradient = *zeroTensor(makeType(ElementType::F32, {size})),
               one = *zeroTensor(makeType(ElementType::F32, {}));
    for (float &value : gradient.values<float>())
      value = -3;
    one.values<float>()[0] = 1;
    HostTensor bad = *zeroTensor(makeType(ElementType::I32, {}));
    for (int32_t guard : {-1, 0}) {
      bad.values<int32_t>()[0] = guard;
      const ErrorOr<NamedTensors> ran = (*session)->run("infer", {{"g", gradient}, {"bad", bad}, {"lr", one}});
      ASSERT_TRUE(ran.ok()) << size << ": " << ran.message();
      const HostTensor updated = *(*session)->state("w");
      for (float value : updated.values<float>())
        ASSERT_EQ(value, 3) << size;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, Sizes, testing::ValuesIn(kKernels),
                         [](const testing::TestParamInfo<SizedKernel> &info) { return info.param.name; });
