// Kernels that are wrong on purpose.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/SIMT/LaneText.h"
#include "Devices/SIMT/NVVMRunner.h"

#include "Devices/SIMT/SpacedBuffers.h"

#include <gtest/gtest.h>

using namespace mp;
using namespace mp::test;

namespace {

/// What all kernels here begin with.
const std::string kBegin = R"(
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c2 = llvm.mlir.constant(2 : i32) : i32
    %c32 = llvm.mlir.constant(32 : i32) : i32
    %c64 = llvm.mlir.constant(64 : i32) : i32
    %all = llvm.mlir.constant(-1 : i32) : i32
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %sh = llvm.mlir.addressof @mp_shared : !llvm.ptr<3>
    %mine = llvm.getelementptr %sh[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %next_ = llvm.add %tid, %c1 : i32
    %threads = nvvm.read.ptx.sreg.ntid.x : i32
    %next = llvm.urem %next_, %threads : i32
    %theirs = llvm.getelementptr %sh[%next] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %element = llvm.getelementptr %b0[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
)";
const std::string kWrite = "llvm.store %tid, %mine : i32, !llvm.ptr<3>\n";
const std::string kBarrier = "nvvm.barrier\n";
const std::string kSyncWarp = "nvvm.bar.warp.sync %all : i32\n";
const std::string kReadNext =
    "%v = llvm.load %theirs : !llvm.ptr<3> -> i32\nllvm.store %v, %element : i32, !llvm.ptr<1>\n";

SIMTOptions with(bool SIMTOptions::*check) {
  SIMTOptions options;
  options.*check = true;
  return options;
}

SIMTOptions allChecks() {
  SIMTOptions options;
  options.races = options.uninitialized = options.bounds = true;
  return options;
}

/// The message of a run over one buffer of `words` words; empty if nothing was found.
std::string fault(const std::string &body, const SIMTOptions &options, const Geometry &geometry = {64, 1, 256},
                  uint32_t words = 64, bool isInitialized = true, bool isWritable = true) {
  NVVMRunner kernel(kernelText(1, kBegin + body), {/*memory=*/true});
  EXPECT_TRUE(kernel.ok()) << kernel.errors;
  std::vector<GlobalBuffer> buffers = {GlobalBuffer::zeros<uint32_t>(words)};
  buffers[0].isInitialized = isInitialized;
  buffers[0].isWritable = isWritable;
  return kernel.run(buffers, geometry, options).message();
}

testing::AssertionResult has(const std::string &text, std::initializer_list<const char *> parts) {
  for (const char *part : parts)
    if (text.find(part) == std::string::npos)
      return testing::AssertionFailure() << "no '" << part << "' in '" << text << "'";
  return testing::AssertionSuccess();
}

} // namespace

// Races

TEST(Races, AMissingBarrierIsFound) {
  for (uint64_t seed : {0, 1, 2}) {
    SIMTOptions options = with(&SIMTOptions::races);
    options.seed = seed;
    EXPECT_TRUE(has(fault(kWrite + kReadNext, options),
                    {"block 0, thread ", "of shared memory, a race with thread ", "with no barrier between",
                     " at kernel.mlir:", "llvm.store #", "llvm.load #"}));
    EXPECT_EQ(fault(kWrite + kBarrier + kReadNext, options), "");
  }
}

TEST(Races, AWriteAfterAReadIsOne) {
  const std::string again = "llvm.store %c0, %mine : i32, !llvm.ptr<3>\n";
  const SIMTOptions options = with(&SIMTOptions::races);
  EXPECT_TRUE(
      has(fault(kWrite + kBarrier + kReadNext + again, options), {"writes byte", "which read it at llvm.load"}));
  EXPECT_EQ(fault(kWrite + kBarrier + kReadNext + kBarrier + again, options), "");
}

TEST(Races, TwoWritesAreOne) {
  const SIMTOptions options = with(&SIMTOptions::races);
  EXPECT_TRUE(has(fault("llvm.store %tid, %sh : i32, !llvm.ptr<3>\n", options), {"writes byte 0", "which wrote it"}));
}

TEST(Races, NeighboursInAWordAreNone) {
  const std::string body = R"(
    %byte = llvm.getelementptr %sh[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %small = llvm.trunc %tid : i32 to i8
    llvm.store %small, %byte : i8, !llvm.ptr<3>
  )";
  EXPECT_EQ(fault(body, with(&SIMTOptions::races)), "");
}

TEST(Races, SyncOfAWarpOrdersItsLanesOnly) {
  const SIMTOptions options = with(&SIMTOptions::races);
  EXPECT_EQ(fault(kWrite + kSyncWarp + kReadNext, options, {32, 1, 128}, 32), "");
  EXPECT_TRUE(has(fault(kWrite + kSyncWarp + kReadNext, options, {64, 1, 256}), {"a race with thread"}));
}

/// Lanes meet in a shuffle, which orders no memory.
TEST(Races, AShuffleOrdersNothing) {
  const std::string shuffle = "%x = nvvm.shfl.sync idx %all, %tid, %c0, %c1 : i32 -> i32\n";
  EXPECT_TRUE(has(fault(kWrite + shuffle + kReadNext, with(&SIMTOptions::races), {32, 1, 128}, 32), {"a race"}));
}

TEST(Races, AtomicsRaceWithOthersOnly) {
  const std::string add = "%old = llvm.atomicrmw add %sh, %c1 monotonic : !llvm.ptr<3>, i32\n";
  const SIMTOptions options = with(&SIMTOptions::races);
  EXPECT_EQ(fault(add, options), "");
  EXPECT_TRUE(has(
      fault(add + "%v = llvm.load %sh : !llvm.ptr<3> -> i32\n llvm.store %v, %element : i32, !llvm.ptr<1>\n", options),
      {"a race with thread"}));
}

/// Warp 0 hands over on barrier 1 and writes again at once, instead of waiting until warp 1 has read.
static std::string handOver(const std::string &between) {
  return R"(
    %isProducer = llvm.icmp "ult" %tid, %c32 : i32
    %lane = llvm.urem %tid, %c32 : i32
    %slot = llvm.getelementptr %sh[%lane] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.cond_br %isProducer, ^produce, ^consume
  ^produce:
    llvm.store %tid, %slot : i32, !llvm.ptr<3>
    nvvm.barrier.arrive id = %c1 number_of_threads = %c64
    )" + between +
         R"(
    llvm.store %c0, %slot : i32, !llvm.ptr<3>
    llvm.br ^end
  ^consume:
    nvvm.barrier id = %c1 number_of_threads = %c64
    %v = llvm.load %slot : !llvm.ptr<3> -> i32
    llvm.store %v, %element : i32, !llvm.ptr<1>
    )" + between +
         "llvm.br ^end\n^end:\n";
}

