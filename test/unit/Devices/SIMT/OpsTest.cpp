// NVVM ops other than matrix instructions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Devices/SIMT/LaneText.h"
#include "Devices/SIMT/NVVMRunner.h"
#include "mp/Numerics/Float.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>

using namespace mp;
using namespace mp::test;

/// What each of `threads` threads makes of its word of `inputs` in `%in0`: body stores to buffer 1.
static std::vector<uint32_t> run(const std::string &body, const std::vector<uint32_t> &inputs, uint32_t perThread = 1) {
  NVVMRunner kernel(kernelText(2, loadWords("in", 0, 1, "i32", 1) + body));
  EXPECT_TRUE(kernel.ok()) << kernel.errors;
  const auto threads = static_cast<uint32_t>(inputs.size());
  std::vector<GlobalBuffer> buffers = {GlobalBuffer::of(inputs), GlobalBuffer::zeros<uint32_t>(threads * perThread)};
  SIMTOptions options;
  options.seed = 11;
  Status ran = kernel.run(buffers, {threads, 1, 4096}, options);
  EXPECT_TRUE(ran.ok()) << ran.message();
  return buffers[1].as<uint32_t>();
}

static std::string constants(std::initializer_list<int> values) {
  std::string text;
  for (int value : values)
    text += "%c" + std::string(value < 0 ? "m" : "") + std::to_string(std::abs(value)) + " = llvm.mlir.constant(" +
            std::to_string(value) + " : i32) : i32\n";
  return text;
}

/// 32 values, or 64, all different.
static std::vector<uint32_t> distinct(uint32_t count) {
  std::vector<uint32_t> values(count);
  for (uint32_t index = 0; index < count; ++index)
    values[index] = index * 0x9E3779B1u;
  return values;
}

// Shuffles

namespace {

struct ShuffleCase {
  const char *kind;
  int offset, clamp;
  /// The lane that lane `lane` reads, and whether it is in range: by hand for this case.
  std::function<int(int)> source;
  std::function<bool(int)> isInRange;
};

class Shuffle : public testing::TestWithParam<ShuffleCase> {};

TEST_P(Shuffle, ReadsTheLane) {
  const ShuffleCase &form = GetParam();
  const std::string type = "!llvm.struct<(i32, i1)>";
  const std::vector<uint32_t> inputs = distinct(32);
  const std::vector<uint32_t> found =
      run(constants({-1}) + "%o = llvm.mlir.constant(" + std::to_string(form.offset) +
              " : i32) : i32\n%k = llvm.mlir.constant(" + std::to_string(form.clamp) +
              " : i32) : i32\n%r = nvvm.shfl.sync " + form.kind +
              " %cm1, %in0, %o, %k {return_value_and_is_valid} : i32 -> " + type +
              "\n%v = llvm.extractvalue %r[0] : " + type + "\n%p = llvm.extractvalue %r[1] : " + type +
              "\n%q = llvm.zext %p : i1 to i32\n" + storeWord("%v", 1, "i32", 2, 0) + storeWord("%q", 1, "i32", 2, 1),
          inputs, 2);
  for (int lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(found[2 * lane], inputs[form.isInRange(lane) ? form.source(lane) : lane]) << lane;
    EXPECT_EQ(found[2 * lane + 1], form.isInRange(lane)) << lane;
  }
}

bool always(int) { return true; }

// CUDA's forms: full warps have clamp 31 (up: 0), segments of 8 lanes (32 - 8) << 8 more.
INSTANTIATE_TEST_SUITE_P(
    All, Shuffle,
    testing::Values(ShuffleCase{"bfly", 5, 31, [](int lane) { return lane ^ 5; }, always},
                    ShuffleCase{"up", 3, 0, [](int lane) { return lane - 3; }, [](int lane) { return lane >= 3; }},
                    ShuffleCase{"down", 3, 31, [](int lane) { return lane + 3; }, [](int lane) { return lane <= 28; }},
                    ShuffleCase{"idx", 7, 31, [](int) { return 7; }, always},
                    ShuffleCase{"up", 3, 24 << 8, [](int lane) { return lane - 3; },
                                [](int lane) { return lane % 8 >= 3; }},
                    ShuffleCase{"down", 3, (24 << 8) + 31, [](int lane) { return lane + 3; },
                                [](int lane) { return lane % 8 < 5; }},
                    ShuffleCase{"idx", 2, (24 << 8) + 31, [](int lane) { return lane / 8 * 8 + 2; }, always},
                    ShuffleCase{"bfly", 9, (24 << 8) + 31, [](int lane) { return lane ^ 9; },
                                [](int lane) { return (lane ^ 9) <= (lane | 7); }}));

} // namespace

