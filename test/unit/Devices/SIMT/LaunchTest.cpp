// Special registers, blocks, barriers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/SIMT/NVVMRunner.h"

#include <gtest/gtest.h>

using namespace mp;
using namespace mp::test;

namespace {

/// Stores i32 %v to buffer 0 at the number of the thread in the grid.
const std::string kStore = R"(
  %tid_ = nvvm.read.ptx.sreg.tid.x : i32
  %ntid_ = nvvm.read.ptx.sreg.ntid.x : i32
  %cta_ = nvvm.read.ptx.sreg.ctaid.x : i32
  %base_ = llvm.mul %cta_, %ntid_ : i32
  %at_ = llvm.add %base_, %tid_ : i32
  %element_ = llvm.getelementptr %b0[%at_] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
  llvm.store %v, %element_ : i32, !llvm.ptr<1>
)";

/// What each thread of `geometry` stores.
std::vector<uint32_t> values(const std::string &body, const Geometry &geometry, const SIMTOptions &options = {}) {
  NVVMRunner kernel(kernelText(1, body + kStore));
  EXPECT_TRUE(kernel.ok()) << kernel.errors;
  std::vector<GlobalBuffer> buffers = {GlobalBuffer::zeros<uint32_t>(geometry.grid * geometry.threads)};
  Status ran = kernel.run(buffers, geometry, options);
  EXPECT_TRUE(ran.ok()) << ran.message();
  return buffers[0].as<uint32_t>();
}

struct Register {
  const char *name;
  uint32_t (*expected)(uint32_t thread, uint32_t block); // of 64 threads and 3 blocks
};

class Registers : public testing::TestWithParam<Register> {};

TEST_P(Registers, HoldsWhatPTXSays) {
  const std::vector<uint32_t> found =
      values(std::string("%v = nvvm.read.ptx.sreg.") + GetParam().name + " : i32\n", {64, 3, 512});
  for (uint32_t index = 0; index < found.size(); ++index)
    EXPECT_EQ(found[index], GetParam().expected(index % 64, index / 64)) << index;
}

const Register kRegisters[] = {
    {"tid.x", [](uint32_t thread, uint32_t) { return thread; }},
    {"tid.y", [](uint32_t, uint32_t) { return 0u; }},
    {"tid.z", [](uint32_t, uint32_t) { return 0u; }},
    {"ntid.x", [](uint32_t, uint32_t) { return 64u; }},
    {"ntid.y", [](uint32_t, uint32_t) { return 1u; }},
    {"ntid.z", [](uint32_t, uint32_t) { return 1u; }},
    {"ctaid.x", [](uint32_t, uint32_t block) { return block; }},
    {"ctaid.y", [](uint32_t, uint32_t) { return 0u; }},
    {"ctaid.z", [](uint32_t, uint32_t) { return 0u; }},
    {"nctaid.x", [](uint32_t, uint32_t) { return 3u; }},
    {"nctaid.y", [](uint32_t, uint32_t) { return 1u; }},
    {"nctaid.z", [](uint32_t, uint32_t) { return 1u; }},
    {"laneid", [](uint32_t thread, uint32_t) { return thread % 32; }},
    {"warpid", [](uint32_t thread, uint32_t) { return thread / 32; }},
    {"nwarpid", [](uint32_t, uint32_t) { return 2u; }},
    {"warpsize", [](uint32_t, uint32_t) { return 32u; }},
    {"lanemask.eq", [](uint32_t thread, uint32_t) { return 1u << thread % 32; }},
    {"lanemask.lt", [](uint32_t thread, uint32_t) { return (1u << thread % 32) - 1; }},
    {"lanemask.le", [](uint32_t thread, uint32_t) { return ((1u << thread % 32) - 1) | 1u << thread % 32; }},
    {"lanemask.ge", [](uint32_t thread, uint32_t) { return ~((1u << thread % 32) - 1); }},
    {"lanemask.gt", [](uint32_t thread, uint32_t) { return ~((1u << thread % 32) - 1) & ~(1u << thread % 32); }},
    {"dynamic.smem.size", [](uint32_t, uint32_t) { return 512u; }},
};

