// A planned program as a list of commands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/PlanRunner.h"

#include "mp/Analysis/OpStatistics.h"
#include "mp/IR/Program.h"

#include "mlir/AsmParser/AsmParser.h"

#include <gtest/gtest.h>

using namespace mp;
using namespace mp::executable;
using namespace mp::test;

namespace {

constexpr const char *kPlan = "mp-decompose,cse,mp-form-kernels,mp-schedule-kernels,mp-plan-buffers";

LaunchPlan planOf(CompiledProgram &program) {
  EXPECT_TRUE(program.run(kPlan));
  llvm::FailureOr<LaunchPlan> plan = mp::test::planOf(program.func());
  EXPECT_TRUE(succeeded(plan));
  return succeeded(plan) ? std::move(*plan) : LaunchPlan();
}

TEST(LaunchPlan, AnUpdateInPlaceIsReadAndWritten) {
  CompiledProgram program(R"(
    func.func @f(%g: tensor<16xf32> {mp.input = "g"}, %w: tensor<16xf32> {mp.parameter = "w", mp.initializer = #mp.zeros},
        %lr: tensor<f32> {mp.state = "learning_rate", mp.initializer = #mp.zeros}) -> (tensor<16xf32> {mp.next = "w"})
        attributes {mp.program = "apply"} {
      %n = mp.sgd %w, %g, %lr : tensor<16xf32>
      return %n : tensor<16xf32>
    })");
  LaunchPlan plan = planOf(program);
  ASSERT_EQ(plan.commands.size(), 1u);
  const LaunchT &launch = *plan.commands[0]->what.AsLaunch();
  const BufferSlice weight(Space::State, 1, 0, 64), rate(Space::State, 2, 0, 4), gradient(Space::Argument, 0, 0, 64);
  EXPECT_EQ(
      launch.buffers,
      (std::vector<Buffer>{
          {weight, Access::ReadWrite}, {gradient, Access::Read}, {rate, Access::Read}, {weight, Access::ReadWrite}}));
  EXPECT_EQ(launch.bytes, 64u * 3 + 4);
  EXPECT_EQ(plan.arenaBytes, 0u);
  EXPECT_EQ(plan.peakBytes, 64u + 4);
  EXPECT_EQ(plan.kernels.size(), 1u);
}

TEST(LaunchPlan, ConstantsAreDataOrFills) {
  CompiledProgram program(R"(
    func.func @f(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<3xi32>, tensor<2xi1>, tensor<4xf16>) {
      %d = mp.constant dense<[1.0, 2.0]> : tensor<2xf32>
      %y = mp.add %x, %d : tensor<2x2xf32>, tensor<2xf32> -> tensor<2x2xf32>
      %i = mp.constant dense<[1, 2, 3]> : tensor<3xi32>
      %b = mp.constant dense<[true, false]> : tensor<2xi1>
      %s = mp.constant dense<1.0> : tensor<4xf16>
      return %y, %i, %b, %s : tensor<2x2xf32>, tensor<3xi32>, tensor<2xi1>, tensor<4xf16>
    })");
  LaunchPlan plan = planOf(program);
  ASSERT_EQ(plan.commands.size(), 4u);
  const LaunchT &launch = *plan.commands[0]->what.AsLaunch();
  EXPECT_EQ(launch.buffers[1].slice(), BufferSlice(Space::Constant, 0, 0, 8));
  const CopyT &integers = *plan.commands[1]->what.AsCopy();
  EXPECT_EQ(*integers.source, BufferSlice(Space::Constant, 0, 64, 12));
  const CopyT &flags = *plan.commands[2]->what.AsCopy();
  EXPECT_EQ(*flags.source, BufferSlice(Space::Constant, 0, 128, 2));
  EXPECT_EQ(plan.constants.size(), 130u);
  EXPECT_EQ(plan.constants[128], std::byte(1));
  EXPECT_EQ(plan.constants[129], std::byte(0));
  const FillT &fill = *plan.commands[3]->what.AsFill();
  EXPECT_EQ(fill.pattern, 0x3C00u);
  EXPECT_EQ(fill.pattern_bytes, 2u);
  EXPECT_EQ(*fill.destination, BufferSlice(Space::Result, 3, 0, 8));
}

// What mp-decompose counts, it counts once: kernels do not change it.
TEST(LaunchPlan, OpsAreCountedByTheTypeTheyComputeIn) {
  CompiledProgram program(R"(
    func.func @f(%x: tensor<2x2xf32> {mp.input = "x"}) -> (tensor<2xf32> {mp.output = "y"})
        attributes {mp.program = "infer"} {
      %h = mp.cast %x : tensor<2x2xf32> -> tensor<2x2xf16>
      %m = mp.matmul %h, %h acc f32 : tensor<2x2xf16>, tensor<2x2xf16> -> tensor<2x2xf16>
      %r = mp.relu %m : tensor<2x2xf16>
      %f = mp.cast %r : tensor<2x2xf16> -> tensor<2x2xf32>
      %s = mp.reduce_sum %f dimensions [0] : tensor<2x2xf32> -> tensor<2xf32>
      return %s : tensor<2xf32>
    })");
  const mlir::Attribute counted = countOps(program.func());
  EXPECT_EQ(counted, mlir::parseAttribute("#mp.statistics<casts = 2, ops = {f16 = 2 : i64, f32 = 1 : i64}>",
                                          counted.getContext()));
  EXPECT_TRUE(program.run(kPlan));
  EXPECT_EQ(program.func()->getAttr(names::statistics), counted);
}

} // namespace
