// No pass of this room changes a bit.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Kernels/PlanRunner.h"
#include "Kernels/RandomProgram.h"

#include "mp/Reference/Evaluator.h"

#include <gtest/gtest.h>

using namespace mp;
using namespace mp::test;

namespace {

/// Evaluates a program as it is, as kernels, and as commands on memory, and compares bits.
void expectSameBits(CompiledProgram &program, unsigned seed) {
  ASSERT_TRUE(program.run("mp-decompose,cse"));
  std::vector<Tensor> arguments = randomArguments(program.func(), seed);
  llvm::FailureOr<std::vector<Tensor>> expected = evaluate(program.func(), arguments);
  ASSERT_TRUE(succeeded(expected));

  ASSERT_TRUE(program.run("mp-form-kernels,mp-schedule-kernels,mp-verify-kernels{scheduled}"));
  llvm::FailureOr<std::vector<Tensor>> formed = evaluate(program.func(), arguments);
  ASSERT_TRUE(succeeded(formed));
  for (size_t i = 0; i < expected->size(); ++i)
    EXPECT_EQ((*expected)[i].bytes, (*formed)[i].bytes) << "result " << i;

  ASSERT_TRUE(program.run("mp-plan-buffers,mp-verify-kernels{scheduled planned}"));
  llvm::FailureOr<LaunchPlan> plan = planOf(program.func());
  ASSERT_TRUE(succeeded(plan));
  std::vector<std::vector<std::byte>> results = runPlan(*plan, program.func(), arguments);
  for (size_t i = 0; i < expected->size(); ++i)
    EXPECT_EQ((*expected)[i].bytes, results[i]) << "result " << i << " in memory";
}

TEST(FormKernels, RandomProgramsKeepTheirBits) {
  for (unsigned seed = 0; seed < 400; ++seed) {
    std::string text = randomProgram(seed, 5 + seed % 40);
    CompiledProgram program(text);
    expectSameBits(program, seed);
    if (testing::Test::HasFailure()) {
      FAIL() << "seed " << seed << "\n" << text << "\n" << program.print();
    }
  }
}

} // namespace