INSTANTIATE_TEST_SUITE_P(All, Registers, testing::ValuesIn(kRegisters));

} // namespace

/// Each thread writes its number to shared memory and reads that of the thread opposite, after a barrier.
static const std::string kReverse = R"(
  %tid = nvvm.read.ptx.sreg.tid.x : i32
  %ntid = nvvm.read.ptx.sreg.ntid.x : i32
  %one = llvm.mlir.constant(1 : i32) : i32
  %shared = llvm.mlir.addressof @mp_shared : !llvm.ptr<3>
  %mine = llvm.getelementptr %shared[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  llvm.store %tid, %mine : i32, !llvm.ptr<3>
  nvvm.barrier
  %last = llvm.sub %ntid, %one : i32
  %other = llvm.sub %last, %tid : i32
  %theirs = llvm.getelementptr %shared[%other] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
  %v = llvm.load %theirs : !llvm.ptr<3> -> i32
)";

TEST(Launch, BarrierOrdersSharedMemory) {
  for (uint64_t seed : {0, 1, 2, 3}) {
    SIMTOptions options;
    options.seed = seed;
    const std::vector<uint32_t> found = values(kReverse, {256, 2, 1024}, options);
    for (uint32_t index = 0; index < found.size(); ++index)
      EXPECT_EQ(found[index], 255 - index % 256) << "seed " << seed;
  }
}

TEST(Launch, SharedMemoryLiesAsOnAGPU) {
  const std::vector<uint32_t> found = values(R"(
    %shared = llvm.mlir.addressof @mp_shared : !llvm.ptr<3>
    %address = llvm.ptrtoint %shared : !llvm.ptr<3> to i64
    %low = llvm.mlir.constant(262143 : i64) : i64
    %high = llvm.mlir.constant(32 : i64) : i64
    %rest = llvm.and %address, %low : i64
    %above = llvm.lshr %address, %high : i64
    %both = llvm.or %rest, %above : i64
    %v = llvm.trunc %both : i64 to i32
  )",
                                             {32, 4, 16});
  EXPECT_EQ(found, std::vector<uint32_t>(128, 0));
}

TEST(Launch, LeavesNothingOfTheGPUInTheModule) {
  NVVMRunner kernel(kernelText(1, kReverse + kStore));
  ASSERT_TRUE(kernel.ok()) << kernel.errors;
  EXPECT_EQ(kernel.lowered.find("nvvm.kernel"), std::string::npos);
  EXPECT_EQ(kernel.lowered.find("nvvm.maxntid"), std::string::npos);
  EXPECT_EQ(kernel.lowered.find("@mp_shared"), std::string::npos);
  EXPECT_EQ(kernel.info, kSimulatorVersion);
  EXPECT_EQ(NVVMRunner(kernelText(1, kReverse + kStore), {true}).info, kSimulatorVersion | kSimulatorChecked);
}

TEST(Launch, RefusesBlocksThatNoGPUHas) {
  NVVMRunner kernel(kernelText(0, ""));
  ASSERT_TRUE(kernel.ok()) << kernel.errors;
  std::vector<GlobalBuffer> none;
  EXPECT_TRUE(kernel.run(none, {1024, 1, 0}).ok());
  EXPECT_EQ(kernel.run(none, {33, 1, 0}).message(), "a block of 33 threads, expected 32 to 1024 in whole warps");
  EXPECT_FALSE(kernel.run(none, {2048, 1, 0}).ok());
  EXPECT_FALSE(kernel.run(none, {32, 1, 300 << 10}).ok());
}

TEST(Launch, ManyBlocksOnSeveralThreadsOfTheHost) {
  NVVMRunner kernel(kernelText(1, kReverse + kStore));
  std::vector<GlobalBuffer> buffers = {GlobalBuffer::zeros<uint32_t>(64 * 500)};
  Status ran = kernel.run(buffers, {64, 500, 256}, {}, "sm_80", 4);
  ASSERT_TRUE(ran.ok()) << ran.message();
  const std::vector<uint32_t> found = buffers[0].as<uint32_t>();
  for (uint32_t index = 0; index < found.size(); ++index)
    ASSERT_EQ(found[index], 63 - index % 64) << index;
}
