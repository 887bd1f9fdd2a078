// Matrix products as PTX text.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Codegen/PTXCompiler.h"

#include <gtest/gtest.h>

using namespace mp;
using namespace mp::test;

namespace {

/// relu(lhs * rhs + bias) of one type.
std::string productText(const std::string &type, int64_t m, int64_t n, int64_t k, const std::string &flags,
                        const std::string &schedule) {
  auto tensor = [&](int64_t rows, int64_t columns) {
    return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) + "x" + type + ">";
  };
  const bool left = flags.find("transpose_lhs") != std::string::npos;
  const bool right = flags.find("transpose_rhs") != std::string::npos;
  const std::string a = left ? tensor(k, m) : tensor(m, k), b = right ? tensor(n, k) : tensor(k, n);
  const std::string c = "tensor<" + std::to_string(n) + "x" + type + ">", r = tensor(m, n);
  return "func.func @f(%a: " + a + ", %b: " + b + ", %c: " + c + ") -> " + r +
         " {\n%z = mp.kernel \"k\" (%x = %a, %y = %b, %w = %c) schedule(#mp.mma<" + schedule + ">) : (" + a + ", " + b +
         ", " + c + ") -> " + r + " {\n%0 = mp.matmul %x, %y " + flags + " bias %w : " + c + " acc f32 : " + a + ", " +
         b + " -> " + r + "\n%1 = mp.relu %0 : " + r + "\nmp.yield %1 : " + r + "\n}\nreturn %z : " + r + "\n}\n";
}

const std::string kLarge = "block_m = 128, block_n = 128, block_k = 32, warps_m = 2, warps_n = 4, ";
const std::string kSm80 = kLarge + "stages = 4, instruction = mma.m16n8k16";
const std::string kSm75 = kLarge + "stages = 2, instruction = mma.m16n8k8";
const std::string kSm70 = kLarge + "stages = 2, instruction = wmma.m16n16k16";
const std::string kFma = "block_m = 128, block_n = 128, block_k = 8, warps_m = 4, warps_n = 2, stages = 2, "
                         "instruction = fma";

const std::string kMajors[] = {"", "transpose_lhs", "transpose_rhs", "transpose_lhs transpose_rhs"};

struct Text : PTXCompiler {
  using PTXCompiler::PTXCompiler;
  bool has(const std::string &what) const { return text.find(what) != std::string::npos; }
};

} // namespace

// 64 x 32 of a warp over 32 of k: 4 x 4 x 2 products, and their fragments twice, before the loop and inside.
TEST(PTXContraction, Sm80MultipliesWhatItCopiesAsynchronously) {
  for (const std::string &flags : kMajors) {
    Text ptx(productText("f16", 1024, 1024, 1024, flags, kSm80), "sm_80");
    ASSERT_TRUE(ptx.ok()) << ptx.errors;
    EXPECT_EQ(ptx.count("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"), 32) << ptx.text;
    // Fragments: 4 + 2 of a step, two steps in the loop and one before it.
    EXPECT_EQ(ptx.count("ldmatrix.sync.aligned.m8n8.x4"), 18) << flags;
    EXPECT_EQ(ptx.count(".trans."),
              (flags.find("lhs") != std::string::npos ? 12 : 0) + (flags.find("rhs") != std::string::npos ? 0 : 6))
        << flags;
    // Two copies of 16 bytes for each operand: three tiles before the loop, one inside.
    EXPECT_EQ(ptx.count("cp.async.cg.shared.global"), 16) << flags;
    EXPECT_EQ(ptx.count("cp.async.wait_group \t2") + ptx.count("cp.async.wait_group 2"), 2) << ptx.text;
    EXPECT_GT(ptx.count("st.global.v4"), 0) << ptx.text;
    EXPECT_EQ(ptx.count("st.global.b16"), 0) << ptx.text;
    EXPECT_EQ(ptx.assemble(), "");
  }
}

TEST(PTXContraction, Sm80MultipliesBF16) {
  Text ptx(productText("bf16", 256, 256, 256, "", kSm80), "sm_80");
  ASSERT_TRUE(ptx.ok()) << ptx.errors;
  EXPECT_EQ(ptx.count("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"), 32);
  EXPECT_GT(ptx.count("cvt.rn.bf16"), 0);
}

TEST(PTXContraction, Sm75CopiesThroughRegisters) {
  for (const std::string &flags : kMajors) {
    Text ptx(productText("f16", 1024, 1024, 1024, flags, kSm75), "sm_75");
    ASSERT_TRUE(ptx.ok()) << ptx.errors;
    EXPECT_EQ(ptx.count("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32"), 64);
    EXPECT_EQ(ptx.count("ldmatrix.sync.aligned.m8n8.x4"), 18) << flags;
    EXPECT_FALSE(ptx.has("cp.async"));
    EXPECT_EQ(ptx.count("ld.global.v4"), 8)
        << "two tiles of each operand, before the loop and in it; a bias is read by pairs";
    EXPECT_EQ(ptx.assemble(), "");
  }
}

