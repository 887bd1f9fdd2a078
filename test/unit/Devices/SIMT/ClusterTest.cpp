// Blocks that wait for one another.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/SIMT/NVVMRunner.h"

#include <gtest/gtest.h>

using namespace mp;
using namespace mp::test;

namespace {

/// What all kernels here begin with: buffer 0 has a word for each thread of the grid.
const std::string kBegin = R"(
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %threads = nvvm.read.ptx.sreg.ntid.x : i32
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %rank = nvvm.read.ptx.sreg.cluster.ctaid.x : i32
    %ranks = nvvm.read.ptx.sreg.cluster.nctaid.x : i32
    %zero = llvm.mlir.constant(0 : i32) : i32
    %isFirst = llvm.icmp "eq" %rank, %zero : i32
    %base = llvm.mul %block, %threads : i32
    %at = llvm.add %base, %tid : i32
    %mine = llvm.getelementptr %b0[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
)";
const std::string kArrive = "nvvm.cluster.arrive {aligned}\n";
const std::string kWait = "nvvm.cluster.wait {aligned}\n";

/// Each thread writes its number in the grid, and reads into %v what its twin in the cluster's next block wrote.
const std::string kWrite = "llvm.store %at, %mine : i32, !llvm.ptr<1>\n";
const std::string kReadNext = R"(
    %above = llvm.add %rank, %c1 : i32
    %next = llvm.urem %above, %ranks : i32
    %first = llvm.sub %block, %rank : i32
    %other = llvm.add %first, %next : i32
    %otherBase = llvm.mul %other, %threads : i32
    %otherAt = llvm.add %otherBase, %tid : i32
    %theirs = llvm.getelementptr %b0[%otherAt] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    %v = llvm.load %theirs : !llvm.ptr<1> -> i32
)";
const std::string kKeep = R"(
    %result = llvm.getelementptr %b1[%at] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %v, %result : i32, !llvm.ptr<1>
)";

constexpr Geometry kGeometry{64, 6, 256, /*cluster=*/3};

/// Runs a kernel over two buffers with a word for each thread, which are changed in place.
Status run(const std::string &body, std::vector<GlobalBuffer> &buffers, const SIMTOptions &options = {},
           const Geometry &geometry = kGeometry) {
  NVVMRunner kernel(kernelText(2, kBegin + body), {/*memory=*/options.checksMemory()});
  EXPECT_TRUE(kernel.ok()) << kernel.errors;
  buffers.assign(2, GlobalBuffer::zeros<uint32_t>(geometry.grid * geometry.threads));
  return kernel.run(buffers, geometry, options, "sm_90", /*hostThreads=*/2);
}

std::string fault(const std::string &body, const SIMTOptions &options = {}, const Geometry &geometry = kGeometry) {
  std::vector<GlobalBuffer> buffers;
  return run(body, buffers, options, geometry).message();
}

std::vector<uint32_t> values(const std::string &body, const SIMTOptions &options = {}) {
  std::vector<GlobalBuffer> buffers;
  Status ran = run(body, buffers, options);
  EXPECT_TRUE(ran.ok()) << ran.message();
  return buffers[1].as<uint32_t>();
}

/// What kReadNext reads where the barrier orders it.
uint32_t twinOf(uint32_t index) {
  const uint32_t block = index / 64, first = block / 3 * 3;
  return (first + (block - first + 1) % 3) * 64 + index % 64;
}

struct Register {
  const char *name;
  uint32_t (*expected)(uint32_t block); // of 6, in clusters of 3
};

class ClusterRegisters : public testing::TestWithParam<Register> {};

TEST_P(ClusterRegisters, HoldsWhatPTXSays) {
  const std::vector<uint32_t> found =
      values(std::string("%v = nvvm.read.ptx.sreg.") + GetParam().name + " : i32\n" + kKeep);
  for (uint32_t index = 0; index < found.size(); ++index)
    ASSERT_EQ(found[index], GetParam().expected(index / 64)) << index;
}