TEST(Races, NamedBarriersOrderWhoMeets) {
  for (uint64_t seed : {0, 1, 2, 3}) {
    SIMTOptions options = with(&SIMTOptions::races);
    options.seed = seed;
    EXPECT_TRUE(has(fault(handOver(""), options), {"a race with thread"})) << seed;
    EXPECT_EQ(fault(handOver("nvvm.barrier id = %c2 number_of_threads = %c64\n"), options), "") << seed;
  }
}

TEST(Races, ACopyThatHasNotLandedIsOne) {
  const std::string copy = "nvvm.cp.async.shared.global %mine, %element, 4, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>\n"
                           "nvvm.cp.async.commit.group\n";
  const std::string wait = "nvvm.cp.async.wait.group 0\n";
  const std::string read = "%v = llvm.load %theirs : !llvm.ptr<3> -> i32\nllvm.store %v, %mine : i32, !llvm.ptr<3>\n";
  const std::string own = "%v = llvm.load %mine : !llvm.ptr<3> -> i32\nllvm.store %v, %mine : i32, !llvm.ptr<3>\n";
  const SIMTOptions options = with(&SIMTOptions::races);
  EXPECT_TRUE(has(fault(copy + own, options), {"has not landed", "nvvm.cp.async.shared.global #"}));
  EXPECT_EQ(fault(copy + wait + own, options), "");
  EXPECT_TRUE(has(fault(copy + wait + read, options), {"a race with thread"})) << "its wait is for its own copies";
}

// Uninitialized reads

