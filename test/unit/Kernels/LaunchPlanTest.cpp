// A planned program as a list of commands.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/PlanRunner.h"

#include <gtest/gtest.h>

using namespace mp;
using namespace mp::test;

namespace {

constexpr const char *kPlan = "mp-decompose,cse,mp-form-kernels,mp-schedule-kernels,mp-plan-buffers";

LaunchPlan planOf(CompiledProgram &program) {
  EXPECT_TRUE(program.run(kPlan));
  llvm::FailureOr<LaunchPlan> plan = buildLaunchPlan(program.func());
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
  const auto &launch = std::get<LaunchCommand>(plan.commands[0]);
  ASSERT_EQ(launch.buffers.size(), 4u);
  PlannedSlice state;
  state.space = PlannedSlice::Space::State;
  state.state = "w";
  state.bytes = 64;
  EXPECT_EQ(launch.buffers[0].slice, state);
  EXPECT_EQ(launch.buffers[0].access, BufferAccess::ReadWrite);
  EXPECT_EQ(launch.buffers[1].slice.space, PlannedSlice::Space::Argument);
  EXPECT_EQ(launch.buffers[1].access, BufferAccess::Read);
  EXPECT_EQ(launch.buffers[2].slice.state, "learning_rate");
  EXPECT_EQ(launch.buffers[3].slice, state);
  EXPECT_EQ(launch.buffers[3].access, BufferAccess::ReadWrite);
  EXPECT_EQ(launch.bytes, 64 * 3 + 4);
  EXPECT_EQ(plan.arenaBytes, 0);
  EXPECT_EQ(plan.peakBytes, 64 + 4);
  EXPECT_EQ(plan.kernels, 1u);
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
  const auto &launch = std::get<LaunchCommand>(plan.commands[0]);
  EXPECT_EQ(launch.buffers[1].slice.space, PlannedSlice::Space::Constant);
  EXPECT_EQ(launch.buffers[1].slice.offset, 0);
  const auto &integers = std::get<CopyCommand>(plan.commands[1]);
  EXPECT_EQ(integers.source.offset, 64);
  EXPECT_EQ(integers.source.bytes, 12);
  const auto &flags = std::get<CopyCommand>(plan.commands[2]);
  EXPECT_EQ(flags.source.offset, 128);
  EXPECT_EQ(flags.source.bytes, 2);
  EXPECT_EQ(plan.constants.size(), 130u);
  EXPECT_EQ(plan.constants[128], std::byte(1));
  EXPECT_EQ(plan.constants[129], std::byte(0));
  const auto &fill = std::get<FillCommand>(plan.commands[3]);
  EXPECT_EQ(fill.pattern, 0x3C00u);
  EXPECT_EQ(fill.patternBytes, 2u);
  EXPECT_EQ(fill.destination.index, 3u);
  EXPECT_EQ(fill.destination.bytes, 8);
}

TEST(LaunchPlan, OpsAreCountedByTheTypeTheyComputeIn) {
  CompiledProgram program(R"(
    func.func @f(%x: tensor<2x2xf32>) -> tensor<2xf32> {
      %h = mp.cast %x : tensor<2x2xf32> -> tensor<2x2xf16>
      %m = mp.matmul %h, %h acc f32 : tensor<2x2xf16>, tensor<2x2xf16> -> tensor<2x2xf16>
      %r = mp.relu %m : tensor<2x2xf16>
      %f = mp.cast %r : tensor<2x2xf16> -> tensor<2x2xf32>
      %s = mp.reduce_sum %f dimensions [0] : tensor<2x2xf32> -> tensor<2xf32>
      return %s : tensor<2xf32>
    })");
  OpStatistics before = countOps(program.func());
  EXPECT_EQ(before.casts, 2u);
  EXPECT_EQ(before.opsByType, (std::vector<std::pair<std::string, unsigned>>{{"f16", 2}, {"f32", 1}}));
  EXPECT_TRUE(program.run(kPlan));
  EXPECT_EQ(countOps(program.func()).opsByType, before.opsByType);
}

} // namespace