const Register kRegisters[] = {
    {"cluster.ctaid.x", [](uint32_t block) { return block % 3; }},
    {"cluster.ctaid.y", [](uint32_t) { return 0u; }},
    {"cluster.ctaid.z", [](uint32_t) { return 0u; }},
    {"cluster.nctaid.x", [](uint32_t) { return 3u; }},
    {"cluster.nctaid.y", [](uint32_t) { return 1u; }},
    {"cluster.nctaid.z", [](uint32_t) { return 1u; }},
    {"clusterid.x", [](uint32_t block) { return block / 3; }},
    {"clusterid.y", [](uint32_t) { return 0u; }},
    {"clusterid.z", [](uint32_t) { return 0u; }},
    {"nclusterid.x", [](uint32_t) { return 2u; }},
    {"nclusterid.y", [](uint32_t) { return 1u; }},
    {"nclusterid.z", [](uint32_t) { return 1u; }},
    {"cluster.ctarank", [](uint32_t block) { return block % 3; }},
    {"cluster.nctarank", [](uint32_t) { return 3u; }},
};

INSTANTIATE_TEST_SUITE_P(All, ClusterRegisters, testing::ValuesIn(kRegisters));

} // namespace

// The barrier

TEST(Cluster, BarrierOrdersGlobalMemory) {
  for (uint64_t seed : {0, 1, 2, 3}) {
    SIMTOptions options;
    options.seed = seed;
    const std::vector<uint32_t> found = values(kWrite + kArrive + kWait + kReadNext + kKeep, options);
    for (uint32_t index = 0; index < found.size(); ++index)
      ASSERT_EQ(found[index], twinOf(index)) << "seed " << seed;
  }
}

// So the test above could fail: the first block would be done before the next begins.
TEST(Cluster, NothingElseDoes) { EXPECT_EQ(values(kWrite + kReadNext + kKeep)[0], 0u); }

TEST(Cluster, BarrierServesAgainAndAgain) {
  const std::string both = kArrive + kWait;
  const std::vector<uint32_t> found = values(both + both + kWrite + both + kReadNext + both + kKeep);
  for (uint32_t index = 0; index < found.size(); ++index)
    ASSERT_EQ(found[index], twinOf(index));
}

TEST(Cluster, WhoHasEndedIsNotWaitedFor) {
  const std::string firstEnds = "llvm.cond_br %isFirst, ^end, ^go\n^end:\nllvm.return\n^go:\n";
  EXPECT_EQ(fault(firstEnds + kArrive + kWait), "");
  EXPECT_EQ(fault(kArrive + firstEnds + kWait + kArrive + kWait), "");
}

TEST(Cluster, BarrierOrdersSharedMemoryOfABlock) {
  SIMTOptions options;
  options.races = true;
  const std::string write = R"(
    %sh = llvm.mlir.addressof @mp_shared : !llvm.ptr<3>
    %own = llvm.getelementptr %sh[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.store %tid, %own : i32, !llvm.ptr<3>
  )";
  const std::string read = R"(
    %up = llvm.add %tid, %c1 : i32
    %next = llvm.urem %up, %threads : i32
    %another = llvm.getelementptr %sh[%next] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %v = llvm.load %another : !llvm.ptr<3> -> i32
  )";
  EXPECT_EQ(fault(write + kArrive + kWait + read + kKeep, options), "");
  EXPECT_NE(fault(write + kArrive + read + kWait + kKeep, options).find("a race with thread "), std::string::npos);
}

// Wrong on purpose

TEST(Cluster, ArrivingTwiceIsAnError) {
  EXPECT_EQ(fault(kArrive + kArrive + kWait), "block 0, thread 0, nvvm.cluster.arrive #1 at kernel.mlir:16:1: arrives "
                                              "at the cluster's barrier again before it waits there");
}