TEST(Uninitialized, SharedMemoryBeginsSo) {
  const SIMTOptions options = with(&SIMTOptions::uninitialized);
  EXPECT_TRUE(has(fault(kReadNext, options),
                  {"block 0, thread 0, llvm.load", "reads byte 4 of shared memory, to which nothing was written"}));
  EXPECT_EQ(fault(kWrite + kBarrier + kReadNext, options), "");
}

TEST(Uninitialized, TheNextBlockDoesNotSeeTheLast) {
  // Only block 0 writes.
  const std::string body = R"(
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %isFirst = llvm.icmp "eq" %block, %c0 : i32
    llvm.cond_br %isFirst, ^write, ^read
  ^write:
    llvm.store %tid, %mine : i32, !llvm.ptr<3>
    llvm.br ^read
  ^read:
    %v = llvm.load %mine : !llvm.ptr<3> -> i32
    llvm.store %v, %element : i32, !llvm.ptr<1>
  )";
  EXPECT_TRUE(has(fault(body, with(&SIMTOptions::uninitialized), {64, 3, 256}), {"block 1, thread 0"}));
}

TEST(Uninitialized, GlobalMemoryMayBegin) {
  const std::string read = "%v = llvm.load %element : !llvm.ptr<1> -> i32\nllvm.store %v, %mine : i32, !llvm.ptr<3>\n";
  const std::string write = "llvm.store %tid, %element : i32, !llvm.ptr<1>\n";
  const SIMTOptions options = with(&SIMTOptions::uninitialized);
  EXPECT_TRUE(has(fault(read, options, {64, 1, 256}, 64, false), {"reads byte 0 of buffer 0, to which nothing"}));
  EXPECT_EQ(fault(read, options), "");
  EXPECT_EQ(fault(write + read, options, {64, 1, 256}, 64, false), "");
}

TEST(Uninitialized, MatricesAndCopiesRead) {
  const SIMTOptions options = with(&SIMTOptions::uninitialized);
  const std::string load = "%m = nvvm.ldmatrix %sh {num = 1 : i32, layout = #nvvm.mma_layout<row>, shape = "
                           "#nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : "
                           "(!llvm.ptr<3>) -> i32\n";
  EXPECT_TRUE(has(fault(load, options), {"nvvm.ldmatrix", "to which nothing was written"}));
  const std::string copy = "nvvm.cp.async.shared.global %mine, %element, 4, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>\n"
                           "nvvm.cp.async.commit.group\nnvvm.cp.async.wait.group 0\n";
  EXPECT_TRUE(has(fault(copy, options, {64, 1, 256}, 64, false), {"nvvm.cp.async", "of buffer 0, to which nothing"}));
}

TEST(Uninitialized, AResultIsWrittenWhole) {
  // Thread t writes word 2 * t of what must be words 0 to 63.
  const std::string half = R"(
    %twice = llvm.mul %tid, %c2 : i32
    %even = llvm.getelementptr %b0[%twice] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %tid, %even : i32, !llvm.ptr<1>
  )";
  const std::string whole = "llvm.store %tid, %element : i32, !llvm.ptr<1>\n";
  const SIMTOptions options = with(&SIMTOptions::uninitialized);
  EXPECT_EQ(fault(half, options, {32, 1, 256}, 64, false), "no block writes byte 4 of buffer 0, a result of 256");
  EXPECT_EQ(fault(whole, options, {32, 1, 256}, 64, false), "no block writes byte 128 of buffer 0, a result of 256");
  EXPECT_EQ(fault(whole, options, {64, 1, 256}, 64, false), "");
  EXPECT_EQ(fault(half, options, {32, 1, 256}, 64, true), "") << "what it may keep it need not write";
}

// Bounds

TEST(Bounds, OfBuffers) {
  const SIMTOptions options = with(&SIMTOptions::bounds);
  const std::string write = "llvm.store %tid, %element : i32, !llvm.ptr<1>\n";
  EXPECT_EQ(fault(write, options), "");
  EXPECT_TRUE(has(fault(write, options, {64, 1, 256}, 60),
                  {"thread 60, llvm.store", "writes 4 bytes at 240 of buffer 0, which has 240"}));
  EXPECT_TRUE(
      has(fault(write, options, {64, 1, 256}, 64, true, false), {"writes byte 0 of buffer 0, which is only read"}));
}