TEST(Ops, ShuffleMovesFloats) {
  std::vector<uint32_t> inputs(32);
  for (int lane = 0; lane < 32; ++lane)
    inputs[lane] = std::bit_cast<uint32_t>(1.5f * lane);
  const std::vector<uint32_t> found = run(constants({-1, 16, 31}) +
                                              "%f = llvm.bitcast %in0 : i32 to f32\n"
                                              "%r = nvvm.shfl.sync bfly %cm1, %f, %c16, %c31 : f32 -> f32\n" +
                                              storeWord("%r", 1, "f32"),
                                          inputs);
  for (int lane = 0; lane < 32; ++lane)
    EXPECT_EQ(std::bit_cast<float>(found[lane]), 1.5f * (lane ^ 16));
}

// Votes, reductions, election

static std::string vote(const std::string &kind, const std::string &predicate) {
  const bool isBallot = kind == "ballot";
  return constants({-1, 5}) + "%p = llvm.icmp \"" + predicate + "\" %in0, %c5 : i32\n%r = nvvm.vote.sync " + kind +
         " %cm1, %p -> " + (isBallot ? "i32\n" : "i1\n%w = llvm.zext %r : i1 to i32\n") +
         storeWord(isBallot ? "%r" : "%w", 1, "i32");
}

TEST(Ops, Vote) {
  std::vector<uint32_t> numbers(32);
  for (uint32_t lane = 0; lane < 32; ++lane)
    numbers[lane] = lane;
  EXPECT_EQ(run(vote("ballot", "ult"), numbers), std::vector<uint32_t>(32, 0x1f));
  EXPECT_EQ(run(vote("any", "eq"), numbers), std::vector<uint32_t>(32, 1));
  EXPECT_EQ(run(vote("any", "ugt"), std::vector<uint32_t>(32, 5)), std::vector<uint32_t>(32, 0));
  EXPECT_EQ(run(vote("all", "ult"), numbers), std::vector<uint32_t>(32, 0));
  EXPECT_EQ(run(vote("all", "eq"), std::vector<uint32_t>(32, 5)), std::vector<uint32_t>(32, 1));
  EXPECT_EQ(run(vote("uni", "ult"), numbers), std::vector<uint32_t>(32, 0));
  EXPECT_EQ(run(vote("uni", "ult"), std::vector<uint32_t>(32, 9)), std::vector<uint32_t>(32, 1));
}

TEST(Ops, Reduce) {
  const std::vector<uint32_t> inputs = distinct(32);
  const auto reduced = [&](const char *kind) {
    return run(constants({-1}) + "%r = nvvm.redux.sync " + kind + " %in0, %cm1 : i32 -> i32\n" +
                   storeWord("%r", 1, "i32"),
               inputs)[7];
  };
  uint32_t sum = 0, all = ~0u, any = 0, odd = 0, most = 0, least = ~0u;
  int32_t highest = INT32_MIN, lowest = INT32_MAX;
  for (uint32_t value : inputs) {
    sum += value, all &= value, any |= value, odd ^= value;
    most = std::max(most, value), least = std::min(least, value);
    highest = std::max(highest, int32_t(value)), lowest = std::min(lowest, int32_t(value));
  }
  EXPECT_EQ(reduced("add"), sum);
  EXPECT_EQ(reduced("and"), all);
  EXPECT_EQ(reduced("or"), any);
  EXPECT_EQ(reduced("xor"), odd);
  EXPECT_EQ(reduced("umax"), most);
  EXPECT_EQ(reduced("umin"), least);
  EXPECT_EQ(reduced("max"), uint32_t(highest));
  EXPECT_EQ(reduced("min"), uint32_t(lowest));
}