TEST(PTXContraction, Sm70UsesWmma) {
  for (const std::string &flags : kMajors) {
    Text ptx(productText("f16", 1024, 1024, 1024, flags, kSm70), "sm_70");
    ASSERT_TRUE(ptx.ok()) << ptx.errors;
    EXPECT_EQ(ptx.count("wmma.mma.sync.aligned"), 16) << ptx.text;
    EXPECT_EQ(ptx.count("wmma.load.a.sync.aligned"), 12) << flags;
    EXPECT_GT(ptx.count("wmma.store.d.sync.aligned"), 0);
    EXPECT_FALSE(ptx.has("ldmatrix"));
    EXPECT_FALSE(ptx.has("cp.async"));
  }
}

// Sums of f16: two to a register, through the instructions of each generation.
TEST(PTXContraction, KeepsSumsInF16WhereTheProductSaysSo) {
  auto narrow = [](const std::string &schedule) {
    std::string text = productText("f16", 1024, 1024, 1024, "", schedule);
    return text.replace(text.find("acc f32"), 7, "acc f16");
  };
  Text sm80(narrow(kSm80), "sm_80"), sm75(narrow(kSm75), "sm_75"), sm70(narrow(kSm70), "sm_70"),
      fma(narrow(kFma), "sm_80");
  ASSERT_TRUE(sm80.ok() && sm75.ok() && sm70.ok() && fma.ok())
      << sm80.errors << sm75.errors << sm70.errors << fma.errors;
  EXPECT_EQ(sm80.count("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16"), 32) << sm80.text;
  EXPECT_EQ(sm75.count("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16"), 64) << sm75.text;
  EXPECT_EQ(sm70.count("wmma.mma.sync.aligned.row.row.m16n16k16.f16.f16"), 16) << sm70.text;
  EXPECT_EQ(fma.count("fma.rn.f32"), 512) << "plain arithmetic has no f16\n" << fma.text;
  for (const Text *text : {&sm80, &sm75, &sm70, &fma})
    EXPECT_EQ(text->assemble(), "");
}

// 4 x 4 products over 8 of k, four steps.
TEST(PTXContraction, Sm80RoundsToTF32) {
  const std::string schedule = kLarge + "stages = 3, instruction = mma.m16n8k8.tf32";
  for (const std::string &flags : kMajors) {
    Text ptx(productText("f32", 1024, 1024, 1024, flags, schedule), "sm_80");
    ASSERT_TRUE(ptx.ok()) << ptx.errors;
    EXPECT_EQ(ptx.count("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32"), 64);
    EXPECT_EQ(ptx.count("cvt.rna.tf32.f32"), 5 * (16 + 8)) << flags;
    EXPECT_TRUE(ptx.has("cp.async.cg")) << flags;
    EXPECT_EQ(ptx.assemble(), "");
  }
}

// 8 x 8 sums of a lane, 8 of k.
TEST(PTXContraction, FmaKeepsSixtyFourSumsInALane) {
  for (const char *chip : {"sm_75", "sm_80", "sm_90"}) {
    Text ptx(productText("f32", 512, 512, 512, "", kFma), chip);
    ASSERT_TRUE(ptx.ok()) << ptx.errors;
    EXPECT_EQ(ptx.count("fma.rn.f32"), 512) << ptx.text;
    EXPECT_EQ(ptx.assemble(), "");
  }
}

TEST(PTXContraction, PartialTilesAndUnalignedRowsAssemble) {
  for (const Chip &chip : allChips()) {
    if (chip.name == "sm_70")
      continue;
    const std::string &schedule = chip.has(ChipFeature::CpAsync) ? kSm80 : kSm75;
    for (const std::string &flags : kMajors)
      for (int64_t size : {200, 201}) {
        Text ptx(productText("f16", size, size, size, flags, schedule), std::string(chip.name));
        ASSERT_TRUE(ptx.ok()) << ptx.errors;
        EXPECT_EQ(ptx.has("cp.async.cg"), size == 200 && chip.has(ChipFeature::CpAsync)) << chip.name;
        EXPECT_EQ(ptx.assemble(), "") << chip.name << " " << flags << " " << size;
      }
  }
}

TEST(PTXContraction, WhatAChipLacksIsAnError) {
  auto errorOf = [](const std::string &type, const std::string &schedule, const char *chip) {
    return PTXCompiler(productText(type, 256, 256, 256, "", schedule), chip).errors;
  };
  auto contains = [](const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; };
  EXPECT_PRED2(contains, errorOf("f16", kSm80, "sm_75"), "the instruction mma.m16n8k16, which sm_75 does not have");
  EXPECT_PRED2(contains, errorOf("f32", kSm80, "sm_80"), "operands of f32, which the instruction mma.m16n8k16");
  EXPECT_PRED2(contains, errorOf("bf16", kSm70, "sm_70"), "operands of bf16, which the instruction wmma.m16n16k16");
  const std::string huge =
      "block_m = 256, block_n = 256, block_k = 64, warps_m = 4, warps_n = 4, stages = 4, instruction = mma.m16n8k16";
  EXPECT_PRED2(contains, errorOf("f16", huge, "sm_80"), "262144 bytes of shared memory in a block; sm_80 has 166912");
  EXPECT_PRED2(contains, errorOf("f16", kSm80 + ", split_k = 2", "sm_80"), "has 1 parts of k, its schedule 2");
}