/// Every thread touches the same byte of buffer 0, which may be far outside of it.
static std::string faultAt(int64_t offset, const std::string &access, std::vector<GlobalBuffer> &buffers) {
  NVVMRunner kernel(kernelText(buffers.size(), "%at = llvm.mlir.constant(" + std::to_string(offset) +
                                                   " : i64) : i64\n%one = llvm.mlir.constant(1 : i8) : i8\n"
                                                   "%p = llvm.getelementptr %b0[%at] : (!llvm.ptr<1>, i64) -> "
                                                   "!llvm.ptr<1>, i8\n" +
                                                   access),
                    {/*memory=*/true});
  EXPECT_TRUE(kernel.ok()) << kernel.errors;
  return kernel.run(buffers, {32, 1, 0}, with(&SIMTOptions::bounds)).message();
}

TEST(Bounds, NoOffsetLeadsIntoAnotherBuffer) {
  constexpr int64_t kBytes = 1 << 20, kMega = 1 << 20;
  const std::string store = "llvm.store %one, %p : i8, !llvm.ptr<1>\n",
                    load = "%v = llvm.load %p : !llvm.ptr<1> -> i8\n";
  for (int64_t offset : {int64_t(0), kBytes - 1})
    for (const std::string &access : {store, load}) {
      std::vector<GlobalBuffer> buffers(3, GlobalBuffer::zeros<uint8_t>(kBytes));
      EXPECT_EQ(faultAt(offset, access, buffers), "");
    }
  // Whatever the distance of two buffers of this size may have been.
  for (int64_t beyond :
       {int64_t(0), int64_t(63), int64_t(4096), int64_t(8192), kMega, 2 * kMega, 64 * kMega, 900 * kMega})
    for (const auto &[access, verb] : {std::pair(store, "writes"), std::pair(load, "reads")})
      for (bool isBehind : {true, false}) {
        std::vector<GlobalBuffer> buffers(3, GlobalBuffer::zeros<uint8_t>(kBytes));
        const int64_t offset = isBehind ? kBytes + beyond : -1 - beyond;
        const std::string expected = std::string(verb) + " 1 bytes at " + std::to_string(offset) + " of buffer ";
        // Half way to the next buffer and further on the other one may be the nearest.
        const std::string message = faultAt(offset, access, buffers);
        EXPECT_TRUE(has(message, {beyond < 500 * kMega ? expected.c_str() : verb, ", which has 1048576"})) << offset;
        for (const GlobalBuffer &buffer : buffers)
          EXPECT_EQ(buffer.as<uint8_t>(), std::vector<uint8_t>(kBytes)) << offset;
      }
}

TEST(Bounds, MarginsOfCopiesAreLookedAt) {
  std::vector<std::byte> first(100), second(7);
  std::vector<void *> pointers = {first.data(), second.data(), first.data()};
  for (int64_t offset : {-4160, -1, 0, 99, 100, 4259}) {
    std::vector<SimulatedBuffer> buffers = {
        {first.data(), 100, true, nullptr}, {second.data(), 7, false, nullptr}, {first.data(), 100, true, nullptr}};
    ErrorOr<SpacedBuffers> spaced = SpacedBuffers::make(buffers, pointers);
    ASSERT_TRUE(spaced.ok()) << spaced.message();
    EXPECT_EQ(spaced->pointers()[0], spaced->pointers()[2]) << "one slice is one copy";
    EXPECT_GE(buffers[1].data - (buffers[0].data + 100), static_cast<int64_t>(SpacedBuffers::kReach));
    EXPECT_TRUE(spaced->checkMargins().ok());
    buffers[0].data[offset] = std::byte(3);
    buffers[1].data[2] = std::byte(4);
    const bool isInside = offset >= 0 && offset < 100;
    EXPECT_EQ(spaced->checkMargins().message(),
              isInside ? ""
                       : "writes byte " + std::to_string(offset) +
                             " of buffer 0, which has 100, by an access that is not reported");
    spaced->copyBack();
    if (isInside) {
      EXPECT_EQ(first[offset], std::byte(3));
    }
    EXPECT_EQ(second[2], std::byte(0)) << "it is only read";
  }
}

