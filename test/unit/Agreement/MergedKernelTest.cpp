// Kernels of many roots.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Forty tensors of one kind become one kernel, which takes its buffers from memory and has one body for those that are
// alike. On the simulated device, with every access checked, it computes what the evaluator does. Inputs are small
// integers: sums have the same bits in any order.

#include "Agreement/ProgramText.h"
#include "OpCases/CaseProgram.h"

#include "mp/Devices/SIMT/SIMTDevice.h"
#include "mp/Reference/ReferenceDevice.h"
#include "mp/Runtime/Core/Session.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace mp;
using mp::executable::LaunchT;

namespace {

constexpr int kRoots = 40;

/// A use of an op for root `index`.
using MakeCase = OpCase (*)(int index);

struct Kind {
  const char *name;
  MakeCase make;
};

std::string number(int value) { return std::to_string(value); }

/// Sizes in no order, some of them equal, from 1.
int sizeOf(int index) { return 1 + index * 37 % 23 * (index % 4 == 0 ? 97 : 3); }

OpCase map(int index) {
  const std::string size = number(sizeOf(index)) + "x$T";
  return {"mp.mul", "", {{size}, {"$T"}}, {size}, "mp.mul %0, %1 : {0}, {1} -> {r}"};
}

OpCase matrices(int index) {
  const std::string size = number(1 + index % 5) + "x" + number(sizeOf(index)) + "x$T";
  return {"mp.add", "", {{size}, {size}}, {size}, "mp.add %0, %1 : {0}, {1} -> {r}"};
}

OpCase equalMaps(int) { return {"mp.relu", "", {{"8x8x$T"}}, {"8x8x$T"}, "mp.relu %0 : {0}"}; }

OpCase singles(int) { return {"mp.mul", "", {{"1x$T"}, {"$T"}}, {"1x$T"}, "mp.mul %0, %1 : {0}, {1} -> {r}"}; }

OpCase scalars(int) { return {"mp.mul", "", {{"$T"}, {"$T"}}, {"$T"}, "mp.mul %0, %1 : {0}, {1} -> {r}"}; }

OpCase transposes(int index) {
  const std::string rows = number(index % 3 == 0 ? 64 : 5), columns = number(index % 3 == 1 ? 7 : 32);
  return {"mp.transpose",
          "",
          {{rows + "x" + columns + "x$T"}},
          {columns + "x" + rows + "x$T"},
          "mp.transpose %0 permutation [1, 0] : {0} -> {r}"};
}

/// Of the shapes of a transpose's result and its operand, smaller ones, and two transposes of different shapes.
OpCase besideTransposes(int index) {
  if (index % 10 == 0)
    return transposes(index % 20 == 0 ? 0 : 2);
  static const char *const kShapes[] = {"32x64", "32x5", "8", "3x5", "64x32", "129"};
  const std::string shape = std::string(kShapes[index % 6]) + "x$T";
  return {"mp.relu", "", {{shape}}, {shape}, "mp.relu %0 : {0}"};
}

OpCase broadcasts(int index) {
  const std::string columns = number(3 + index % 4);
  return {"mp.add",
          "",
          {{"9x" + columns + "x$T"}, {columns + "x$T"}},
          {"9x" + columns + "x$T"},
          "mp.add %0, %1 : {0}, {1} -> {r}"};
}

OpCase columns(int index) {
  const std::string size = number(sizeOf(index)) + "x$T";
  return {"mp.reduce_sum",
          "",
          {{number(5 + index % 2 * 8) + "x" + size}},
          {size},
          "mp.reduce_sum %0 dimensions [0] : {0} -> {r}"};
}

/// Of tables and indices of several sizes, which are read whole.
OpCase scatters(int index) {
  const std::string rows = number(2 + index % 5), columns = number(sizeOf(index % 6)), updates = number(1 + index % 7);
  return {"mp.scatter_add",
          "",
          {{rows + "x" + columns + "x$T"}, {updates + "xi32", Fill::Labels}, {updates + "x" + columns + "x$T"}},
          {rows + "x" + columns + "x$T"},
          "mp.scatter_add %0, %1, %2 dimension 0 : {0}, {1}, {2} -> {r}"};
}

OpCase gathers(int index) {
  const std::string rows = number(2 + index % 5), columns = number(sizeOf(index % 6)), picks = number(1 + index % 7);
  return {"mp.gather",
          "",
          {{rows + "x" + columns + "x$T"}, {picks + "xi32", Fill::Labels}},
          {picks + "x" + columns + "x$T"},
          "mp.gather %0, %1 dimension 0 : {0}, {1} -> {r}"};
}

OpCase partial(int index) {
  const int size = sizeOf(index);
  return {"mp.nonfinite_blocks",
          "",
          {{number(size) + "xf32", index % 3 ? Fill::Signed : Fill::Overflow}},
          {number((size + 255) / 256) + "xi32"},
          "mp.nonfinite_blocks %0 {block = 256 : i64} : {0} -> {r}"};
}

OpCase partialSums(int index) {
  const int size = sizeOf(index);
  return {"mp.sum_squares_blocks",
          "",
          {{number(size) + "xf32"}},
          {number((size + 255) / 256) + "xf32"},
          "mp.sum_squares_blocks %0 {block = 256 : i64} : {0} -> {r}"};
}

OpCase update(int index) {
  const std::string size = number(sizeOf(index)) + "xf32";
  return {"mp.sgd",
          "",
          {{size}, {size}, {"f32", Fill::Positive}, {size}, {"i32", index % 2 ? Fill::Clean : Fill::Bad}},
          {size, size},
          "mp.sgd %0, %1, %2 velocity %3 guard %4 {momentum = 0.5 : f32} : {0}"};
}

const Kind kKinds[] = {{"Maps", map},
                       {"Matrices", matrices},
                       {"EqualMaps", equalMaps},
                       {"Singles", singles},
                       {"Scalars", scalars},
                       {"Transposes", transposes},
                       {"BesideTransposes", besideTransposes},
                       {"Broadcasts", broadcasts},
                       {"Columns", columns},
                       {"Scatters", scatters},
                       {"Gathers", gathers},
                       {"Partial", partial},
                       {"PartialSums", partialSums},
                       {"Updates", update}};

class MergedKernel : public testing::TestWithParam<Kind> {};

CaseProgram makeProgram(const Kind &kind, ElementType element) {
  std::vector<OpCase> uses;
  for (int index = 0; index < kRoots; ++index) {
    uses.push_back(kind.make(index));
    uses.back().name = number(index);
  }
  CaseProgram program;
  for (const OpCase &use : uses)
    program.add({&use}, element);
  NamedTensors inputs = program.inputs();
  for (NamedTensor &input : inputs)
    if (isFloat(input.tensor.type.element))
      for (uint64_t i = 0; i < input.tensor.count(); ++i)
        storeElement(input.tensor.bytes, input.tensor.type.element, i,
                     std::isfinite(elementAt(input.tensor, i)) ? std::round(2 * elementAt(input.tensor, i))
                                                               : elementAt(input.tensor, i));
  return program.with(std::move(inputs));
}

ErrorOr<std::shared_ptr<const LoadedExecutable>> compileFor(const CaseProgram &program, const char *target) {
  CompileOptions options;
  options.training = false;
  options.target = target;
  options.chips = {"sm_80"};
  options.reportAccesses = true;
  options.autocast.policy = "float32";
  return ProgramText(program.text()).load(options);
}

ErrorOr<NamedTensors> run(std::shared_ptr<const LoadedExecutable> file, const CaseProgram &program,
                          ErrorOr<std::unique_ptr<Device>> device) {
  if (!device)
    return device.status();
  ErrorOr<std::unique_ptr<Session>> session = Session::create(std::move(file), std::move(*device));
  return session ? (*session)->run("infer", program.inputs()) : session.status();
}

} // namespace