TEST(Ops, ElectsOneOfThoseWhoMeet) {
  const std::string store = "%w = llvm.zext %e : i1 to i32\n" + storeWord("%w", 1, "i32");
  const std::vector<uint32_t> found = run("%e = nvvm.elect.sync -> i1\n" + store, std::vector<uint32_t>(32));
  EXPECT_EQ(std::count(found.begin(), found.end(), 1u), 1);
  EXPECT_EQ(std::count(found.begin(), found.end(), 0u), 31);
}

/// Lanes of one half meet apart from those of the other.
TEST(Ops, MasksMeetApart) {
  const std::vector<uint32_t> found = run(constants({16, 65535, -65536}) + R"(
    %lane = nvvm.read.ptx.sreg.laneid : i32
    %isLow = llvm.icmp "ult" %lane, %c16 : i32
    llvm.cond_br %isLow, ^low, ^high
  ^low:
    nvvm.bar.warp.sync %c65535 : i32
    %a = nvvm.redux.sync add %lane, %c65535 : i32 -> i32
    llvm.br ^end(%a : i32)
  ^high:
    %b = nvvm.redux.sync add %lane, %cm65536 : i32 -> i32
    nvvm.bar.warp.sync %cm65536 : i32
    llvm.br ^end(%b : i32)
  ^end(%r: i32):
  )" + storeWord("%r", 1, "i32"),
                                          std::vector<uint32_t>(32));
  for (int lane = 0; lane < 32; ++lane)
    EXPECT_EQ(found[lane], lane < 16 ? 120u : 376u);
}

// Barriers

TEST(Ops, BarriersReduce) {
  const auto reduced = [](const char *kind, uint32_t limit) {
    std::vector<uint32_t> inputs(64);
    for (uint32_t thread = 0; thread < 64; ++thread)
      inputs[thread] = thread < limit;
    return run(std::string("%r = nvvm.barrier #nvvm.reduction<") + kind + "> %in0 -> i32\n" + storeWord("%r", 1, "i32"),
               inputs);
  };
  EXPECT_EQ(reduced("popc", 40), std::vector<uint32_t>(64, 40));
  EXPECT_EQ(reduced("and", 40), std::vector<uint32_t>(64, 0));
  EXPECT_EQ(reduced("and", 64), std::vector<uint32_t>(64, 1));
  EXPECT_EQ(reduced("or", 40), std::vector<uint32_t>(64, 1));
  EXPECT_EQ(reduced("or", 0), std::vector<uint32_t>(64, 0));
}

/// Warp 0 produces for warp 1 and goes on (arrive on barrier 1); warp 1 waits there, reads, and both meet on barrier 2.
const std::string kProduce = R"(
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %sh = llvm.mlir.addressof @mp_shared : !llvm.ptr<3>
    %isProducer = llvm.icmp "ult" %tid, %c32 : i32
    %minus = llvm.sub %tid, %c32 : i32
    %slot = llvm.select %isProducer, %tid, %minus : i1, i32
    %at = llvm.getelementptr %sh[%slot] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    llvm.cond_br %isProducer, ^produce, ^consume
  ^produce:
    llvm.store %in0, %at : i32, !llvm.ptr<3>
    nvvm.barrier.arrive id = %c1 number_of_threads = %c64
    nvvm.barrier id = %c2 number_of_threads = %c64
    llvm.br ^end(%c7 : i32)
  ^consume:
    nvvm.barrier id = %c1 number_of_threads = %c64
    %v = llvm.load %at : !llvm.ptr<3> -> i32
    nvvm.barrier id = %c2 number_of_threads = %c64
    llvm.br ^end(%v : i32)
  ^end(%r: i32):
)";

TEST(Ops, NamedBarriersJoinProducerAndConsumer) {
  const std::vector<uint32_t> inputs = distinct(64);
  const std::vector<uint32_t> found = run(constants({1, 2, 7, 32, 64}) + kProduce + storeWord("%r", 1, "i32"), inputs);
  for (int thread = 0; thread < 64; ++thread)
    EXPECT_EQ(found[thread], thread < 32 ? 7 : inputs[thread - 32]);
}