TEST(Bounds, OfConstants) {
  // 64 words, of which each thread reads its own, from some word on.
  auto readFrom = [](int64_t first) {
    const std::string table = "llvm.mlir.global internal constant @table(dense<7> : tensor<32xi64>) "
                              "{addr_space = 1 : i32, alignment = 16 : i64} : !llvm.array<32 x i64>\n";
    const std::string body = "%table = llvm.mlir.addressof @table : !llvm.ptr<1>\n"
                             "%own = llvm.getelementptr %table[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32\n"
                             "%from = llvm.getelementptr %own[" +
                             std::to_string(first) +
                             "] : (!llvm.ptr<1>) -> !llvm.ptr<1>, i32\n"
                             "%v = llvm.load %from : !llvm.ptr<1> -> i32\n"
                             "llvm.store %v, %element : i32, !llvm.ptr<1>\n";
    NVVMRunner kernel(table + kernelText(1, kBegin + body), {/*memory=*/true});
    EXPECT_TRUE(kernel.ok()) << kernel.errors;
    std::vector<GlobalBuffer> buffers = {GlobalBuffer::zeros<uint32_t>(64)};
    return kernel.run(buffers, {64, 1, 256}, allChecks()).message();
  };
  EXPECT_EQ(readFrom(0), "");
  EXPECT_NE(readFrom(1).find("thread 63, llvm.load #"), std::string::npos) << readFrom(1);
  EXPECT_NE(readFrom(-1).find("thread 0, llvm.load #"), std::string::npos) << readFrom(-1);
}

TEST(Bounds, OfSharedMemory) {
  const SIMTOptions options = with(&SIMTOptions::bounds);
  EXPECT_EQ(fault(kWrite, options), "");
  EXPECT_TRUE(has(fault(kWrite, options, {64, 1, 252}),
                  {"thread 63, llvm.store", "writes 4 bytes at 252 of shared memory, which has 252"}));
  const std::string before = "%below = llvm.getelementptr %sh[%all] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32\n"
                             "llvm.store %tid, %below : i32, !llvm.ptr<3>\n";
  EXPECT_TRUE(has(fault(before, options), {"writes 4 bytes at -4 of shared memory"}));
}

TEST(Bounds, GenericAddressesAreLookedUp) {
  const SIMTOptions options = allChecks();
  const std::string body = R"(
    %generic = llvm.addrspacecast %mine : !llvm.ptr<3> to !llvm.ptr
    llvm.store %tid, %generic : i32, !llvm.ptr
    %v = llvm.load %theirs : !llvm.ptr<3> -> i32
    llvm.store %v, %element : i32, !llvm.ptr<1>
  )";
  EXPECT_TRUE(has(fault(body, options), {"which nothing was written"}));
}

TEST(Checks, AThreadsOwnMemoryIsItsOwn) {
  const std::string body = R"(
    %own = llvm.alloca %c1 x i32 : (i32) -> !llvm.ptr
    llvm.store %tid, %own : i32, !llvm.ptr
    %v = llvm.load %own : !llvm.ptr -> i32
    llvm.store %v, %element : i32, !llvm.ptr<1>
  )";
  EXPECT_EQ(fault(body, allChecks()), "");
}

TEST(Checks, OfSeveralBlocksTheFirstIsNamed) {
  NVVMRunner kernel(kernelText(1, kBegin + R"(
    %block = nvvm.read.ptx.sreg.ctaid.x : i32
    %limit = llvm.mlir.constant(17 : i32) : i32
    %isLate = llvm.icmp "uge" %block, %limit : i32
    llvm.cond_br %isLate, ^wrong, ^end
  ^wrong:
    %v = llvm.load %sh : !llvm.ptr<3> -> i32
    llvm.store %v, %element : i32, !llvm.ptr<1>
    llvm.br ^end
  ^end:
  )"),
                    {true});
  ASSERT_TRUE(kernel.ok()) << kernel.errors;
  std::vector<GlobalBuffer> buffers = {GlobalBuffer::zeros<uint32_t>(64)};
  for (unsigned hostThreads : {1, 2, 4})
    EXPECT_TRUE(
        has(kernel.run(buffers, {32, 100, 16}, with(&SIMTOptions::uninitialized), "sm_80", hostThreads).message(),
            {"block 17, thread 0"}));
}