TEST_P(MergedKernel, ComputesWhatTheEvaluatorDoes) {
  for (ElementType element : {ElementType::F32, ElementType::F16}) {
    const CaseProgram program = makeProgram(GetParam(), element);
    ErrorOr<std::shared_ptr<const LoadedExecutable>> file = compileFor(program, "simt");
    ASSERT_TRUE(file.ok()) << file.message();
    size_t inMemory = 0;
    for (const auto &command : (*file)->table.programs.front()->variants.front()->commands)
      if (const LaunchT *launch = command->what.AsLaunch())
        inMemory += launch->buffers_in_memory;
    EXPECT_EQ(inMemory, 1u);
    DeviceOptions options;
    options.simulation.bounds = options.simulation.races = options.simulation.uninitialized = true;
    ErrorOr<NamedTensors> found = run(*file, program, createSIMTDevice(options));
    ASSERT_TRUE(found.ok()) << found.message();
    ErrorOr<std::shared_ptr<const LoadedExecutable>> reference = compileFor(program, "reference");
    ASSERT_TRUE(reference.ok()) << reference.message();
    ErrorOr<NamedTensors> expected = run(*reference, program, createReferenceDevice({}));
    ASSERT_TRUE(expected.ok()) << expected.message();
    ASSERT_EQ(found->size(), expected->size());
    for (size_t i = 0; i < found->size(); ++i)
      EXPECT_EQ((*found)[i].tensor.bytes, (*expected)[i].tensor.bytes) << (*found)[i].name;
    if (GetParam().make(0).operands.front().type.find("$T") == std::string::npos)
      break;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, MergedKernel, testing::ValuesIn(kKinds),
                         [](const testing::TestParamInfo<Kind> &info) { return info.param.name; });