TEST(Ops, TheWholeBlockMeetsWithoutThoseWhoEnded) {
  const std::vector<uint32_t> found = run(constants({32}) + R"(
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %stays = llvm.icmp "ult" %tid, %c32 : i32
    llvm.cond_br %stays, ^stay, ^end
  ^stay:
    nvvm.barrier0
  )" + storeWord("%tid", 1, "i32") + "llvm.br ^end\n^end:\n",
                                          std::vector<uint32_t>(96));
  for (uint32_t thread = 0; thread < 96; ++thread)
    EXPECT_EQ(found[thread], thread < 32 ? thread : 0);
}

TEST(Ops, FencesAreFences) {
  EXPECT_EQ(run("nvvm.memory.barrier <gpu>\nnvvm.memory.barrier <cta>\n" + storeWord("%in0", 1, "i32"), distinct(32)),
            distinct(32));
}

// Asynchronous copies

/// Each thread copies its word, reads its element (0 before) and waits as `wait` says, then reads again.
static std::vector<uint32_t> copied(const std::string &copy, const std::string &wait) {
  return run(constants({0, 2, 4}) + R"(
    %tid = nvvm.read.ptx.sreg.tid.x : i32
    %sh = llvm.mlir.addressof @mp_shared : !llvm.ptr<3>
    %at = llvm.getelementptr %sh[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    %from = llvm.getelementptr %b0[%tid] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, i32
    llvm.store %c0, %at : i32, !llvm.ptr<3>
  )" + copy + wait +
                 "%v = llvm.load volatile %at : !llvm.ptr<3> -> i32\n" + storeWord("%v", 1, "i32"),
             distinct(32));
}

TEST(Ops, CopiesLandWhenTheirGroupIsWaitedFor) {
  const std::string copy = "nvvm.cp.async.shared.global %at, %from, 4, cache = ca : !llvm.ptr<3>, !llvm.ptr<1>\n";
  const std::string commit = "nvvm.cp.async.commit.group\n", wait0 = "nvvm.cp.async.wait.group 0\n",
                    wait1 = "nvvm.cp.async.wait.group 1\n";
  const std::vector<uint32_t> before(32, 0), after = distinct(32);
  EXPECT_EQ(copied(copy, ""), before);
  EXPECT_EQ(copied(copy, commit), before);
  EXPECT_EQ(copied(copy, wait0), before) << "no group is committed";
  EXPECT_EQ(copied(copy, commit + wait1), before) << "one group may stay";
  EXPECT_EQ(copied(copy, commit + wait0), after);
  EXPECT_EQ(copied(copy, commit + commit + wait1), after) << "the empty group may stay";
}

TEST(Ops, CopiesFillWithZeros) {
  const auto zeroFilled = [](const std::string &size) {
    return copied("nvvm.cp.async.shared.global %at, %from, 4, cache = ca, %" + size +
                      " : !llvm.ptr<3>, !llvm.ptr<1>, i32\n",
                  "nvvm.cp.async.commit.group\nnvvm.cp.async.wait.group 0\n");
  };
  std::vector<uint32_t> half = distinct(32);
  for (uint32_t &value : half)
    value &= 0xffff;
  EXPECT_EQ(zeroFilled("c4"), distinct(32));
  EXPECT_EQ(zeroFilled("c2"), half);
  EXPECT_EQ(zeroFilled("c0"), std::vector<uint32_t>(32, 0));
}

// Conversions and atomics

static std::vector<uint32_t> floats() {
  std::vector<uint32_t> bits = {0x3f801000, 0x3f800fff, 0xbf801000, 0x7f7fffff, 0x7f800000, 0xff800000,
                                0x7f800001, 1,          0x477fefff, 0x477ff000, 0x33000000, 0x33000001,
                                0x3f808000, 0x3f818000, 0,          0x80000000};
  for (uint32_t index = 0; bits.size() < 64; ++index)
    bits.push_back(index * 0x9E3779B1u);
  return bits;
}