// Deadlocks, and what is wrong without any check asked for

/// Threads below 32 go to ^low, others to ^high.
static std::string split(const std::string &low, const std::string &high) {
  return "%isLow = llvm.icmp \"ult\" %tid, %c32 : i32\nllvm.cond_br %isLow, ^low, ^high\n^low:\n" + low +
         "llvm.br ^end\n^high:\n" + high + "llvm.br ^end\n^end:\n";
}

TEST(Deadlock, NamesAllThatWaitAndWhere) {
  EXPECT_TRUE(has(fault(split("nvvm.barrier id = %c1 number_of_threads = %c64\n",
                              "nvvm.barrier id = %c2 number_of_threads = %c64\n"),
                        {}),
                  {"deadlock in block 0: threads 0-31 wait at nvvm.barrier #",
                   " at kernel.mlir:", "(barrier 1, 32 of 64 threads there); threads 32-63 wait at nvvm.barrier #",
                   "(barrier 2, 32 of 64 threads there)"}));
  EXPECT_TRUE(has(fault(split("nvvm.barrier id = %c1 number_of_threads = %c64\n", ""), {}),
                  {"threads 0-31 wait", "; threads 32-63 ended"}));
}

TEST(Deadlock, LanesThatNeverMeet) {
  const std::string body = R"(
    %isOdd = llvm.and %tid, %c1 : i32
    %odd = llvm.icmp "eq" %isOdd, %c1 : i32
    llvm.cond_br %odd, ^one, ^end
  ^one:
    nvvm.bar.warp.sync %all : i32
    llvm.br ^two
  ^end:
    %x = nvvm.shfl.sync idx %all, %tid, %c0, %c32 : i32 -> i32
    llvm.br ^two
  ^two:
  )";
  EXPECT_TRUE(has(fault(body, {}, {32, 1, 128}, 32),
                  {"thread 0 wait at nvvm.shfl.sync", "thread 1 wait at nvvm.bar.warp.sync", "thread 31 wait at"}));
}

TEST(Misuse, IsNamed) {
  EXPECT_TRUE(has(fault("%m = nvvm.ldmatrix %mine {num = 1 : i32, layout = #nvvm.mma_layout<row>, shape = "
                        "#nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : "
                        "(!llvm.ptr<3>) -> i32\n",
                        {}),
                  {"thread 1, nvvm.ldmatrix", "is not aligned to 16 bytes"}));
  EXPECT_TRUE(
      has(fault("nvvm.cp.async.shared.global %mine, %element, 16, cache = cg : !llvm.ptr<3>, !llvm.ptr<1>\n", {}),
          {"thread 1, nvvm.cp.async", "is not aligned"}));
  EXPECT_TRUE(has(fault("%x = nvvm.shfl.sync idx %c1, %tid, %c0, %c32 : i32 -> i32\n", {}), {"is not in the mask"}));
  EXPECT_TRUE(has(fault("nvvm.barrier id = %c64\n", {}), {"barrier 64, there are barriers 0 to 15"}));
  EXPECT_TRUE(has(fault("nvvm.barrier id = %c1 number_of_threads = %c1\n", {}), {"expected whole warps"}));
  EXPECT_TRUE(has(fault(split("nvvm.barrier id = %c1 number_of_threads = %c64\n",
                              "nvvm.barrier id = %c1 number_of_threads = %c32\n"),
                        {}),
                  {"others wait there for"}));
}

TEST(Misuse, ABarrierInDivergentCode) {
  const std::string body = R"(
    %bit = llvm.and %tid, %c1 : i32
    %odd = llvm.icmp "eq" %bit, %c1 : i32
    llvm.cond_br %odd, ^one, ^other
  ^one:
    nvvm.barrier
    llvm.br ^end
  ^other:
    nvvm.barrier
    llvm.br ^end
  ^end:
  )";
  EXPECT_TRUE(has(fault(body, {}), {"lanes of one warp are at different barriers"}));
}