TEST(Cluster, WaitingWithoutHavingArrivedIsAnError) {
  EXPECT_EQ(fault(kWait), "block 0, thread 0, nvvm.cluster.wait #0 at kernel.mlir:15:1: waits at the cluster's barrier "
                          "without having arrived");
}

TEST(Cluster, DeadlockNamesAllBlocks) {
  // All but the first block wait for the whole block and one warp more, which does not come.
  const std::string body = "llvm.cond_br %isFirst, ^go, ^stuck\n^stuck:\n%some = llvm.icmp \"ult\" %tid, %c32 : i32\n"
                           "llvm.cond_br %some, ^in, ^out\n^in:\nnvvm.barrier\nllvm.br ^out\n^out:\nnvvm.barrier id = "
                           "%c1 number_of_threads = %threads\nllvm.br ^go\n^go:\n";
  EXPECT_EQ(
      fault("%c32 = llvm.mlir.constant(32 : i32) : i32\n" + body + kArrive + kWait),
      "deadlock in cluster 0: block 0: threads 0-63 wait at nvvm.cluster.wait #3 at kernel.mlir:28:1 (the cluster's "
      "barrier, 64 of 192 threads there); block 1: threads 0-31 wait at nvvm.barrier #0 at kernel.mlir:21:1 "
      "(barrier 0, 32 of 64 threads there); threads 32-63 wait at nvvm.barrier #1 at kernel.mlir:24:1 (barrier 1, "
      "32 of 64 threads there); block 2: threads 0-31 wait at nvvm.barrier #0 at kernel.mlir:21:1 (barrier 0, 32 "
      "of 64 threads there); threads 32-63 wait at nvvm.barrier #1 at kernel.mlir:24:1 (barrier 1, 32 of 64 "
      "threads there)");
}

// The first block waits in a loop for a word that the others write.
static const std::string kSpin = R"(
    llvm.cond_br %isFirst, ^spin, ^write
  ^write:
    %old = llvm.atomicrmw add %b0, %c1 acq_rel : !llvm.ptr<1>, i32
    llvm.br ^done
  ^spin:
    nvvm.nanosleep %c1
    %seen = llvm.load %b0 atomic acquire {alignment = 4 : i64} : !llvm.ptr<1> -> i32
    %isThere = llvm.icmp "ne" %seen, %zero : i32
    llvm.cond_br %isThere, ^done, ^spin
  ^done:
)";

TEST(Cluster, ALoopThatSleepsLetsOthersRun) {
  for (uint64_t seed : {0, 1, 2}) {
    SIMTOptions options;
    options.seed = seed;
    EXPECT_EQ(fault(kSpin, options, {64, 3, 0, /*cluster=*/3}), "");
  }
}

TEST(Cluster, BlocksThatAreNotDeclaredWaitForEver) {
  const std::string message = fault(kSpin, {}, {32, 1, 0, /*cluster=*/1});
  EXPECT_NE(message.find("nvvm.nanosleep #"), std::string::npos) << message;
  EXPECT_NE(message.find("sleeps again and again, and no thread ends: it waits for ever"), std::string::npos);
}

TEST(Cluster, GridsAreWholeClusters) {
  EXPECT_EQ(fault("", {}, {64, 4, 0, 3}), "a grid of 4 blocks in clusters of 3");
  EXPECT_EQ(fault("", {}, {64, 4, 0, 0}), "a grid of 4 blocks in clusters of 0");
}

TEST(Cluster, OnlyAlignedFormsAreSimulated) {
  NVVMRunner kernel(kernelText(0, "nvvm.cluster.arrive\nnvvm.cluster.wait"));
  EXPECT_FALSE(kernel.ok());
  EXPECT_NE(kernel.errors.find("'nvvm.cluster.arrive' op only the aligned form is simulated"), std::string::npos);
  EXPECT_NE(kernel.errors.find("'nvvm.cluster.wait' op only the aligned form is simulated"), std::string::npos);
}