TEST(Ops, ConvertsToTF32AwayFromZero) {
  const std::vector<uint32_t> inputs = floats();
  const std::vector<uint32_t> found =
      run("%f = llvm.bitcast %in0 : i32 to f32\n%t = nvvm.convert.float.to.tf32 %f {rnd = #nvvm.fp_rnd_mode<rna>}\n" +
              storeWord("%t", 1, "i32"),
          inputs);
  for (size_t index = 0; index < inputs.size(); ++index) {
    const float value = std::bit_cast<float>(inputs[index]), result = std::bit_cast<float>(found[index]);
    EXPECT_EQ(found[index] & 0x1fff, 0u);
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(result));
      continue;
    }
    // The two neighbours of 19 bits; a tie is away from zero.
    const float below = std::bit_cast<float>(inputs[index] & ~0x1fffu);
    const float above = std::bit_cast<float>((inputs[index] & ~0x1fffu) + 0x2000);
    const bool isUp =
        std::isfinite(value) && double(std::fabs(value)) - std::fabs(below) >=
                                    (std::isfinite(above) ? double(std::fabs(above)) : 0x1p128) - std::fabs(value);
    EXPECT_EQ(result, isUp ? above : below) << std::hex << inputs[index];
  }
}

TEST(Ops, NarrowFloatsRoundOnce) {
  const std::vector<uint32_t> inputs = floats();
  const std::string body = R"(
    %f = llvm.bitcast %in0 : i32 to f32
    %half = llvm.fptrunc %f : f32 to f16
    %brain = llvm.fptrunc %f : f32 to bf16
    %hb = llvm.bitcast %half : f16 to i16
    %bb = llvm.bitcast %brain : bf16 to i16
    %h = llvm.zext %hb : i16 to i32
    %b = llvm.zext %bb : i16 to i32
    %wide = llvm.fpext %brain : bf16 to f32
  )";
  const std::vector<uint32_t> found =
      run(body + storeWord("%h", 1, "i32", 3, 0) + storeWord("%b", 1, "i32", 3, 1) + storeWord("%wide", 1, "f32", 3, 2),
          inputs, 3);
  for (size_t index = 0; index < inputs.size(); ++index) {
    const float value = std::bit_cast<float>(inputs[index]);
    if (std::isnan(value)) {
      EXPECT_TRUE(kF16.isNaN(found[3 * index]));
      EXPECT_TRUE(kBF16.isNaN(found[3 * index + 1]));
      continue;
    }
    EXPECT_EQ(found[3 * index], encodeF16(value)) << value;
    EXPECT_EQ(found[3 * index + 1], encodeBF16(value)) << value;
    EXPECT_EQ(found[3 * index + 2], uint32_t(encodeBF16(value)) << 16);
  }
}

TEST(Ops, DoublesNarrowInOneRounding) {
  // 1 + 2^-11 + 2^-30: through f32, which drops the last bit, a tie to even would lose half of f16's last place.
  const std::string body = R"(
    %d = llvm.mlir.constant(1.00048828218132257 : f64) : f64
    %v = llvm.mlir.constant(dense<1.00048828218132257> : vector<2xf64>) : vector<2xf64>
    %h = llvm.fptrunc %d : f64 to f16
    %hs = llvm.fptrunc %v : vector<2xf64> to vector<2xf16>
    %b = llvm.bitcast %h : f16 to i16
    %w = llvm.zext %b : i16 to i32
  )";
  const std::vector<uint32_t> found =
      run(body + storeWord("%w", 1, "i32", 2, 0) + storeWord("%hs", 1, "vector<2xf16>", 2, 1),
          std::vector<uint32_t>(32), 2);
  EXPECT_EQ(found[0], 0x3c01u);
  EXPECT_EQ(found[1], 0x3c013c01u);
}

TEST(Ops, AtomicsAddUp) {
  NVVMRunner kernel(kernelText(1, constants({1, 0}) + R"(
    %old = llvm.atomicrmw add %b0, %c1 syncscope("device") monotonic : !llvm.ptr<1>, i32
  )"));
  ASSERT_TRUE(kernel.ok()) << kernel.errors;
  std::vector<GlobalBuffer> buffers = {GlobalBuffer::zeros<uint32_t>(1)};
  Status ran = kernel.run(buffers, {64, 200, 0}, {}, "sm_80", 4);
  ASSERT_TRUE(ran.ok()) << ran.message();
  EXPECT_EQ(buffers[0].as<uint32_t>()[0], 12800u);
}
